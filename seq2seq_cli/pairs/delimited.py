"""Tables of text: CSV and TSV, with or without quotation marks."""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from seq2seq_cli.errors import PairFileError
from seq2seq_cli.pairs.archives import LocalFile, open_text
from seq2seq_cli.pairs.lines import LONGEST_LINE, Lines, decoded
from seq2seq_cli.pairs.pair_files import OpenRecords, PlaceUnit, Record

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


@dataclass(frozen=True, kw_only=True)
class Delimited:
    """Reads rows of cells."""

    separator: str
    quoted: bool
    """Whether a cell may stand in quotation marks, with its own ones doubled; it may then hold line ends."""
    width: int | None = None
    """Most columns of a row; None: any number of them."""
    unit: PlaceUnit = "line"

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
        for number, line, is_overlong in lines.numbered(_LINES):
            cells = line.split(self.separator) if line else []
            yield Record(number, dict(enumerate(cells, start=1)), is_overlong)

    def _rows(self, lines: Lines) -> Iterator[Record]:
        """The rows, whose cells may hold line ends; a line that is too long may be a part of several of them."""
        line = 1
        rows = _reader(_ended(lines), self.separator, quoted=True)
        try:
            for cells in rows:
                fits = self.width is None or not any(cells[self.width :])
                yield Record(line, dict(enumerate(cells, start=1)) if fits else {1: self.separator.join(cells)})
                line = 1 + rows.line_num
        except csv.Error:
            raise PairFileError(f"{lines.name}:{line}: {_NOT_CLOSED}") from None


TAB_LINES = Delimited(separator=TAB, quoted=False)


def _ended(lines: Lines) -> Iterator[str]:
    """Each line with LF at its end; raises PairFileError at one that is too long."""
    for number, line, is_overlong in lines.numbered(_LINES):
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
    used = [line for line in lines if line.strip()]
    with_tab = sum(TAB in line for line in used)
    if with_tab and 2 * with_tab >= len(used):
        return Delimited(separator=TAB, quoted=_is_quoted(lines))
    fits = [(fit, width, each) for each in _SEPARATORS for fit, width in [_fit(lines, each)] if fit >= _USUAL]
    if fits:
        # Of two that fit alike, the one of more columns: the others are commas of decimals, 0,53;Cat.;Katze.
        _, width, separator = max(fits)
        return Delimited(separator=separator, quoted=True, width=width)
    return TAB_LINES if with_tab > _FEW_TABS * len(used) else None


def _fit(lines: Sequence[str], separator: str) -> tuple[float, int]:
    """The fraction of the rows that have the usual number of columns, 0 where the separator is of sentences; and it."""
    ended = [line + "\n" for line in lines]
    cells = [cell for row in csv.reader(ended, delimiter=separator) for cell in row[1:]]
    tight = sum(not cell.startswith(" ") or cell.startswith(' "') for cell in cells)
    rows = _reader(ended, separator, quoted=True, strict=False)
    widths = Counter(len(row) for row in rows if any(row))
    [(width, count)] = widths.most_common(1) or [(0, 0)]
    return (count / widths.total() if width > 1 and tight > _TIGHT * len(cells) else 0.0), width


def _is_quoted(lines: Sequence[str]) -> bool:
    """Whether the quotation marks of lines with tabs belong to a table, not to the sentences."""
    raw = [cell for cells in _reader(lines, TAB, quoted=False) for cell in cells]
    quoted = [_is_quoted_cell(cell) for cell in raw]
    if sum(quoted) >= _NEARLY_ALL * len(quoted):
        return True
    with_comma = [cell for cell in raw if "," in cell]
    are_quoted = len(with_comma) >= _SEVERAL and all(cell[0] == cell[-1] == '"' for cell in with_comma)
    doubled = any(cell.startswith('"') and '""' in cell[1:-1] for cell in raw)
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
