"""The format of pair files, recognised by their content.

The first bytes show the format, the first rows of a table its columns. Files whose lines have no columns are aligned
files, two by two.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from seq2seq_cli.errors import PairFileError, UsageError, one_line
from seq2seq_cli.pairs.archives import ZIP_MAGIC, LocalFile, open_archive, open_file, read_text
from seq2seq_cli.pairs.columns import choose_columns, languages_of_names, read_columns
from seq2seq_cli.pairs.json_records import find_json
from seq2seq_cli.pairs.marked_lines import find_marked
from seq2seq_cli.pairs.pair_files import ONE_PER_LINE, KeyedTexts, PairFile, Reader
from seq2seq_cli.pairs.stated_languages import Codes
from seq2seq_cli.pairs.tables import PARQUET, PARQUET_MAGIC, SPREADSHEET, TAB_LINES, WORKBOOK, find_table
from seq2seq_cli.pairs.text_lines import check_encoding, decoded
from seq2seq_cli.pairs.xml_records import find_xml

_CHARACTERS = 64_000
_FEW_WIDER = 0.05
"""Fraction of the lines with a further column, up to which these have a tab in a sentence."""
_RECORDS = 1000
"""Records read to recognise columns."""


def recognise(
    given: Iterable[PairFile], *, encoding: str, columns: str | None, languages: Codes | None
) -> list[PairFile]:
    """The pair files with their formats, columns and languages.

    `columns` are two columns by name or number (``en,de``), `languages` those that are preferred where no columns are
    asked for; by default, the languages of the first file whose columns or name state them.

    Raises UsageError when a file lacks these columns or has several that may be meant, and when no file has columns,
    PairFileError when a file cannot be read, or has lines without columns and no second one, InputError when a package
    is missing, ConfigError for an unknown encoding and for columns that are not two.
    """
    encoding = check_encoding(encoding)
    asked = read_columns(columns) if columns is not None else None
    found: list[PairFile] = []
    for seen in _with_readers(given, encoding):
        each = _with_columns(seen, seen.reader, encoding, asked, languages) if isinstance(seen.reader, Reader) else seen
        found.append(each)
        if each.statement and not languages:
            languages = each.statement.codes
    if asked and all(len(each.files) > 1 for each in found):
        raise UsageError(
            f"--columns {columns}: {found[0].name} are aligned files, without columns: leave out --columns"
        )
    return found


def _with_readers(pair_files: Iterable[PairFile], encoding: str) -> Iterator[PairFile]:
    """The pair files with the readers of those that are tables; two files of lines without columns are one."""
    waiting = iter(pair_files)
    for pair_file in waiting:
        reader = _find_reader(pair_file.files[0], encoding)
        if len(pair_file.files) > 1:
            yield replace(pair_file, reader=reader if isinstance(reader, KeyedTexts) else None)
            continue
        if isinstance(reader, Reader):
            yield replace(pair_file, reader=reader)
            continue
        other = next(waiting, None)
        is_alone = other is None or other.split != pair_file.split or len(other.files) > 1
        if is_alone or other is None or _find_reader(other.files[0], encoding) != reader:
            if reader:
                raise PairFileError(
                    f"{pair_file.name}: {reader.kind}, in one language: give the file of the other one behind it;"
                    " --related and --dictionary need both languages in one file"
                )
            raise PairFileError(
                f"{pair_file.name}:1: one column only: separate source and target by a tab, put cells that hold the"
                " separator in quotation marks, or give the file of the translations behind this one; --related and"
                " --dictionary need both columns in one file"
            )
        how = f"{reader.kind}, paired by their keys" if reader else "taken as two columns, line by line"
        notice = f"{pair_file.name} and {other.name}: {how}"
        yield replace(pair_file, files=pair_file.files + other.files, reader=reader, notice=notice)


def _find_reader(file: LocalFile, encoding: str) -> Reader | KeyedTexts | None:
    """The reader of a file, None for lines without columns; PairFileError when it cannot be read, or is blank."""
    with open_file(file.path, file.name) as raw:
        begin = raw.read(len(PARQUET_MAGIC))
        if begin == PARQUET_MAGIC:
            return PARQUET
        if begin.startswith(ZIP_MAGIC):
            with open_archive(raw, file.name) as archive:
                if WORKBOOK in archive.namelist():
                    return SPREADSHEET
    head = _head(file, encoding)
    if not head.strip():
        raise PairFileError(f"{file.name}: no sentence pair in it: {ONE_PER_LINE}")
    return find_marked(head) or find_xml(head) or find_json(head) or find_table(head)


def _head(file: LocalFile, encoding: str) -> str:
    """The first whole lines of a file."""
    head = ""
    with open_file(file.path, file.name) as raw:
        try:
            for part in decoded(read_text(raw, file.name), name=file.name, encoding=encoding):
                head += part
                if len(head) >= _CHARACTERS:
                    return head[:_CHARACTERS].rpartition("\n")[0] or head[:_CHARACTERS]
        except PairFileError:
            if not find_xml(head):  # which names its own encoding
                raise
    return head


def _with_columns(
    pair_file: PairFile, reader: Reader, encoding: str, asked: tuple[str, str] | None, languages: Codes | None
) -> PairFile:
    """A table with the columns that are taken."""
    [file] = pair_file.files
    with open_file(file.path, file.name) as raw:
        records = list(islice(reader.records(raw, file.name, encoding), _RECORDS))
    if not records:
        raise PairFileError(f"{file.name}: no sentence pair in it: {reader.kind} without a record")
    # Blank rows and titles stand before the first row that has two cells.
    filled = (sum(cell.strip() != "" for cell in record.cells.values()) for record in records)
    before = next((place for place, cells in enumerate(filled) if cells > 1), 0)
    columns, names, has_header = choose_columns(
        records[before:], asked=asked, languages=languages, reader=reader, file=file.name
    )
    is_plain = columns == (1, 2) and reader == TAB_LINES
    has_more = sum(any(cell.strip() for cell in list(record.cells.values())[2:]) for record in records)
    notice = ""
    if has_header or not is_plain:
        taken = one_line(" and ".join(map(str, names or columns)))
        notice = f"{file.name}: {reader.kind}; its columns {taken} are taken"
        if has_header or names is None:
            what = "is a header" if has_header else "is taken as a pair"
            notice += f"; {reader.unit} {records[before].line} {what}"
    return replace(
        pair_file,
        reader=None if is_plain else reader,
        columns=columns,
        has_two_columns=has_more <= _FEW_WIDER * len(records),
        skipped=before + 1 if has_header else 0,
        languages=languages_of_names(names) if names else None,
        notice=notice,
    )
