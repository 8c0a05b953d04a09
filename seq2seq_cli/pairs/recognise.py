"""The format of pair files, recognised by their content, and what the user should know of it.

The first bytes show the format, the first rows of a table its columns. Files whose lines have no columns are aligned
files, two by two. A file that cannot be read is taken as one of lines: its fault is reported when it is read.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple, TypeVar

from seq2seq_cli.errors import PairFileError, UsageError, one_line
from seq2seq_cli.pairs.archives import LocalFile, is_zip, open_archive, open_file, open_text
from seq2seq_cli.pairs.binary_tables import PARQUET, Parquet, Spreadsheet, is_workbook
from seq2seq_cli.pairs.columns import Choice, choose_columns, read_columns
from seq2seq_cli.pairs.delimited import TAB_LINES, find_table
from seq2seq_cli.pairs.json_records import find_json
from seq2seq_cli.pairs.lines import check_encoding, decoded
from seq2seq_cli.pairs.pair_files import Column, PairFile, Reader, Record, Table, read_blocks
from seq2seq_cli.pairs.stated_languages import Codes, Statement, guess_languages, reversed_codes
from seq2seq_cli.pairs.tmx import Tmx, is_xml
from seq2seq_cli.text.spacy_tokenizers import ANY_LANGUAGE

K = TypeVar("K")

_CHARACTERS = 64_000
_RECORDS = 1000
"""Records read to recognise columns and languages."""


@dataclass(frozen=True, kw_only=True)
class Recognised:
    """A pair file with its format."""

    pair_file: PairFile
    languages: Codes | None = None
    """The languages that the columns' names state."""
    is_reversed: bool = False
    """Whether the columns stand in the other order in the file, as its name may state them."""
    notice: str = ""
    """What the user should know of the way in which it is read; empty where it is a line with a tab per pair."""
    sample: Sequence[tuple[str, str]] = ()
    """Its first pairs."""

    @property
    def statement(self) -> Statement | None:
        """The languages of the columns, from their names or else from the names of the files; None if none has them.

        The names of the files count, too, where only one column is named after a language.
        """
        named = guess_languages([file.name for file in self.pair_file.files])
        if named and self.is_reversed:
            named = reversed_codes(named)
        if self.languages and (ANY_LANGUAGE not in self.languages or not named):
            return Statement(self.languages, "columns")
        return Statement(named, "name") if named else None


def recognise(
    given: Mapping[K, Sequence[PairFile]], *, encoding: str, columns: str | None, languages: Codes | None
) -> dict[K, list[Recognised]]:
    """The pair files with their formats.

    `columns` are two columns by name or number (``en,de``), `languages` those that are preferred where no columns are
    asked for; by default, the languages of the first file whose columns or name state them.

    Raises UsageError when a file lacks these columns or has several that may be meant, and when no file has columns,
    PairFileError when a file of lines without columns has no second one, InputError when a package is missing,
    ConfigError for an unknown encoding and for columns that are not two.
    """
    encoding = check_encoding(encoding)
    asked = read_columns(columns) if columns is not None else None
    recogniser = _Recogniser(encoding, asked, languages)
    found = {key: list(recogniser.recognise(pair_files)) for key, pair_files in given.items()}
    files = [each.pair_file for of_key in found.values() for each in of_key]
    if asked and all(len(file.files) > 1 for file in files):
        raise UsageError(
            f"--columns {columns}: {files[0].name} are aligned files, without columns: give them in the other order, or"
            " leave out --columns"
        )
    return {
        key: [replace(each, sample=_sample(each.pair_file, encoding)) for each in of_key]
        for key, of_key in found.items()
    }


def find_disagreements(files: Iterable[Recognised], taken: Codes, *, are_given: bool) -> Iterator[str]:
    """A sentence for each file that states other languages than those `taken`, or the same in the other order.

    `are_given`: an option, the config or a model states the languages, which may correct the languages of a file.
    """
    for each in files:
        # The name of one column may contradict the name of the file, which is the statement then.
        said = [codes for codes in (each.statement and each.statement.codes, each.languages) if codes]
        cures = ((codes, cure) for codes in said if (cure := _cure(codes, taken, are_given=are_given)))
        for codes, cure in islice(cures, 1):
            says = f"says that its columns are {'-'.join(codes)}; they are taken as {'-'.join(taken)}"
            yield f"{each.pair_file.name}: {says}: {cure}"


def _cure(stated: Codes, taken: Codes, *, are_given: bool) -> str:
    """The cure for a disagreement; empty where there is none."""
    if stated == reversed_codes(taken) != taken:
        return "give its columns or files in the order of the others, or use --swap for the other direction of all"
    differs = any(one not in (ANY_LANGUAGE, other) for one, other in zip(stated, taken, strict=True))
    return "see --languages, or prepare each pair of languages by itself" if differs and not are_given else ""


class _Lines(NamedTuple):
    """A file of lines in which no columns are seen."""

    file: LocalFile
    is_text: bool
    """Whether there are lines of text; else the file's fault is reported when it is read."""


