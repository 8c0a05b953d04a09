"""corpus.json of a run: what it was trained on, and the run that its weights began with."""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from seq2seq_cli.errors import RESTORE, ModelFileError
from seq2seq_cli.files.json_files import read_json
from seq2seq_cli.files.writing import write_json
from seq2seq_cli.runs.layout import FORMAT


class Provenance(BaseModel):
    """The corpus and the origin of a run."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore", use_attribute_docstrings=True)

    format: Annotated[int, Field(ge=1)] = FORMAT
    folder: str
    """The prepared folder."""
    fingerprint: str
    """The hash of all that could be trained on in it."""
    pairs: dict[str, Annotated[int, Field(ge=0)]]
    """Sentence pairs by the name of the split."""
    init_from: str | None = None
    """The run whose best weights this one began with; None when they were drawn."""
    launch: str | None = None
    """The torchrun that began the run; None without torchrun."""

    def for_others(self) -> "Provenance":
        """The record without the names of the machine and of its folders, for others to read."""
        origin = self.init_from and Path(self.init_from).name
        return self.model_copy(update={"launch": None, "folder": Path(self.folder).name, "init_from": origin})

    @field_validator("pairs")
    @classmethod
    def _counts_training(cls, pairs: dict[str, int]) -> dict[str, int]:
        if "train" not in pairs:
            raise ValueError("no pairs to train on")
        return pairs

    @classmethod
    def read(cls, path: Path) -> "Provenance":
        """Read what `write` wrote; raises ModelFileError when it is missing, damaged, or made by a newer s2s."""
        try:
            return cls.model_validate(read_json(path, newest=FORMAT, error=ModelFileError))
        except ValidationError:
            raise ModelFileError(f"{path}: damaged: does not name the corpus: {RESTORE}") from None

    def write(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        write_json(path, self.model_dump(exclude_none=True))
