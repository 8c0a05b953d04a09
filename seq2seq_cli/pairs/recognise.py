"""The format of pair files, told by their content, and what the user should know of it.

A format is told by the first bytes, a table by its first rows. Files whose lines have no columns are aligned files, two
by two. A file that cannot be read is taken as one of lines: its fault is told when it is read.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple, TypeVar

from seq2seq_cli.errors import PairFileError, one_line
from seq2seq_cli.pairs.archives import is_zip, open_archive, open_file, open_text
from seq2seq_cli.pairs.columns import Choice, choose_columns, read_columns
from seq2seq_cli.pairs.formats.delimited import TAB_LINES, find_table
from seq2seq_cli.pairs.formats.json_records import JsonRecords, is_json
from seq2seq_cli.pairs.formats.parquet import MAGIC, Parquet
from seq2seq_cli.pairs.formats.records import Reader, Record
from seq2seq_cli.pairs.formats.spreadsheet import Spreadsheet, is_workbook
from seq2seq_cli.pairs.formats.tmx import Tmx, is_xml
from seq2seq_cli.pairs.languages import Codes
from seq2seq_cli.pairs.lines import check_encoding, decoded
from seq2seq_cli.pairs.local_files import LocalFile
from seq2seq_cli.pairs.pair_files import PairFile, Table, read_blocks

K = TypeVar("K")

_CHARACTERS = 64_000
_RECORDS = 1000
"""Records by which columns and languages are told."""


@dataclass(frozen=True, kw_only=True)
class Recognised:
    """A pair file with its format."""

    pair_file: PairFile
    languages: Codes | None = None
    """The languages that the columns' names state."""
    notice: str = ""
    """What the user should know of the way in which it is read; empty where it is a line with a tab per pair."""
    sample: Sequence[tuple[str, str]] = ()
    """Its first pairs."""


def recognise(
    given: Mapping[K, Sequence[PairFile]], *, encoding: str, columns: str | None, languages: Codes | None
) -> dict[K, list[Recognised]]:
    """The pair files with their formats.

    `columns` are two columns by name or number (``en,de``), `languages` those that are preferred where no columns are
    asked for; by default, those of the first file whose columns state them.

    Raises UsageError when a file lacks these columns or has several that may be meant, PairFileError when a file of
    lines without columns has no second one, InputError when a package is missing, ConfigError for an unknown encoding
    and for columns that are not two.
    """
    encoding = check_encoding(encoding)
    asked = read_columns(columns) if columns else None
    preferred = languages

    def each(pair_files: Sequence[PairFile]) -> Iterator[Recognised | _Lines]:
        nonlocal preferred
        for pair_file in pair_files:
            found = _recognise(pair_file, encoding, asked, preferred)
            if isinstance(found, Recognised):
                preferred = preferred or found.languages
            yield found

    return {
        key: [replace(found, sample=_sample(found.pair_file, encoding)) for found in _aligned(each(pair_files))]
        for key, pair_files in given.items()
    }


class _Lines(NamedTuple):
    """A file of lines in which no columns are seen."""

    file: LocalFile
    is_text: bool
    """Whether there are lines of text; else the file's fault is told when it is read."""


def _aligned(found: Iterator[Recognised | _Lines]) -> Iterator[Recognised]:
    """The pair files, of which two without columns are aligned files."""
    for each in found:
        if isinstance(each, Recognised):
            yield each
            continue
        other = next(found, None)
        if isinstance(other, _Lines):
            files = each.file, other.file
            notice = f"{files[0].name} and {files[1].name}: taken as two columns, line by line"
            yield Recognised(pair_file=PairFile(files=files), notice=notice)
        elif each.is_text:
            raise PairFileError(
                f"{each.file.name}:1: one column only: separate source and target by a tab, put cells that hold the"
                " separator in quotation marks, or give the file of the translations behind this one"
            )
        else:
            yield from (Recognised(pair_file=PairFile(files=(each.file,))), *filter(None, [other]))


def _recognise(
    pair_file: PairFile, encoding: str, asked: tuple[str, str] | None, languages: Codes | None
) -> Recognised | _Lines:
    if len(pair_file.files) > 1:
        return Recognised(pair_file=pair_file)
    [file] = pair_file.files
    try:
        reader = _find_reader(file, encoding)
    except PairFileError:
        return _Lines(file, is_text=False)
    if isinstance(reader, _Lines):
        return reader
    records = _first_records(reader, file, encoding)
    choice = choose_columns(records, asked=asked, languages=languages, is_open=reader == TAB_LINES, file=file.name)
    if isinstance(reader, Tmx):
        reader = replace(reader, columns=choice.columns)
    is_plain = choice.columns == (1, 2) and reader == TAB_LINES
    return Recognised(
        pair_file=replace(
            pair_file,
            table=None if is_plain else Table(reader=reader, columns=choice.columns),
            has_header=choice.has_header,
        ),
        languages=choice.languages,
        notice="" if is_plain and not choice.has_header else _notice(file, reader, choice, records[0].line),
    )


def _notice(file: LocalFile, reader: Reader, choice: Choice, line: int) -> str:
    columns = one_line(" and ".join(map(str, choice.names or choice.columns)))
    header = f"; line {line} names them, and is no pair" if choice.has_header else ""
    if choice.names is None:
        header = f"; line {line} is taken as a pair"
    return f"{file.name}: {reader.kind}; its columns {columns} are taken{header}"


def _find_reader(file: LocalFile, encoding: str) -> Reader | _Lines:
    """The reader of a file's format; raises PairFileError when the file cannot be read."""
    with open_file(file.path, file.name) as raw:
        begin = raw.read(len(MAGIC))
        if begin == MAGIC:
            return Parquet()
        if is_zip(begin):
            with open_archive(raw, file.name) as archive:
                if is_workbook(archive):
                    return Spreadsheet()
    head, is_text = _head(file, encoding)
    if is_xml(head):
        return Tmx()
    if is_json(head):
        return JsonRecords()
    return find_table(head) or _Lines(file, is_text=is_text and head.strip() != "")


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
