"""The exported model of a run: its ONNX graphs, and a record of what they were made for.

The graphs hold no weights but references into the file of the best weights. Those that are saved later in the same run
have the same names, shapes and places: the graphs are written once per run, and hold for all of them.

Nothing here needs pydantic, YAML or torch: with the exported model, translating does without them.
"""

import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.files.json_files import read_json
from seq2seq_cli.files.writing import write_json
from seq2seq_cli.runs.weights_header import Places, read_header

FORMAT = 1

_PACKAGE = Path(__file__).parents[1]


def schema_checksum() -> int:
    """CRC-32 of the definition of the config in this s2s."""
    return _checksum("config/schema")


def model_checksum() -> int:
    """CRC-32 of the formulas of the models in this s2s."""
    return _checksum("model")


def _checksum(room: str) -> int:
    modules = sorted((_PACKAGE / room).rglob("*.py"))
    # An editor may keep its lock in the folder: a link to nothing that ends in .py.
    return zlib.crc32(b"".join(module.read_bytes() for module in modules if module.is_file()))


@dataclass(frozen=True, kw_only=True)
class ExportRecord:
    """The facts on a model that translating needs beside its weights."""

    vocabulary_size: int
    """The number of target tokens, the special ones included."""
    has_attention: bool
    """Whether the model has attention weights to show."""
    max_source_length: int | None
    """The largest number of source tokens, ``<eos>`` counted; None: no limit."""
    config: str
    """The text of config.yaml."""
    decoding: dict[str, Any]
    """The values of the ``decoding`` section in that text, defaults included. They hold as long as the text does."""
    schema: int
    """The `schema_checksum` of the s2s that read these values; another one may have other keys and defaults."""
    model: int
    """The `model_checksum` of the s2s that made the graphs."""
    weights: Places
    """The places of the weights for which the graphs were made."""
    encoder: list[str]
    """The names of the weights in the encoder's graph."""
    decoder: list[str]
    """The names of the weights in the graph of a decoder step."""
    features: list[str]
    """The names of the weights in the graph of a step without the output layer."""

    def write(self, path: Path) -> None:
        """Write the record; raises OSError when that cannot be done."""
        write_json(path, {"format": FORMAT, **asdict(self)})

    @classmethod
    def read(cls, path: Path) -> "ExportRecord":
        """Read what `write` wrote; raises ModelFileError when it is missing, damaged, or made by a newer s2s."""
        values = read_json(path, newest=FORMAT, error=ModelFileError)
        del values["format"]
        if not _are_facts(values):
            raise ModelFileError(f"{path}: damaged: s2s export RUN FILE.zip makes it anew")
        return cls(**values)

    @property
    def is_of_other_code(self) -> bool:
        """Whether the code of the models has changed since the graphs were made, as students change a formula.

        Only code beside its pyproject.toml is changed by hand: that of an editable install. That of a package changes
        with a new version alone, whose models compute the same.
        """
        return (_PACKAGE.parent / "pyproject.toml").is_file() and self.model != model_checksum()

    def fits(self, weights: Path) -> bool:
        """Whether the graphs can read a file of weights; ModelFileError when that is missing or damaged."""
        return self.weights == read_header(weights).places


def _are_facts(values: Mapping[str, Any]) -> bool:
    """Whether values are those of a record, of its types."""
    if values.keys() != ExportRecord.__dataclass_fields__.keys():
        return False
    longest, weights = values["max_source_length"], values["weights"]
    listed = [values[name] for name in ("encoder", "decoder", "features")]
    numbers = [values["vocabulary_size"], values["schema"], values["model"], 1 if longest is None else longest]
    return (
        all(type(number) is int and number > 0 for number in numbers)
        and type(values["has_attention"]) is bool
        and type(values["config"]) is str
        and type(values["decoding"]) is dict
        and type(weights) is dict
        and all(
            type(names) is list and all(type(name) is str and name in weights for name in names) for names in listed
        )
    )
