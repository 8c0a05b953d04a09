"""Tables of text: CSV and TSV, with or without quotation marks."""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from seq2seq_cli.errors import PairFileError
from seq2seq_cli.pairs.archives import open_text
from seq2seq_cli.pairs.formats.records import OpenRecords, Record
from seq2seq_cli.pairs.lines import LONGEST_LINE, Lines, decoded
from seq2seq_cli.pairs.local_files import LocalFile

if TYPE_CHECKING:
    from _csv import Reader as Rows

TAB = "\t"
_SEPARATORS = (",", ";", "|")
_LINES = 1000
"""Lines by which a table is recognised, and lines that are taken at a time."""
_USUAL = 0.5
"""Fraction of the rows that have the same number of columns, from which on a text is a table."""
_TIGHT = 0.5
"""Fraction of the cells that begin without a space, above which commas separate cells, not parts of sentences."""
_NEARLY_ALL = 0.9
_FEW_TABS = 0.05
"""Fraction of the lines with a tab, up to which the tabs are strays in sentences."""
_SEVERAL = 5
"""Cells with a comma, all of them in quotation marks, from which on a spreadsheet has written these."""
_NOT_CLOSED = 'a cell in quotation marks does not end with one: close it, and write each mark inside it twice ("")'
_SEPARATOR_LINE = "sep="
"""Begins a first line in which a spreadsheet names the separator."""


@dataclass(frozen=True, kw_only=True)
class Delimited:
    """Reads rows of cells."""

    separator: str
    quoted: bool
    """Whether a cell may stand in quotation marks, with its own ones doubled; it may then hold line ends."""
    width: int | None = None
    """Most columns of a row; None: any number of them."""
    skipped: int = 0
    """Lines before the first row."""

    @property
    def kind(self) -> str:
        """The name in messages."""
        named = "tabs" if self.separator == TAB else f"'{self.separator}'"
        return f"a table with {named} between its columns"

    @contextmanager
    def open(self, file: LocalFile, encoding: str) -> Iterator[OpenRecords]:
        """Open a file."""
        with open_text(file.path, file.name) as text:
            lines = Lines(decoded(text.pieces, name=file.name, encoding=encoding), name=file.name)
            yield OpenRecords(records=self._rows(lines) if self.quoted else self._lines(lines), position=text.position)

    def _lines(self, lines: Lines) -> Iterator[Record]:
        """A record for each line."""
        for number, line, is_overlong in _numbered(lines):
            cells = line.split(self.separator) if line else []
            yield Record(number, dict(enumerate(cells, start=1)), is_overlong)

    def _rows(self, lines: Lines) -> Iterator[Record]:
        """The rows, whose cells may hold line ends; a line that is too long may be a part of several of them."""
        for _ in range(self.skipped):
            lines.take(lines.ready(1))
        line = first = self.skipped + 1
        rows = _reader(_ended(lines), self.separator, quoted=True)
        try:
            for cells in rows:
                fits = self.width is None or not any(cells[self.width :])
                yield Record(line, dict(enumerate(cells, start=1)) if fits else {1: self.separator.join(cells)})
                line = first + rows.line_num
        except csv.Error:
            raise PairFileError(f"{lines.name}:{line}: {_NOT_CLOSED}") from None


TAB_LINES = Delimited(separator=TAB, quoted=False)


def _numbered(lines: Lines) -> Iterator[tuple[int, str, bool]]:
    """Each line with its number, and whether it was too long to be kept."""
    while count := lines.ready(_LINES):
        first = lines.taken + 1
        text, overlong = lines.take(count)
        for number, line in enumerate(text.split("\n"), start=first):
            yield number, line, number in overlong


def _ended(lines: Lines) -> Iterator[str]:
    """Each line with LF at its end; raises PairFileError at one that is too long."""
    for number, line, is_overlong in _numbered(lines):
        if is_overlong:
            raise PairFileError(
                f"{lines.name}:{number}: the line has more than {LONGEST_LINE:,} characters: shorten or delete it"
            )
        yield line + "\n"