@dataclass
class _Recogniser:
    """Recognises files one after the other."""

    encoding: str
    asked: tuple[str, str] | None
    languages: Codes | None
    """Those that are preferred, in the order of the columns."""

    def recognise(self, pair_files: Iterable[PairFile]) -> Iterator[Recognised]:
        """The pair files, of which two without columns are aligned files."""
        waiting = iter(pair_files)
        for pair_file in waiting:
            found = self._recognise(pair_file)
            if isinstance(found, _Lines):
                other = next(waiting, None)
                yield from self._aligned(found, self._recognise(other) if other else None)
            else:
                yield self._remember_languages(found)

    def _aligned(self, first: "_Lines", other: "Recognised | _Lines | None") -> Iterator[Recognised]:
        """A file without columns, and the one behind it."""
        if isinstance(other, _Lines):
            files = first.file, other.file
            named = guess_languages([file.name for file in files])
            if self.languages and named == reversed_codes(self.languages):
                files = files[::-1]
            notice = f"{files[0].name} and {files[1].name}: taken as two columns, line by line"
            yield self._remember_languages(Recognised(pair_file=PairFile(files=files), notice=notice))
        elif first.is_text:
            raise PairFileError(
                f"{first.file.name}:1: one column only: separate source and target by a tab, put cells that hold the"
                " separator in quotation marks, or give the file of the translations behind this one"
            )
        else:
            yield Recognised(pair_file=PairFile(files=(first.file,)))
            if other is not None:
                yield self._remember_languages(other)

    def _remember_languages(self, found: Recognised) -> Recognised:
        """The same; its languages are preferred from now on where no others are."""
        if found.statement and not self.languages:
            self.languages = found.statement.codes
        return found

    def _recognise(self, pair_file: PairFile) -> "Recognised | _Lines":
        if len(pair_file.files) > 1:
            return Recognised(pair_file=pair_file)
        [file] = pair_file.files
        try:
            reader = _find_reader(file, self.encoding)
        except PairFileError:
            return _Lines(file, is_text=False)
        if isinstance(reader, _Lines):
            return reader
        records = _first_records(reader, file, self.encoding)
        before = _rows_before(records)
        choice = choose_columns(
            records[before:],
            asked=self.asked,
            languages=self.languages,
            is_open=reader == TAB_LINES,
            kind=reader.kind,
            file=file.name,
        )
        is_plain = choice.columns == (1, 2) and reader == TAB_LINES
        notice = _columns_notice(reader, choice, records[before].line)
        return Recognised(
            pair_file=replace(
                pair_file,
                table=None if is_plain else Table(reader=reader, columns=choice.columns),
                skipped=before + 1 if choice.has_header else 0,
            ),
            languages=choice.languages,
            is_reversed=_place(choice.columns[0]) > _place(choice.columns[1]),
            notice=f"{file.name}: {notice}" if choice.has_header or not is_plain else "",
        )


def _rows_before(records: Sequence[Record]) -> int:
    """The number of blank rows and titles before the first row that has two cells; 0 where none has."""
    filled = (sum(cell.strip() != "" for cell in record.cells.values()) for record in records)
    return next((place for place, cells in enumerate(filled) if cells > 1), 0)


def _place(column: Column) -> int:
    """The number of a column; 0 for a key of JSON, which has no place."""
    return column if isinstance(column, int) else 0


def _columns_notice(reader: Reader, choice: Choice, first: int) -> str:
    """The notice of the columns that are taken; `first` is the number of the first line or record."""
    columns = one_line(" and ".join(map(str, choice.names or choice.columns)))
    header = f"; {reader.unit} {first} is a header" if choice.has_header else ""
    if choice.names is None:
        header = f"; {reader.unit} {first} is taken as a pair"
    return f"{reader.kind}; its columns {columns} are taken{header}"


def _find_reader(file: LocalFile, encoding: str) -> Reader | _Lines:
    """The reader of a file's format; raises PairFileError when the file cannot be read."""
    with open_file(file.path, file.name) as raw:
        begin = raw.read(len(PARQUET))
        if begin == PARQUET:
            return Parquet()
        if is_zip(begin):
            with open_archive(raw, file.name) as archive:
                if is_workbook(archive):
                    return Spreadsheet()
    head, is_text = _head(file, encoding)
    if is_xml(head):
        return Tmx()
    return find_json(head) or find_table(head) or _Lines(file, is_text=is_text and head.strip() != "")


def _head(file: LocalFile, encoding: str) -> tuple[str, bool]:
    """The first whole lines of a file, and whether they are; else what there is of a text."""
    head = ""
    with open_text(file.path, file.name) as text, suppress(PairFileError):
        for part in decoded(text.pieces, name=file.name, encoding=encoding):
            head += part
            if len(head) >= _CHARACTERS:
                lines, newline, _ = head[:_CHARACTERS].rpartition("\n")
                return lines or head[:_CHARACTERS], bool(newline)
        return head, True
    return head, False


def _first_records(reader: Reader, file: LocalFile, encoding: str) -> list[Record]:
    """As many as can be read; raises PairFileError when there is none."""
    records: list[Record] = []
    characters = 0
    with reader.open(file, encoding) as opened:
        try:
            for record in islice(opened.records, _RECORDS):
                records.append(record)
                characters += sum(map(len, record.cells.values()))
                if characters > _CHARACTERS:
                    break
        except PairFileError:
            if not records:
                raise
    if not records:
        raise PairFileError(f"{file.name}: no sentence pair in it: {reader.kind} without a record")
    return records


def _sample(pair_file: PairFile, encoding: str) -> list[tuple[str, str]]:
    with suppress(PairFileError):
        for block in read_blocks(pair_file, encoding=encoding, limit=_RECORDS, block_lines=_RECORDS):
            return [(first, second) for first, second, *_ in block.rows()]
    return []
