"""The two columns of a file with more of them or with names for them, from its first records."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from seq2seq_cli.errors import ConfigError, UsageError, one_line
from seq2seq_cli.pairs.pair_files import Column, Columns, Reader, Record
from seq2seq_cli.pairs.stated_languages import OFTEN_KEYS, Codes, language_named
from seq2seq_cli.pairs.tables import TAB_LINES
from seq2seq_cli.pairs.text_lines import COLUMNS
from seq2seq_cli.text.characters import in_word
from seq2seq_cli.text.languages import CODE_LETTERS, any_code_named
from seq2seq_cli.text.spacy_tokenizers import ANY_LANGUAGE

_SOURCE = {"source", "src", "original", "input", "sentence", "text", "msgid", "tx", "txt", "t"}
_TARGET = {"target", "tgt", "trg", "translation", "output", "msgstr", "ft", "gls", "l"}
_ROLES = (_SOURCE, _TARGET)
"""Names of the columns of source and target."""
_DIGITS = re.compile(r"[\d\s.,:/_+-]*")
"""A number or a date: 1,024, 2026-11-25."""
_NUMBER = re.compile(rf"(\w{{1,4}}[ ._-]?(?=\d))?{_DIGITS.pattern}")
"""The same or a label: s12, GEN 1:7."""
_FEWEST = 10
"""Rows below which no column is known to be one of labels or numbers."""
_MOST_LABELS = 5
_ROWS_PER_LABEL = 20
"""A column of few different cells, each of them in many rows, is one of labels."""
_MOST_WORDS = 4
"""Words in the name of a column."""
_SHOWN = 8


def read_columns(asked: str) -> tuple[str, str]:
    """The two columns of ``en,de`` or ``2,4``; raises ConfigError when there are not two."""
    first, _, second = (part.strip() for part in asked.partition(","))
    if not first or not second or "," in second:
        raise ConfigError(f"columns: {one_line(asked)} must be two columns, by name or number, such as en,de or 2,4")
    return first, second


def choose_columns(
    records: Sequence[Record], *, asked: tuple[str, str] | None, languages: Codes | None, reader: Reader, file: str
) -> tuple[Columns, tuple[str, str] | None, bool]:
    """The columns that are `asked` for, by name or number; else the columns of `languages`, or the only ones of text.

    With their names, None where the file has none, and whether the first record names the columns. Lines with tabs may
    have more cells behind those two. `file` is the name in messages.

    Raises UsageError when there are no such columns, or when several may be meant.
    """
    first, *others = (record.cells for record in records)
    rows = [first, *(row for row in others if len(row) > 1)]  # one that does not fit its table is a single cell
    counts = Counter(key for row in rows for key in row)
    usual = [key for key, count in counts.items() if 2 * count >= len(rows)]  # those that most records have
    keys = usual if len(usual) > 1 else list(counts)
    has_names = any(isinstance(key, str) for key in keys)
    by_name = asked is not None and not all(map(str.isdecimal, asked))
    has_header = not has_names and (by_name or _is_header(rows))
    is_named = has_names or has_header
    names = {key: first.get(key, "").strip() if has_header else str(key) for key in keys}
    if asked is not None:
        numbers = {key: str(number) for number, key in enumerate(keys, start=1)}
        columns = _asked_for(asked, names if by_name else numbers, file)
    else:
        of_text = _of_text(keys, rows[int(has_header) :], names if is_named else {})
        if len(of_text) < COLUMNS:
            of_one = f"only the column {one_line(str(names[of_text[0]] or of_text[0]))}" if of_text else ""
            advice = "export the pairs with a column for each language"
            raise UsageError(f"{file}: there is {of_one or 'no column of text'} ({reader.kind}): {advice}")
        found = _choose(names, of_text, languages) if is_named else of_text
        if len(found) != COLUMNS and (is_named or reader != TAB_LINES):
            listed = _listed(names if is_named else {key: first.get(key, "") for key in of_text})
            advice = "choose two with --columns, for all files, by name or number; or keep two"
            raise UsageError(f"{file}: of the columns {listed}, several may be meant: {advice}")
        columns = found[0], found[1]
    return columns, (names[columns[0]], names[columns[1]]) if is_named else None, has_header


def languages_of_names(names: tuple[str, str]) -> Codes | None:
    """The languages that two columns' names state, `ANY_LANGUAGE` for one that states none; None where neither does."""
    stated = list(map(language_named, names))
    if not any(stated):
        return None
    words = (re.split(r"[\W_]", name.strip())[-1] for name in names)  # ddo of txt-ddo
    last_words = ["" if word.casefold() in _SOURCE | _TARGET else word for word in words]  # src is not Sardinian
    first, second = (
        code or any_code_named(word) or ANY_LANGUAGE for code, word in zip(stated, last_words, strict=True)
    )
    return first, second


