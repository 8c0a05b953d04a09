"""The values of the ``decoding`` section for one translator.

They are those of a DecodingConfig, without the class: pydantic, which checks them, takes a tenth of a second to import,
and the values that were saved beside an exported model have been checked. Where config.yaml or the schema has changed
since, they are checked and saved once more.
"""

import contextlib
from collections.abc import Sequence
from dataclasses import replace
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
    saved = _saved(run)
    if saved is None:
        return run.config().decoding
    record, text = saved
    if (record.config, record.schema) == (text, schema_checksum()) and are_decoding_values(record.decoding):
        return cast("DecodingConfig", SimpleNamespace(**record.decoding))
    options = run.config().decoding
    checked = replace(record, config=text, decoding=options.model_dump(mode="json"), schema=schema_checksum())
    with contextlib.suppress(OSError):  # the folder may be read-only; the next start is as slow then
        checked.write(run.path / EXPORT_RECORD)
    return options


def with_changes(options: "DecodingConfig", **changes: Any) -> "DecodingConfig":
    """The options with other values of these keys, which the caller has checked."""
    return cast("DecodingConfig", SimpleNamespace(**{**vars(options), **changes}))


def _saved(run: RunFolder) -> tuple[ExportRecord, str] | None:
    """The record of the exported model, with values that are checked where it fits, and the text of config.yaml."""
    try:
        text = read_whole(run.path / CONFIG, most=_MOST_BYTES).decode("utf-8")
        return ExportRecord.read(run.path / EXPORT_RECORD), text
    except (ModelFileError, OSError, UnicodeDecodeError):
        return None
