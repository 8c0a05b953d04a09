"""The exported model of a run: its ONNX graphs, and a record of what they were made for.

The graphs hold no weights but references into the file of the best weights. Those that are saved later in the same run
have the same names, shapes and places: the graphs are written once per run, and hold for all of them.

Nothing here needs pydantic, YAML or torch: with the exported model, translating does without them.
"""

import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from seq2seq_cli.config.choices import LARGEST_INTEGER, DecodingOptions
from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.files.reading import FORMAT, read_json, read_whole
from seq2seq_cli.files.writing import json_content
from seq2seq_cli.runs.layout import CONFIG, EXPORT_RECORD
from seq2seq_cli.runs.weights import Places

_PACKAGE = Path(__file__).parents[1]
_MOST_CONFIG_BYTES = 1_000_000


def model_checksum() -> int:
    """CRC-32 of the formulas of the models in this s2s."""
    modules = sorted((_PACKAGE / "model").rglob("*.py"))
    # An editor may keep its lock in the folder: a link to nothing that ends in .py.
    return zlib.crc32(b"".join(module.read_bytes() for module in modules if module.is_file()))


def config_checksum(run: Path) -> int:
    """CRC-32 of the config.yaml of a run; OSError when it cannot be read."""
    return zlib.crc32(read_whole(run / CONFIG, most=_MOST_CONFIG_BYTES))


@dataclass(frozen=True, kw_only=True)
class ExportRecord:
    """The facts on a model that translating needs beside its weights."""

    vocabulary_size: int
    """The number of target tokens, the special ones included."""
    has_attention: bool
    """Whether the model has attention weights to show."""
    max_source_length: int | None
    """The largest number of source tokens, ``<eos>`` counted; None: no limit."""
    config: int
    """The `config_checksum` of the run."""
    decoding: DecodingOptions
    """The values of the ``decoding`` section of that config, defaults included."""
    model: int
    """The `model_checksum` of the s2s that made the graphs."""
    weights: Places
    """The places of the weights for which the graphs were made."""

    @property
    def content(self) -> bytes:
        """The content of the file."""
        values = asdict(self)
        return json_content({"format": FORMAT, "checksum": _checksum(values), **values})

    def of_config(self, content: bytes, decoding: DecodingOptions) -> "ExportRecord":
        """The record beside a config.yaml of this content, which has these values of ``decoding``."""
        return replace(self, config=zlib.crc32(content), decoding=decoding)

    @classmethod
    def read(cls, run: Path) -> "ExportRecord":
        """Read the record of a run; raises ModelFileError when it is missing, damaged, or made by a newer s2s."""
        path = run / EXPORT_RECORD
        values = read_json(path, error=ModelFileError)
        del values["format"]
        try:
            if values.pop("checksum") != _checksum(values):
                raise ValueError("changed")  # noqa: TRY301  # as for a damaged one
            return cls(**{**values, "decoding": DecodingOptions(**values["decoding"])})
        except (KeyError, TypeError, ValueError):
            raise ModelFileError(f"{path}: damaged: s2s export RUN FILE.zip makes it anew") from None

    def __post_init__(self) -> None:
        """Raise ValueError for values that an engine cannot rely on: the record may be a stranger's."""
        sizes = self.vocabulary_size, 1 if self.max_source_length is None else self.max_source_length
        are_sizes = all(type(size) is int and 0 < size <= LARGEST_INTEGER for size in sizes)
        if not (are_sizes and isinstance(self.has_attention, bool) and isinstance(self.weights, dict)):
            raise ValueError("not the facts on an exported model")

    @property
    def is_of_other_code(self) -> bool:
        """Whether the code of the models has changed since the graphs were made, as students change a formula.

        Only code beside its pyproject.toml, in an editable install, is changed by hand. The code of a package changes
        with a new version alone, whose models compute the same.
        """
        return (_PACKAGE.parent / "pyproject.toml").is_file() and self.model != model_checksum()


def _checksum(values: Mapping[str, Any]) -> int:
    """CRC-32 of the values of a record."""
    return zlib.crc32(json.dumps(values, sort_keys=True).encode("utf-8"))
