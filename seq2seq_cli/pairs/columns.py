"""The two columns of a file with more of them or with names for them, from its first records."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from seq2seq_cli.errors import ConfigError, UsageError, one_line
from seq2seq_cli.pairs.formats.records import Column, Columns, Record
from seq2seq_cli.pairs.languages import OF_KEYS, Codes, language_named
from seq2seq_cli.pairs.lines import COLUMNS
from seq2seq_cli.text.normalise import in_word
from seq2seq_cli.text.spacy_tokenizers import ANY_LANGUAGE

_SOURCE = {"source", "src", "original", "input", "sentence", "text"}
_TARGET = {"target", "tgt", "trg", "translation", "output"}
_ROLES = (_SOURCE, _TARGET)
"""Names of the column of the source, and of that of the target."""
_NUMBER = re.compile(r"[\d\s.,:/_+-]*")
_DIGITS = re.compile(r"\d+")
_FEWEST = 10
"""Rows read to distinguish a header from them, and a column of text from one of labels."""
_MOST_FORMS = 0.2
"""Forms of the cells of a column of labels, such as s0 for s1 and s2, per row."""
_USUAL = 0.95
_LABEL = 2
"""Words in a label at most."""
_MOST_WORDS = 4
"""Words in the name of a column."""
_SHOWN = 8


@dataclass(frozen=True, kw_only=True)
class Choice:
    """The two columns of a file."""

    columns: Columns
    names: tuple[str, str] | None
    """Their names; None where the file has none."""
    has_header: bool
    """Whether the first record names the columns."""
    languages: Codes | None
    """The languages that their names state, `ANY_LANGUAGE` for one that states none; None where neither does."""

    def turned(self) -> "Choice":
        """The same columns in the other order; only of names that state no languages."""
        columns, names = self.columns, self.names
        return replace(self, columns=(columns[1], columns[0]), names=names and (names[1], names[0]))


def read_columns(asked: str, where: str = "data.columns") -> tuple[str, str]:
    """The two columns of ``en,de`` or ``2,4``; raises ConfigError when there are not two.

    `where` is the key or the option that names them.
    """
    first, _, second = (part.strip() for part in asked.partition(","))
    if not first or not second or "," in second:
        raise ConfigError(f"{where}: {one_line(asked)} must be two columns, by name or number, such as en,de or 2,4")
    return first, second


def choose_columns(
    records: Sequence[Record],
    *,
    asked: tuple[str, str] | None,
    languages: Codes | None,
    is_open: bool,
    kind: str,
    file: str,
) -> Choice:
    """The columns that are `asked` for, by name or number; else those of `languages`, or the only ones of text.

    In an open table, rows may have more cells behind those two. `kind` is that of the file, for messages.

    Raises UsageError when there are no such columns, or when several may be meant.
    """
    first, *others = (record.cells for record in records)
    rows = [first, *(row for row in others if len(row) > 1)]  # one that does not fit its table is a single cell
    keys = _usual_keys(rows)
    has_names = any(isinstance(key, str) for key in keys)
    by_name = asked is not None and not all(map(str.isdecimal, asked))
    has_header = not has_names and (by_name or _is_header(rows[0], rows[1:]))
    names = {key: rows[0].get(key, "").strip() if has_header else str(key) for key in keys}
    known = has_names or has_header
    if asked is not None:
        may_be_pair = by_name and not has_names and not _is_header(rows[0], rows[1:])
        columns = _asked_for(asked, names, file, by_name=by_name, may_be_pair=may_be_pair)
    else:
        named = _named(names) if known else set()
        of_text = _of_text(keys, rows[int(has_header) :], named)
        if len(of_text) < COLUMNS:
            there = f"only the column {_listed(names)}" if names else "no column of text"
            raise UsageError(f"{file}: there is {there} ({kind}): export the pairs with a column for each language")
        if has_header and not is_open and not all(names[key] for key in of_text):
            raise UsageError(
                f"{file}: most rows have more cells than the first has names ({_listed(names)}): put cells that hold"
                f" the separator in quotation marks, or choose two with --columns {_example(names, of_text)}"
            )
        columns = _choose(names, of_text, languages, file) if known else _first_two(of_text, rows, is_open, file)
    stated = [language_named(names[column]) for column in columns] if known else [None]
    return Choice(
        columns=columns,
        names=(names[columns[0]], names[columns[1]]) if known else None,
        has_header=has_header,
        languages=(stated[0] or ANY_LANGUAGE, stated[1] or ANY_LANGUAGE) if any(stated) else None,
    )


def _named(names: Mapping[Column, str]) -> set[Column]:
    """The columns whose names are a language or a role; of three languages or more, ``id`` is probably none."""
    languages = {key: code for key, name in names.items() if (code := language_named(name))}
    if len(set(languages.values())) > COLUMNS:
        languages = {key: code for key, code in languages.items() if names[key].strip().casefold() not in OF_KEYS}
    return languages.keys() | {key for key, name in names.items() if _role_of(name)}


def _asked_for(
    asked: tuple[str, str], names: Mapping[Column, str], file: str, *, by_name: bool, may_be_pair: bool
) -> Columns:
    """The columns that are asked for; `may_be_pair`: the names are those of a first line that may be a pair."""
    if may_be_pair and all(_of_name(wanted, names) is None for wanted in asked):
        raise UsageError(
            f"{file}: no columns are called {one_line(' and '.join(asked))}: its first line seems to be a pair, and"
            " to name no columns: choose them by number, such as --columns 1,2, or name them in a line above"
        )
    find = _find if by_name else _number
    columns = find(asked[0], names, file), find(asked[1], names, file)
    if columns[0] == columns[1]:
        raise UsageError(f"{file}: --columns {one_line(','.join(asked))} names one column twice: name two")
    return columns


def _find(wanted: str, names: Mapping[Column, str], file: str) -> Column:
    if (found := _of_name(wanted, names)) is None:
        raise UsageError(f"{file}: no column is called '{one_line(wanted)}': the columns are {_listed(names)}")
    return found


def _of_name(wanted: str, names: Mapping[Column, str]) -> Column | None:
    """The column of a name: as it is, in another case, its last part alone, or another name of the same language."""
    last_parts = {key: name.rpartition(".")[2] for key, name in names.items()}
    language = language_named(wanted)
    for found in (
        [key for key, name in names.items() if name == wanted],
        [key for key, name in names.items() if wanted.casefold() in (name.casefold(), last_parts[key].casefold())],
        [key for key, name in names.items() if language and language_named(name) == language],
    ):
        if len(found) == 1:
            return found[0]
    return None


def _number(wanted: str, names: Mapping[Column, str], file: str) -> Column:
    if wanted not in map(str, range(1, len(names) + 1)):  # int() refuses thousands of digits
        raise UsageError(f"{file}: there is no column {wanted}: give numbers from 1 to {len(names)}")
    return list(names)[int(wanted) - 1]


def _usual_keys(rows: Sequence[Mapping[Column, str]]) -> list[Column]:
    """The columns that most records have; all where hardly any is in most."""
    counts = Counter(key for row in rows for key in row)
    usual = [key for key, count in counts.items() if 2 * count >= len(rows)]
    return usual if len(usual) > 1 else list(counts)


def _first_two(of_text: Sequence[Column], rows: Sequence[Mapping[Column, str]], is_open: bool, file: str) -> Columns:
    keys = _usual_keys(rows)
    are_of_text = len(_sentences(keys, rows)) >= COLUMNS
    if (len(of_text) > COLUMNS and not is_open) or (len(keys) > COLUMNS and not are_of_text):
        shown = of_text if are_of_text else keys
        cells = _listed({key: rows[0].get(key, "") for key in shown})
        have = f"{len(shown)} columns have text" if are_of_text else f"fewer than two of {len(shown)} columns have text"
        raise UsageError(
            f"{file}: {have}; they begin with {cells}: choose two with --columns, by number, or by name if these are"
            " names"
        )
    return of_text[0], of_text[1]


def _choose(names: Mapping[Column, str], of_text: Sequence[Column], languages: Codes | None, file: str) -> Columns:
    """The columns of two languages, or of a source and a target, or the only two."""
    several: dict[str, list[Column]] = {}
    for key in of_text:
        if code := language_named(names[key]):
            several.setdefault(code, []).append(key)
    by_language: dict[str, Column] = {}
    for code, keys in several.items():
        if (only := _only(keys, names)) is not None:
            by_language[code] = only
    if languages and languages[0] != languages[1] and all(code in by_language for code in languages):
        return by_language[languages[0]], by_language[languages[1]]
    if len(by_language) < len(several) and len(of_text) > COLUMNS:
        raise _ambiguous(names, of_text, file)
    sources, targets = ([key for key in of_text if _role_of(names[key]) is role] for role in _ROLES)
    for found in (list(by_language.values()), sources[:1] + targets[:1], of_text):
        if len(found) == COLUMNS:
            return found[0], found[1]
    raise _ambiguous(names, of_text, file)


def _only(keys: Sequence[Column], names: Mapping[Column, str]) -> Column | None:
    """The only column of a language, or the only one whose name is that of the language and no more; else none."""
    found = keys if len(keys) == 1 else [key for key in keys if names[key].strip().isalpha()]
    return found[0] if len(found) == 1 else None


def _ambiguous(names: Mapping[Column, str], of_text: Sequence[Column], file: str) -> UsageError:
    return UsageError(
        f"{file}: columns {_listed(names)} may be meant: choose two with --columns, such as --columns"
        f" {_example(names, of_text)}"
    )


def _example(names: Mapping[Column, str], columns: Sequence[Column]) -> str:
    """The first two columns, as ``--columns`` takes them."""
    return ",".join(one_line(names[key]) for key in columns[:2])


def _role_of(name: str) -> Collection[str] | None:
    """The role that a name states, one of `_ROLES`; None where it states none."""
    return next((role for role in _ROLES if _last_word(name) in role), None)


def _last_word(name: str) -> str:
    return name.casefold().rpartition(".")[2]


def _of_text(
    keys: Sequence[Column], rows: Sequence[Mapping[Column, str]], named: Collection[Column] = ()
) -> list[Column]:
    """The columns that hold more than numbers and labels, or more than numbers; all where fewer than two do.

    Those that are `named` by a language or a role hold no labels.
    """
    found = _more_than_numbers(keys, rows)
    sentences = _sentences(found, rows, named)
    return next((columns for columns in (sentences, found) if len(columns) > 1), list(keys))


def _more_than_numbers(keys: Sequence[Column], rows: Sequence[Mapping[Column, str]]) -> list[Column]:
    return [key for key in keys if not all(_NUMBER.fullmatch(row.get(key, "")) for row in rows)]


def _sentences(
    keys: Sequence[Column], rows: Sequence[Mapping[Column, str]], named: Collection[Column] = ()
) -> list[Column]:
    """The columns that hold more than numbers and labels."""
    found = _more_than_numbers(keys, rows)
    return [key for key in found if key in named or not _are_labels([row.get(key, "") for row in rows])]


def _are_labels(cells: Sequence[str]) -> bool:
    """Whether cells are all the same, or differ in numbers alone, such as s1 and s2, or GEN 1:1 and EXO 2:1.

    They are short, and do not end like sentences.
    """
    if len(cells) < _FEWEST or not all(cell and in_word(cell[-1]) and len(cell.split()) <= _LABEL for cell in cells):
        return False
    forms = {_DIGITS.sub("0", cell) for cell in cells}
    return len(set(cells)) == 1 or (all(map(_DIGITS.search, cells)) and len(forms) <= _MOST_FORMS * len(cells))


def _is_header(first: Mapping[Column, str], rows: Sequence[Mapping[Column, str]]) -> bool:
    """Whether the cells of a row are names of columns.

    They are languages, or a source and a target; or one stands above numbers; or none ends like a sentence where those
    of all other rows do.
    """
    cells = [cell for cell in map(str.strip, first.values()) if cell]
    if len(cells) < COLUMNS or any(len(cell.split()) > _MOST_WORDS or not _is_name(cell) for cell in cells):
        return False
    languages = {code for cell in cells if (code := language_named(cell))}
    roles = [{_last_word(cell) for cell in cells} & words for words in _ROLES]
    if len(languages) > 1 or all(roles) or len(rows) < _FEWEST:
        return len(languages) > 1 or all(roles)
    is_words = not any(map(_NUMBER.fullmatch, cells))
    return is_words and (_some_are_numbers(rows) or _are_sentences(rows))


def _is_name(cell: str) -> bool:
    return in_word(cell[-1]) or cell[-1] == ")"


def _some_are_numbers(rows: Sequence[Mapping[Column, str]]) -> bool:
    """Whether a column has numbers alone."""
    columns = ([row.get(key, "") for row in rows] for key in _usual_keys(rows))
    return any(any(cells) and all(map(_NUMBER.fullmatch, cells)) for cells in columns)


def _are_sentences(rows: Sequence[Mapping[Column, str]]) -> bool:
    """Whether nearly all cells of the first two columns of text end with a mark."""
    keys = _of_text(_usual_keys(rows), rows)[:2]
    ends = [cell.rstrip()[-1] for row in rows for key in keys if (cell := row.get(key, "")).strip()]
    return sum(not in_word(end) for end in ends) >= _USUAL * len(ends) > 0


def _listed(names: Mapping[Column, str]) -> str:
    listed = [one_line(name) for name in names.values() if name]
    more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    return ", ".join(listed[:_SHOWN]) + more
