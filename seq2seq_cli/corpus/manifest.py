"""The description of a prepared folder: its ``manifest.json``, which is written last."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, ValidationError, field_validator

from seq2seq_cli.config.schema import Probability
from seq2seq_cli.config.schema.text import DataConfig, TextConfig
from seq2seq_cli.corpus.splits import HELP, PARTS, SPLITS, PartName
from seq2seq_cli.errors import PreparedFolderError, command_line, one_line
from seq2seq_cli.files.reading import FORMAT, check_contents, read_json
from seq2seq_cli.text.sides import CODEC_FILES, SIDES, SideName

DEFAULT_FOLDER = Path("data/prepared")
"""The default folder of ``s2s prepare`` and ``s2s train``."""

MANIFEST = "manifest.json"
_CURE = "delete the folder and prepare again"
_Inside = Annotated[str, Field(pattern="^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$")]
"""A file in the folder or in one of its folders, on Windows as well."""
DROPPED_FILE = "dropped.tsv"
ENDINGS = (".npy", ".offsets.npy", ".txt")
"""The files of one side of one part: ids, offsets of the sentences, text."""


def corpus_files(parts: Iterable[PartName] = PARTS) -> list[str]:
    """The files that are read, of a folder with these parts: all but the two above."""
    return [*CODEC_FILES, *(f"{part}.{side}{ending}" for part in parts for side in SIDES for ending in ENDINGS)]


PREPARED_FILES = (MANIFEST, DROPPED_FILE, *corpus_files())
"""All files of a prepared folder: those that ``--overwrite`` replaces."""

_OfLine = Literal["blank line", "no tab", "other columns", "missing column", "empty side"]
Reason = Literal[_OfLine, "duplicate", "too long", "length ratio", "in valid", "in test"]
"""The reason why a line of a pair file is not in the corpus."""
REASONS: Final[tuple[Reason, ...]] = get_args(Reason)


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", use_attribute_docstrings=True)


class FileRecord(_Record):
    """The size and hash of a file."""

    size: NonNegativeInt
    """Bytes."""
    sha256: str

    @classmethod
    def of(cls, path: Path) -> "FileRecord":
        """The record of a file as it is now."""
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            return cls(size=file.tell(), sha256=sha256)

    def fits(self, path: Path) -> bool:
        """Whether the file at `path` has the recorded size, whatever its content."""
        return path.is_file() and path.stat().st_size == self.size


class PairFileRecord(FileRecord):
    """A file that pairs were read from."""

    name: str
    """Without folders."""
    part: PartName | None
    """The part that it was given as; None for a file whose pairs were split."""
    side: SideName | None = None
    """The side that it is of two aligned files; None for a file with both."""
    languages: str | None = None
    """The languages of its columns, such as ``en-de``, where these may be others than those of the splits."""


class DroppedRecord(_Record):
    """Lines that were dropped for one reason."""

    count: NonNegativeInt
    first: list[str]
    """The places of the first few, ``deu.txt:21`` or ``list.json: record 21``; more are in ``dropped.tsv``."""


class SplitRecord(_Record):
    """The size of a split, or of another part."""

    pairs: NonNegativeInt
    sources: NonNegativeInt
    """Distinct source sentences."""
    covered: Probability | None
    """Of a text or of related pairs: see `preparation.id_files.covered`."""


class SideRecord(_Record):
    """The vocabulary and the tokens of one language."""

    vocabulary: NonNegativeInt
    """Units, the four special ones included."""
    tokens: NonNegativeInt
    """In all parts."""
    unknown_rate: float | None
    """Fraction of the validation split's tokens that the vocabulary lacks; None without a validation split."""


class Manifest(_Record):
    """The pair files, the options, and the outcome of a preparation."""

    format: int = FORMAT
    s2s: str
    """Version of s2s that made the folder."""
    spacy: str
    """Version of spaCy."""
    pair_files: list[PairFileRecord]
    lines_read: NonNegativeInt
    extra_columns: NonNegativeInt
    """Lines with more than two columns."""
    dropped: dict[Reason, DroppedRecord]
    splits: dict[PartName, SplitRecord]
    src: SideRecord
    tgt: SideRecord
    data: DataConfig
    """As resolved."""
    text: TextConfig
    """As resolved."""
    files: dict[_Inside, FileRecord]
    """Every other file of the folder."""
    test_in_valid: NonNegativeInt
    """Pairs of the test split that share a sentence with the validation split; only given splits do."""

    def trained(self, least_covered: float = 0.0) -> list[PartName]:
        """The parts that a model is trained on; a part whose `covered` is measured has at least this share."""
        help_ = [(name, self.splits[name].covered) for name in HELP if name in self.splits and name != "src_only"]
        return ["train", *(name for name, share in help_ if share is None or share >= least_covered)]

    def help_in_words(self, least_covered: float) -> str:
        """Such as " with the help of 99,449 related (46,831 tgt_only for the vocabulary alone)"."""
        counts = {name: f"{self.splits[name].pairs:,} {name}" for name in HELP if name in self.splits}
        used = [counts.pop(name) for name in self.trained(least_covered) if name in counts]
        helping = f" with the help of {' and '.join(used)}" if used else ""
        return helping + (f" ({' and '.join(counts.values())} for the vocabulary alone)" if counts else "")

    @field_validator("splits")
    @classmethod
    def _holds_all(cls, splits: dict[PartName, SplitRecord]) -> dict[PartName, SplitRecord]:
        if missing := set(SPLITS) - set(splits):
            raise ValueError(f"no {' and '.join(sorted(missing))}")
        if not splits["train"].pairs:
            raise ValueError("no training pairs")
        return splits


def read_manifest(folder: Path) -> Manifest:
    """Read a folder's manifest.

    Raises PreparedFolderError when the folder or its manifest is missing, when it is damaged, or made by a newer s2s,
    and when a FIFO, a device or a link that leads out of the folder stands in the place of a file.
    """
    try:
        manifest = Manifest.model_validate(read_manifest_values(folder))
    except ValidationError as error:
        first = error.errors()[0]
        place = one_line(".".join(map(str, first["loc"])))
        problem = f"{folder / MANIFEST}: damaged: {place}: {first['msg']}"
        raise PreparedFolderError(f"{problem}: {_CURE}") from None
    check_contents(folder, {name.partition("/")[0] for name in manifest.files}, error=PreparedFolderError)
    return manifest


def read_manifest_values(folder: Path) -> dict[str, Any]:
    """The content of a manifest, of which only the format number is checked; raises PreparedFolderError."""
    check_contents(folder, [MANIFEST], error=PreparedFolderError)
    if not (folder / MANIFEST).is_file():
        problem = "not a prepared folder: name one that s2s prepare has made"
        if not folder.exists():
            problem = f"no such folder: make it with: {command_line('s2s', 'prepare', 'FILE', '--out', str(folder))}"
        raise PreparedFolderError(f"{folder}: {problem}")
    return read_json(folder / MANIFEST, error=PreparedFolderError, cure=_CURE)
