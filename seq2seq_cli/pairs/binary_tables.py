"""Tables that are no text: Parquet, as data sets are published in, and .xlsx, as Excel saves them.

Each needs a package that is an extra.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from itertools import chain
from typing import Any, BinaryIO

from seq2seq_cli.errors import InputError, PairFileError, S2SError, how_to_install, one_line
from seq2seq_cli.pairs.archives import open_archive
from seq2seq_cli.pairs.json_records import cells_of
from seq2seq_cli.pairs.pair_files import Reader, Record

PARQUET_MAGIC = b"PAR1"
"""The first bytes of a Parquet file."""
WORKBOOK = "xl/workbook.xml"
"""A member that of all zip archives only the spreadsheets of Excel have."""
_ROWS = 1000
"""Rows that are decoded at a time."""
_MOST_BYTES = 300_000_000
"""Bytes of an unpacked spreadsheet, whose texts are held in memory."""
_CSV = "save it as CSV (UTF-8), and give that file"


@contextmanager
def _readable(name: str, *, extra: str, cure: str) -> Iterator[None]:
    """Raise InputError where the block lacks the package of an extra, and PairFileError where a file is damaged."""
    try:
        yield
    except ImportError:
        raise InputError(f"{name}: its format needs another package: {how_to_install(extra)}") from None
    except (MemoryError, S2SError):
        raise
    except Exception as error:  # a damaged file may lead to any
        reason = str(error).split("\n", maxsplit=1)[0].rstrip(".")
        raise PairFileError(f"{name}: damaged: {one_line(reason)}: {cure}") from None


def _parquet(file: BinaryIO, name: str, _encoding: str) -> Iterator[Record]:
    """The columns of text; a record's line is the number of its row."""
    with _readable(name, extra="parquet", cure="get it again"):
        from pyarrow import parquet

        opened = parquet.ParquetFile(file)
        columns = [opened.schema.column(number) for number in range(len(opened.schema.names))]
        texts = [each.path for each in columns if each.logical_type.type == "STRING" and not each.max_repetition_level]
        batches = opened.iter_batches(batch_size=_ROWS, columns=texts, use_threads=False)
        values: Iterator[Any] = chain.from_iterable(batch.to_pylist() for batch in batches)
        yield from (Record(row, cells_of(value)) for row, value in enumerate(values, start=1))


def _first_sheet(file: BinaryIO, name: str, _encoding: str) -> Iterator[Record]:
    with open_archive(file, name) as archive:
        if sum(member.file_size for member in archive.infolist()) > _MOST_BYTES:
            raise PairFileError(f"{name}: a spreadsheet too large to be read: {_CSV}")
    with _readable(name, extra="xlsx", cure=f"save it again, or {_CSV}"):
        import openpyxl

        file.seek(0)
        content = BytesIO(file.read())  # the library goes to and fro in it: the progress has all of it as read
        sheet = openpyxl.load_workbook(content, read_only=True, data_only=True).worksheets[0]
        sheet.reset_dimensions()  # else each row is filled up as far as a stray cell to the right
        width = 0
        for row, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
            texts = ["" if cell is None else str(cell) for cell in cells]
            if any(map(str.strip, texts)):
                width = width or len(texts)
                texts += [""] * (width - len(texts))
                yield Record(row, dict(enumerate(texts, start=1)))


PARQUET = Reader("Parquet", _parquet)
SPREADSHEET = Reader("the first sheet of a spreadsheet", _first_sheet)