def _reader(lines: Iterable[str], separator: str, *, quoted: bool, strict: bool = True) -> "Rows":
    return csv.reader(
        lines,
        delimiter=separator,
        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
        strict=strict,
        skipinitialspace=quoted,
    )


def find_table(head: str) -> Delimited | None:
    """The table whose first lines a text has; None where there are no columns."""
    lines = head.split("\n")[:_LINES]
    if lines[0].startswith(_SEPARATOR_LINE) and len(lines[0]) == len(_SEPARATOR_LINE) + 1:
        return _table(lines[1:], lines[0][-1], skipped=1)
    used = [line for line in lines if line.strip()]
    with_tab = sum(TAB in line for line in used)
    if with_tab and 2 * with_tab >= len(used):
        return replace(TAB_LINES, quoted=_is_quoted(lines))
    fits = {separator: fit for separator in _SEPARATORS if (fit := _fit(lines, separator)) >= _USUAL}
    if fits:
        # Of two that fit alike, the one of more columns: the others are commas of decimals, 0,53;Cat.;Katze.
        return max((_table(lines, each) for each in fits), key=lambda table: (fits[table.separator], table.width or 0))
    return TAB_LINES if with_tab > _FEW_TABS * len(used) else None


def _table(lines: Sequence[str], separator: str, *, skipped: int = 0) -> Delimited:
    widths = _widths(lines, separator).most_common(1)
    return Delimited(separator=separator, quoted=True, width=widths[0][0] if widths else None, skipped=skipped)


def _widths(lines: Sequence[str], separator: str) -> Counter[int]:
    """The number of rows with each number of columns."""
    rows = _reader((line + "\n" for line in lines), separator, quoted=True, strict=False)
    return Counter(len(cells) for cells in rows if any(cells))


def _fit(lines: Sequence[str], separator: str) -> float:
    """The fraction of the rows that have the usual number of columns; 0 where the separator is of sentences."""
    rows = csv.reader((line + "\n" for line in lines), delimiter=separator)
    cells = [cell for row in rows for cell in row[1:]]
    tight = sum(not cell.startswith(" ") or cell.startswith(' "') for cell in cells)
    widths = _widths(lines, separator)
    [(width, count)] = widths.most_common(1) or [(0, 0)]
    return count / widths.total() if width > 1 and tight > _TIGHT * len(cells) else 0.0


def _is_quoted(lines: Sequence[str]) -> bool:
    """Whether the quotation marks of lines with tabs are those of a table, and not of the sentences."""
    raw = [cells for cells in _reader(lines, TAB, quoted=False) if cells]
    quoted = [_is_quoted_cell(cell) for cells in raw for cell in cells]
    if sum(quoted) >= _NEARLY_ALL * len(quoted):
        return True
    with_comma = [cell for cells in raw for cell in cells if "," in cell]
    are_quoted = len(with_comma) >= _SEVERAL and all(cell[0] == cell[-1] == '"' for cell in with_comma)
    doubled = any(cell.startswith('"') and '""' in cell[1:-1] for cells in raw for cell in cells)
    rows = _reader((line + "\n" for line in lines), TAB, quoted=True)
    broken, done = False, 0
    try:
        for cells in rows:
            broken |= any("\n" in cell for cell in cells)
            if len(cells) == 1:
                return False
            done = rows.line_num
    except csv.Error:  # the sample may end inside a cell
        if done < _NEARLY_ALL * len(lines):
            return False
    return doubled or broken or are_quoted


def _is_quoted_cell(cell: str) -> bool:
    """Whether a cell begins with a quotation mark that no other one closes before its end: not ``"Hi," he said.``."""
    inside = cell[1:].replace('""', "")
    return cell.startswith('"') and inside.find('"') in (-1, len(inside) - 1)
