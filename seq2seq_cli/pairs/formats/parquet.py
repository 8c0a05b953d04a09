"""Parquet, as data sets are published in; needs pyarrow."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import Any

from seq2seq_cli.errors import InputError, PairFileError, how_to_install, one_line
from seq2seq_cli.pairs.archives import open_file
from seq2seq_cli.pairs.formats.records import OpenRecords, Record, cells_of
from seq2seq_cli.pairs.local_files import LocalFile

MAGIC = b"PAR1"
_ROWS = 1000
"""Rows that are decoded at a time."""


@dataclass(frozen=True, kw_only=True)
class Parquet:
    """Reads the columns of text; a record's line is the number of its row."""

    kind = "Parquet"

    @contextmanager
    def open(self, file: LocalFile, encoding: str) -> Iterator[OpenRecords]:  # noqa: ARG002  # it is always UTF-8
        """Open a file."""
        try:
            import pyarrow as pa
            from pyarrow import parquet
        except ImportError:
            raise InputError(f"{file.name}: Parquet needs another package: {how_to_install('parquet')}") from None
        failures = (pa.ArrowException, OSError, ValueError)
        with open_file(file.path, file.name) as raw:
            records = _records(lambda: parquet.ParquetFile(raw), file.name, failures)
            yield OpenRecords(records=records, position=lambda: min(raw.tell(), file.size))


def _records(open_: Callable[[], Any], name: str, failures: tuple[type[Exception], ...]) -> Iterator[Record]:
    try:
        opened = open_()
        paths = list(_text_columns(opened.schema))
        if not paths:
            raise PairFileError(f"{name}: Parquet without columns of text: export the pairs as such")
        batches = opened.iter_batches(batch_size=_ROWS, columns=paths, use_threads=False)
        values = chain.from_iterable(batch.to_pylist() for batch in batches)
        yield from (Record(row, cells_of(value)) for row, value in enumerate(values, start=1))
    except failures as error:
        raise PairFileError(f"{name}: damaged: {one_line(_first_line(error))}: get it again") from None


def _text_columns(schema: Any) -> Iterator[str]:
    for number in range(len(schema.names)):
        column = schema.column(number)
        if column.logical_type.type == "STRING" and not column.max_repetition_level:
            yield column.path


def _first_line(error: Exception) -> str:
    return str(error).split("\n", maxsplit=1)[0].rstrip(".")
