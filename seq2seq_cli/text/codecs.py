"""The codecs of both sides, as a prepared folder and a run folder keep them."""

from pathlib import Path
from typing import Literal

from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.files import make_folder
from seq2seq_cli.text.codec import Codec

SideName = Literal["src", "tgt"]
SIDES: tuple[SideName, ...] = ("src", "tgt")


Codecs = tuple[Codec, Codec]
"""Of the source and of the target."""


def codec_path(folder: Path, side: SideName) -> Path:
    """Where a side's codec lies in a prepared folder or a run folder."""
    return folder / "codec" / f"{side}.json"


def load_codecs(folder: Path) -> Codecs:
    """The codecs of a prepared folder or a run folder; raises ModelFileError when one is missing or damaged."""
    if not codec_path(folder, "src").parent.is_dir():
        raise ModelFileError(
            f"{folder}: no run or prepared folder, without a codec/: s2s train and s2s prepare make one"
        )
    return Codec.load(codec_path(folder, "src")), Codec.load(codec_path(folder, "tgt"))


def save_codecs(folder: Path, codecs: Codecs) -> None:
    """Write both codecs into a prepared folder or a run folder."""
    for side, codec in zip(SIDES, codecs, strict=True):
        path = codec_path(folder, side)
        make_folder(path.parent)
        codec.save(path)
