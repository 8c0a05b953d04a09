"""Spreadsheets as Excel saves them (.xlsx); needs openpyxl."""

import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from seq2seq_cli.errors import InputError, PairFileError, how_to_install
from seq2seq_cli.pairs.archives import open_archive, open_file
from seq2seq_cli.pairs.formats.records import OpenRecords, Record
from seq2seq_cli.pairs.local_files import LocalFile

_WORKBOOK = "xl/workbook.xml"
_MOST_BYTES = 300_000_000
"""Bytes of an unpacked spreadsheet, whose texts are held in memory."""
_CSV = "save it as CSV (UTF-8), and give that file"


def is_workbook(archive: zipfile.ZipFile) -> bool:
    """Whether a zip archive is a spreadsheet of Excel's."""
    return _WORKBOOK in archive.namelist()


@dataclass(frozen=True, kw_only=True)
class Spreadsheet:
    """Reads the rows of the first sheet."""

    kind = "the first sheet of a spreadsheet"

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
                records=_records(lambda: openpyxl.load_workbook(raw, read_only=True, data_only=True), file.name),
                position=lambda: file.size,
            )


def _records(open_: Callable[[], Any], name: str) -> Iterator[Record]:
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
