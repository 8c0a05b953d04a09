"""Tables that are no text: Parquet, as data sets are published in, and .xlsx, as Excel saves them.

Each needs a package that is an extra.
"""

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import Any, BinaryIO

from seq2seq_cli.errors import InputError, PairFileError, S2SError, how_to_install, one_line
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
        with open_file(file.path, file.name) as raw:
            records = _records(_parquet_rows(raw), file.name, extra="parquet", cure="get it again")
            yield records, lambda: min(raw.tell(), file.size)


def _parquet_rows(raw: BinaryIO) -> Iterator[Record]:
    from pyarrow import parquet

    opened = parquet.ParquetFile(raw)
    columns = [opened.schema.column(number) for number in range(len(opened.schema.names))]
    texts = [each.path for each in columns if each.logical_type.type == "STRING" and not each.max_repetition_level]
    batches = opened.iter_batches(batch_size=_ROWS, columns=texts, use_threads=False)
    values: Iterator[Any] = chain.from_iterable(batch.to_pylist() for batch in batches)
    yield from (Record(row, cells_of(value)) for row, value in enumerate(values, start=1))


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
        with open_file(file.path, file.name) as raw:
            with open_archive(raw, file.name) as archive:
                if sum(member.file_size for member in archive.infolist()) > _MOST_BYTES:
                    raise PairFileError(f"{file.name}: a spreadsheet too large to be read: {_CSV}")
            records = _records(_sheet_rows(raw), file.name, extra="xlsx", cure=f"save it again, or {_CSV}")
            yield records, lambda: file.size


def _sheet_rows(raw: BinaryIO) -> Iterator[Record]:
    import openpyxl

    sheet = openpyxl.load_workbook(raw, read_only=True, data_only=True).worksheets[0]
    sheet.reset_dimensions()  # else each row is filled up as far as a stray cell to the right
    width = 0
    for row, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
        texts = ["" if cell is None else str(cell) for cell in cells]
        if any(map(str.strip, texts)):
            width = width or len(texts)
            texts += [""] * (width - len(texts))
            yield Record(row, dict(enumerate(texts, start=1)))


def _records(rows: Iterator[Record], name: str, *, extra: str, cure: str) -> Iterator[Record]:
    try:
        yield from rows
    except ImportError:
        raise InputError(f"{name}: its format needs another package: {how_to_install(extra)}") from None
    except (MemoryError, S2SError):
        raise
    except Exception as error:  # a damaged file may lead to any
        reason = str(error).split("\n", maxsplit=1)[0].rstrip(".")
        raise PairFileError(f"{name}: damaged: {one_line(reason)}: {cure}") from None
