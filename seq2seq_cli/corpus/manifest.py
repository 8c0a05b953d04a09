"""What a prepared folder says of itself: its ``manifest.json``, which is written last."""

import hashlib
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from seq2seq_cli.config.schema import DataConfig, Section, TextConfig
from seq2seq_cli.corpus.pairs import Reason
from seq2seq_cli.corpus.splits import SPLITS, SplitName
from seq2seq_cli.errors import PreparedFolderError
from seq2seq_cli.files import read_json, write_json

FORMAT = 1
"""Of the prepared folder; raised when an older s2s could not read what is written."""

MANIFEST = "manifest.json"

Count = Annotated[int, Field(ge=0)]


class _Record(BaseModel):
    """A part of the manifest; keys of other versions of s2s are passed over."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore", use_attribute_docstrings=True)


class FileRecord(_Record):
    """A file and its content."""

    size: Count
    """Bytes."""
    sha256: str

    @classmethod
    def of(cls, path: Path) -> "FileRecord":
        """Describe a file as it lies on the disk."""
        content = path.read_bytes()
        return cls(size=len(content), sha256=hashlib.sha256(content).hexdigest())

    def describes(self, path: Path) -> bool:
        """Whether a file lies at `path` and holds what was recorded."""
        return path.is_file() and path.stat().st_size == self.size and FileRecord.of(path) == self


class PairFileRecord(FileRecord):
    """The pair file that was prepared."""

    name: str


class DroppedRecord(_Record):
    """Lines that were dropped for one reason."""

    count: Count
    lines: list[int]
    """The numbers of the first few."""


class SplitRecord(_Record):
    """The size of a split."""

    pairs: Count
    sources: Count
    """Distinct source sentences."""


class SideRecord(_Record):
    """What was learned of one language."""

    vocabulary: Count
    """Units, the four special ones included."""
    tokens: Count
    """In all splits."""
    unknown_rate: float | None
    """Share of the validation split's tokens that the vocabulary lacks; None without a validation split."""


class Manifest(_Record):
    """What was prepared, how, and what came of it."""

    format: Annotated[int, Field(ge=1)]
    s2s: str
    """Version that made the folder."""
    spacy: str
    """Version of the tokenizers."""
    source: PairFileRecord
    lines_read: Count
    extra_columns: Count
    """Lines with more than two columns."""
    dropped: dict[Reason, DroppedRecord]
    splits: dict[SplitName, SplitRecord]
    src: SideRecord
    tgt: SideRecord
    data: DataConfig
    """As resolved."""
    text: TextConfig
    """As resolved."""
    files: dict[str, FileRecord]
    """Every other file of the folder."""

    @field_validator("data", "text", mode="before")
    @classmethod
    def _without_unknown_keys(cls, values: Any, info: Any) -> Any:
        section = cls.model_fields[info.field_name].annotation
        return _known(section, values) if isinstance(section, type) else values

    @field_validator("splits")
    @classmethod
    def _holds_all(cls, splits: dict[SplitName, SplitRecord]) -> dict[SplitName, SplitRecord]:
        if missing := set(SPLITS) - set(splits):
            raise ValueError(f"no {' and '.join(sorted(missing))}")
        return splits

    def write(self, folder: Path) -> None:
        """Write ``manifest.json``, which makes the folder a finished one."""
        write_json(folder / MANIFEST, self.model_dump())


def read_manifest(folder: Path) -> Manifest:
    """Read a folder's manifest.

    Raises PreparedFolderError when the folder or its manifest is missing, when it is damaged, or made by a newer s2s.
    """
    if not (folder / MANIFEST).is_file():
        missing = "not a finished prepared folder" if folder.exists() else "no such folder"
        raise PreparedFolderError(f"{folder}: {missing}: make it with 's2s prepare FILE --out {folder}'")
    content = read_json(folder / MANIFEST, newest=FORMAT, error=PreparedFolderError)
    try:
        return Manifest.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        problem = f"{folder / MANIFEST}: damaged: {place}: {first['msg']}"
        raise PreparedFolderError(f"{problem}: delete the folder and prepare again") from None


def _known(section: type[Any], values: Any) -> Any:
    """Leave out what this version's section does not know."""
    if not (issubclass(section, Section) and isinstance(values, dict)):
        return values
    fields = section.model_fields
    return {
        key: _known(annotation, value) if isinstance(annotation := fields[key].annotation, type) else value
        for key, value in values.items()
        if key in fields
    }
