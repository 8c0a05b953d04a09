"""The two sides of a translation, and their codecs in a prepared folder or a run folder."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.files.reading import check_contents
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.options import SideOptions
from seq2seq_cli.text.segmenter import get_segmenter
from seq2seq_cli.text.tokenizer_rules import TokenizerRules

if TYPE_CHECKING:
    from seq2seq_cli.config.schema.text import TextConfig

_FOLDER = "codec"

SideName = Literal["src", "tgt"]
SIDES: tuple[SideName, ...] = ("src", "tgt")

Codecs: TypeAlias = tuple[Codec, Codec]
"""The codec of the source and that of the target."""


Rules: TypeAlias = tuple[TokenizerRules | None, TokenizerRules | None]
"""The rules that cut the words of the source and of the target; None as in a Codec."""


def read_rules(text: "TextConfig") -> Rules:
    """The rules of the installed spaCy for both languages; raises InputError when spaCy is missing."""
    return get_segmenter(text.src, text.unit).rules, get_segmenter(text.tgt, text.unit).rules


def fit_codecs(
    text: "TextConfig", src_counts: Mapping[str, int], tgt_counts: Mapping[str, int], rules: Rules | None = None
) -> Codecs:
    """Learn both codecs from how often each token occurs; a shared vocabulary is learned from both sides.

    ``rules`` are those that cut the tokens; None: those of the installed spaCy.
    """
    src_rules, tgt_rules = rules or read_rules(text)
    if not text.shares_vocabulary:
        return (
            Codec.fit(text.src, text.unit, src_counts, src_rules),
            Codec.fit(text.tgt, text.unit, tgt_counts, tgt_rules),
        )
    src = Codec.fit(text.src, text.unit, Counter(src_counts) + Counter(tgt_counts), src_rules)
    return src, replace(src, config=SideOptions.of(text.tgt, auto_size=src.config.max_size), rules=tgt_rules)


def codec_path(folder: Path, side: SideName) -> Path:
    """The file of a side's codec in a prepared folder or a run folder."""
    return folder / _FOLDER / f"{side}.json"


def load_codecs(folder: Path) -> Codecs:
    """The codecs of a prepared folder or a run folder; raises ModelFileError when one is missing or damaged."""
    check_contents(folder, [_FOLDER], error=ModelFileError)
    if not (folder / _FOLDER).is_dir():
        raise ModelFileError(
            f"{folder}: not a run or prepared folder: it has no codec/: s2s train and s2s prepare make one"
        )
    return Codec.load(codec_path(folder, "src")), Codec.load(codec_path(folder, "tgt"))


def save_codecs(folder: Path, codecs: Codecs) -> None:
    """Write both codecs into a prepared folder or a run folder."""
    for side, codec in zip(SIDES, codecs, strict=True):
        codec.save(codec_path(folder, side))
