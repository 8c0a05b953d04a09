"""Tables that are no text: Parquet, as data sets are published in, and .xlsx, as Excel saves them.

Each needs a package that is an extra.
"""

import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import Any

from seq2seq_cli.errors import InputError, PairFileError, how_to_install, one_line
from seq2seq_cli.pairs.archives import LocalFile, open_archive, open_file
from seq2seq_cli.pairs.pair_files import OpenRecords, PlaceUnit, Record, cells_of

PARQUET = b"PAR1"
"""The first bytes of a Parquet file."""
_ROWS = 1000
"""Rows that are decoded at a time."""
_WORKBOOK = "xl/workbook.xml"
_MOST_BYTES = 300_000_000
"""Bytes of an unpacked spreadsheet, whose texts are held in memory."""
_CSV = "save it as CSV (UTF-8), and give that file"


@dataclass(frozen=True, kw_only=True)
class Parquet:
    """Reads the columns of text; a record's line is the number of its row."""

    kind = "Parquet"
    unit: PlaceUnit = "line"

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
            records = _parquet_records(lambda: parquet.ParquetFile(raw), file.name, failures)
            yield OpenRecords(records=records, position=lambda: min(raw.tell(), file.size))


def _parquet_records(open_: Callable[[], Any], name: str, failures: tuple[type[Exception], ...]) -> Iterator[Record]:
    try:
        opened = open_()
        columns = [opened.schema.column(number) for number in range(len(opened.schema.names))]
        paths = [
            column.path
            for column in columns
            if column.logical_type.type == "STRING" and not column.max_repetition_level
        ]
        if not paths:
            raise PairFileError(f"{name}: Parquet without columns of text: export the pairs as such")
        batches = opened.iter_batches(batch_size=_ROWS, columns=paths, use_threads=False)
        values = chain.from_iterable(batch.to_pylist() for batch in batches)
        yield from (Record(row, cells_of(value)) for row, value in enumerate(values, start=1))
    except failures as error:
        reason = str(error).split("\n", maxsplit=1)[0].rstrip(".")
        raise PairFileError(f"{name}: damaged: {one_line(reason)}: get it again") from None


def is_workbook(archive: zipfile.ZipFile) -> bool:
    """Whether a zip archive is a spreadsheet of Excel's."""
    return _WORKBOOK in archive.namelist()


@dataclass(frozen=True, kw_only=True)
class Spreadsheet:
    """Reads the rows of the first sheet."""

    kind = "the first sheet of a spreadsheet"
    unit: PlaceUnit = "line"

    @contextmanager
    def open(self, file: LocalFile, encoding: str) -> Iterator[OpenRecords]:  # noqa: ARG002  # it is always XML
        """Open a file."""
        try:
            import openpyxl
        except ImportError:
            raise InputError(f"{file.name}: .xlsx needs another package: {how_to_install('xlsx')}, or {_CSV}") from None
        with open_file(file.path, file.name) as raw:
            with open_archive(raw, file.name) as archive:
                if sum(member.file_size for member in archive.infolist()) > _MOST_BYTES:
                    raise PairFileError(f"{file.name}: a spreadsheet too large to be read: {_CSV}")
            yield OpenRecords(
                records=_sheet_records(lambda: openpyxl.load_workbook(raw, read_only=True, data_only=True), file.name),
                position=lambda: file.size,
            )


def _sheet_records(open_: Callable[[], Any], name: str) -> Iterator[Record]:
    width = 0
    try:
        sheet = open_().worksheets[0]
        sheet.reset_dimensions()  # else each row is filled up as far as a stray cell to the right
        for row, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
            texts = ["" if cell is None else str(cell) for cell in cells]
            if any(map(str.strip, texts)):
                width = width or len(texts)
                texts += [""] * (width - len(texts))
                yield Record(row, dict(enumerate(texts, start=1)))
    except MemoryError:
        raise
    except Exception:  # a damaged sheet may lead to any
        raise PairFileError(f"{name}: a damaged spreadsheet: save it again, or {_CSV}") from None
