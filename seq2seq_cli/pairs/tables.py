"""Tables: CSV and TSV, with or without quotation marks; Parquet and Excel's .xlsx, for which an extra has packages."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from itertools import chain
from typing import Any, BinaryIO

from seq2seq_cli.errors import InputError, PairFileError, S2SError, how_to_install, one_line
from seq2seq_cli.pairs.archives import open_archive
from seq2seq_cli.pairs.json_records import cells_of
from seq2seq_cli.pairs.pair_files import Reader, Record
from seq2seq_cli.pairs.text_lines import LONGEST_LINE, lines_of

_SEPARATORS = (",", ";", "|")
_LINES = 1000
"""Lines by which a table is recognised."""
_USUAL = 0.5
"""Fraction of the rows that have the same number of columns, from which on a text is a table."""
_TIGHT = 0.5
"""Fraction of the cells that begin without a space, above which commas separate cells, not parts of sentences."""
_NEARLY_ALL = 0.9
_FEW_TABS = 0.05
"""Fraction of the lines with a tab, up to which the tabs are strays in sentences."""
_SEVERAL = 4
"""Cells in quotation marks from which on a program may have written these."""
_KIND = "a table with {} between its columns"
PARQUET_MAGIC = b"PAR1"
"""The first bytes of a Parquet file."""
WORKBOOK = "xl/workbook.xml"
"""A member that of all zip archives only the spreadsheets of Excel have."""
_ROWS = 1000
"""Rows that are decoded at a time."""
_MOST_BYTES = 300_000_000
"""Bytes of an unpacked spreadsheet, whose texts are held in memory."""
_CSV = "save it as CSV (UTF-8), and give that file"


def _tab_rows(file: BinaryIO, name: str, encoding: str) -> Iterator[Record]:
    for number, line in enumerate(lines_of(file, name, encoding), start=1):
        cells = line.split("\t") if line else []
        yield Record(number, dict(enumerate(cells, start=1)), is_overlong=line is None)


TAB_LINES = Reader(_KIND.format("tabs"), _tab_rows)


def _quoted_rows(
    file: BinaryIO, name: str, encoding: str, *, separator: str, width: int | None = None
) -> Iterator[Record]:
    """The rows, of at most `width` columns, of cells in quotation marks where they hold a separator or line ends."""
    line = 1
    closed = re.compile(rf'(?<=")[ ]+(?={re.escape(separator)}|$)', re.MULTILINE)
    # A space behind the closing mark of a cell belongs to no cell, as one before its opening mark.
    ended = (closed.sub("", row) for row in _ended(lines_of(file, name, encoding), name))
    rows = csv.reader(ended, delimiter=separator, strict=True, skipinitialspace=True)
    try:
        for cells in rows:
            fits = width is None or not any(cells[width:])
            yield Record(line, dict(enumerate(cells if fits else [separator.join(cells)], start=1)))
            line = 1 + rows.line_num
    except csv.Error:
        advice = 'close it, and write each mark inside it twice ("")'
        raise PairFileError(f"{name}:{line}: a cell in quotation marks does not end with one: {advice}") from None


def _ended(lines: Iterator[str | None], name: str) -> Iterator[str]:
    """Each line with LF at its end; raises PairFileError for one that is too long: it may be a part of several rows."""
    for number, line in enumerate(lines, start=1):
        if line is None:
            raise PairFileError(
                f"{name}:{number}: the line has more than {LONGEST_LINE:,} characters: shorten or delete it"
            )
        yield f"{line}\n"


def find_table(head: str) -> Reader | None:
    """The table whose first lines a text has; None where there are no columns."""
    lines = head.split("\n")[:_LINES]
    used = [line for line in lines if line.strip()]
    with_tab = sum("\t" in line for line in used)
    if with_tab and 2 * with_tab >= len(used):
        return Reader(TAB_LINES.kind, partial(_quoted_rows, separator="\t")) if _is_quoted(lines) else TAB_LINES
    fits = [(fit, width, each) for each in _SEPARATORS for fit, width in [_fit(lines, each)] if fit >= _USUAL]
    if fits:
        # Of two that fit alike, the one of more columns: the others are commas of decimals, 0,53;Cat.;Katze.
        _, width, separator = max(fits)
        return Reader(_KIND.format(f"'{separator}'"), partial(_quoted_rows, separator=separator, width=width))
    return TAB_LINES if with_tab > _FEW_TABS * len(used) else None


def _fit(lines: Sequence[str], separator: str) -> tuple[float, int]:
    """The fraction of the rows that have the usual number of columns, 0 where the separator is of sentences; and it."""
    ended = [line + "\n" for line in lines]
    cells = [cell for row in csv.reader(ended, delimiter=separator) for cell in row[1:]]
    tight = sum(not cell.startswith(" ") or cell.startswith(' "') for cell in cells)
    rows = csv.reader(ended, delimiter=separator, skipinitialspace=True)
    widths = Counter(len(row) for row in rows if any(row))
    [(width, count)] = widths.most_common(1) or [(0, 0)]
    return (count / widths.total() if width > 1 and tight > _TIGHT * len(cells) else 0.0), width


def _is_quoted(lines: Sequence[str]) -> bool:
    """Whether the quotation marks of lines with tabs belong to a table, not to the sentences."""
    cells = [cell for line in lines for cell in line.split("\t")]
    marked = [cell for cell in cells if '"' in cell]
    if sum(map(_is_quoted_cell, marked)) < _NEARLY_ALL * len(marked):
        return False
    # A program doubles the marks of the sentences, or puts cells with a comma in marks.
    with_comma = (cell for cell in cells if "," in cell)
    is_written = len(marked) >= _SEVERAL and all(map(_is_quoted_cell, with_comma))
    return is_written or any('""' in cell[1:-1] for cell in marked)


def _is_quoted_cell(cell: str) -> bool:
    """Whether a cell begins with a quotation mark that no other one closes before its end: not ``"Hi," he said.``."""
    inside = cell[1:].replace('""', "")
    return cell.startswith('"') and inside.find('"') in (-1, len(inside) - 1)


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