def _is_header(rows: Sequence[Mapping[Column, str]]) -> bool:
    """Whether the cells of the first row are names of columns.

    Two of them name a language, or the source or the target; or one of them names a language, and the others can be
    names; or one stands above numbers.
    """
    first, *others = rows
    cells = {key: stripped for key, cell in first.items() if (stripped := cell.strip())}
    above_numbers = {
        key
        for key, cell in cells.items()
        if len(others) >= _FEWEST
        and not _NUMBER.fullmatch(cell)
        and all(row.get(key) and _DIGITS.fullmatch(row[key]) for row in others)
    }
    named = [cell for key, cell in cells.items() if key not in above_numbers]  # "No." above numbers is no sentence
    if any(len(cell.split()) > _MOST_WORDS or not (in_word(cell[-1]) or cell[-1] == ")") for cell in named):
        return False
    languages = {code for cell in cells.values() if (code := language_named(cell))}
    if len(languages) + sum(any(_last_part(cell) in role for cell in cells.values()) for role in _ROLES) > 1:
        return True
    if languages and len(cells) == len(first) == COLUMNS:
        # Two names, or two codes above sentences, which have capitals: "no" above small words is no Norwegian.
        lengths = sorted(map(len, cells.values()))
        below = [cell.islower() for row in others for cell in row.values()]
        are_small = all(map(str.islower, cells.values())) and 2 * sum(below) < len(below)
        are_codes = lengths[1] == CODE_LETTERS and are_small
        is_repeated = any(row.get(key, "").strip() == cell for row in others for key, cell in cells.items())
        if (are_codes or lengths[0] > CODE_LETTERS) and not is_repeated:
            return True
    return bool(above_numbers)


def _of_text(keys: Sequence[Column], rows: Sequence[Mapping[Column, str]], names: Mapping[Column, str]) -> list[Column]:
    """The columns that hold more than numbers and labels, and those whose names are a language or a role."""
    cells = {key: [row.get(key, "").strip() for row in rows] for key in keys}
    if len(rows) < _FEWEST and len(keys) == COLUMNS:
        return list(keys)
    named = {
        key
        for key, name in names.items()
        if _last_part(name) in _SOURCE | _TARGET
        or (language_named(name) and name.strip(" .").casefold() not in OFTEN_KEYS)
    }
    number = _NUMBER if len(keys) > COLUMNS else _DIGITS  # of two columns, either is more likely to be text
    of_text = [key for key in keys if key in named or not all(map(number.fullmatch, cells[key]))]
    without_labels = [key for key in of_text if key in named or not _are_labels(cells[key])]
    # Of two columns none is one of labels: the same sentence can have many translations.
    return without_labels if len(without_labels) > 1 else of_text


def _are_labels(cells: Sequence[str]) -> bool:
    kinds = len(set(cells))
    return len(cells) >= _FEWEST and (kinds == 1 or (kinds <= _MOST_LABELS and len(cells) >= _ROWS_PER_LABEL * kinds))


def _choose(names: Mapping[Column, str], of_text: Sequence[Column], languages: Codes | None) -> Sequence[Column]:
    """The columns of two languages, or of a source and a target, or else all."""
    several: dict[str, list[Column]] = {}
    for key in of_text:
        if code := language_named(names[key]):
            several.setdefault(code, []).append(key)
    by_language = {}
    for code, keys in several.items():
        # Of several, the only one that is named after the language alone.
        alone = keys if len(keys) == 1 else [key for key in keys if names[key].strip().isalpha()]
        if len(alone) == 1:
            by_language[code] = alone[0]
    if languages and languages[0] != languages[1]:
        # A language that no name states is that of the only other column: Qiosa beside English and Spanish.
        roles = _SOURCE | _TARGET if len(of_text) > COLUMNS else ()  # a third one may hold where each pair is from
        others = [key for key in of_text if not (language_named(names[key]) or names[key].casefold() in roles)]
        first, second = (by_language.get(code, others[0] if len(others) == 1 else None) for code in languages)
        if first and second and first != second:
            return first, second
    outermost = sorted(of_text, key=lambda key: names[key].count("."))  # source before meta.source
    sources, targets = ([key for key in outermost if _last_part(names[key]) in role] for role in _ROLES)
    if sources and targets:
        return sources[0], targets[0]
    if len(of_text) > COLUMNS and (languages or len(by_language) < len(several)):
        return of_text
    return list(by_language.values()) if len(by_language) == COLUMNS else of_text


def _last_part(name: str) -> str:
    """The name without those of objects around it, and without what is behind a kind of FLEx or a role: gls-en."""
    return re.sub(r"^(?:(txt|gls)-.*|(source|target) (?:text|sentence))$", r"\1\2", name.casefold().rpartition(".")[2])


def _asked_for(asked: tuple[str, str], names: Mapping[Column, str], file: str) -> Columns:
    """The columns of two names, each as it is, or another name of the same language."""
    found = []
    for wanted in asked:
        named = [key for key, name in names.items() if wanted.casefold() == name.casefold()]
        named = named or [key for key, name in names.items() if wanted.casefold() == _last_part(name)]
        language = language_named(wanted)
        named = named or [key for key, name in names.items() if language and language_named(name) == language]
        if len(named) != 1:
            raise UsageError(f"{file}: no column is called '{one_line(wanted)}': the columns are {_listed(names)}")
        found += named
    if found[0] == found[1]:
        raise UsageError(f"{file}: --columns {one_line(','.join(asked))} names one column twice: name two")
    return found[0], found[1]


def _listed(names: Mapping[Column, str]) -> str:
    listed = [one_line(name) for name in names.values() if name]
    more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    return ", ".join(listed[:_SHOWN]) + more
