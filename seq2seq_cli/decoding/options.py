"""The values of the ``decoding`` section for one translator.

They are those of a DecodingConfig, without the class: pydantic, which checks them, takes a tenth of a second to import,
and the values that were saved beside an exported model have been checked. Where config.yaml or the schema has changed
since, config.yaml is read.
"""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from seq2seq_cli.config.decoding_values import are_decoding_values
from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.files.reading import read_whole
from seq2seq_cli.runs.exported import ExportRecord, schema_checksum
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import CONFIG, EXPORT_RECORD

_MOST_BYTES = 1_000_000
"""Size of the largest config.yaml that is compared."""

if TYPE_CHECKING:
    from seq2seq_cli.config.schema.decoding import DecodingConfig


def read_options(run: RunFolder, overrides: Sequence[str] = ()) -> "DecodingConfig":
    """The options of a run, with `overrides` such as ``decoding.beam_size=1``.

    Raises ModelFileError for a damaged config, ConfigError for overrides that no config has.
    """
    if overrides:
        from seq2seq_cli.config.loader import load_saved_config

        return load_saved_config(run.path / CONFIG, overrides).decoding
    try:
        text = read_whole(run.path / CONFIG, most=_MOST_BYTES).decode("utf-8")
        record = ExportRecord.read(run.path / EXPORT_RECORD)
    except (ModelFileError, OSError, UnicodeDecodeError):
        return run.config().decoding
    if (record.config, record.schema) == (text, schema_checksum()) and are_decoding_values(record.decoding):
        return cast("DecodingConfig", SimpleNamespace(**record.decoding))
    return run.config().decoding


def with_changes(options: "DecodingConfig", **changes: Any) -> "DecodingConfig":
    """The options with other values of these keys, which the caller has checked."""
    return cast("DecodingConfig", SimpleNamespace(**{**vars(options), **changes}))
