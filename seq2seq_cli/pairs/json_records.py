"""JSON: an object or a list per line, or one list of them, which may lie in an object."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from seq2seq_cli.errors import PairFileError
from seq2seq_cli.pairs.archives import read_text
from seq2seq_cli.pairs.pair_files import Column, Reader, Record
from seq2seq_cli.pairs.text_lines import decoded, lines_of

_DEEPEST = 3
"""Objects in objects whose texts are columns."""
_LONGEST_LIST = 100_000_000
"""Characters of a list of records, which is held in memory."""
_ARRAY = re.compile(r"\s*\[\s*[\[{\]]")
"""Begins a list of records, not a record that is a list."""
_LIST = re.compile(r"\[\s*[\[{]")
"""Begins a list of records somewhere in a text."""
_BEGINS = re.compile(r'\s*(\{\s*["}]|\[\s*[\[{"\]])')
_CORRECT = "correct it, or export the file again"
# Numbers are texts, as in every table; numbers that JSON does not know stand for nothing.
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=lambda _: None)


def cells_of(value: Any) -> dict[Column, str]:
    """The texts in a value as JSON has them: by number for a list, by ``name`` or ``outer.name`` for an object."""
    if isinstance(value, list):
        return {number: text for number, cell in enumerate(value, start=1) for text in _texts(cell)}
    return dict(_named(value, "", _DEEPEST)) if isinstance(value, dict) else {}


def _named(value: Mapping[str, Any], before: str, deepest: int) -> Iterator[tuple[Column, str]]:
    for name, cell in value.items():
        if isinstance(cell, dict) and deepest > 1:
            yield from _named(cell, f"{before}{name}.", deepest - 1)
        else:
            yield from ((f"{before}{name}", text) for text in _texts(cell))


def _texts(cell: Any) -> list[str]:
    """The text of a cell, empty for null; nothing for what is no text."""
    return [cell] if isinstance(cell, str) else [""] if cell is None else []


def find_json(head: str) -> Reader | None:
    """The reader of a text that begins like JSON; None for any other text."""
    if not _BEGINS.match(head):
        return None
    is_list = _ARRAY.match(head) is not None or _is_one_value(head)
    return Reader("JSON", _in_list, unit="record") if is_list else Reader("JSON", _in_lines)


def _is_one_value(head: str) -> bool:
    """Whether a text that begins like an object is one of several lines, or alone and with a list of records in it."""
    first, _, others = head.lstrip().partition("\n")
    try:
        value = _DECODER.decode(first)
    except RecursionError:
        return False
    except json.JSONDecodeError:
        # On further lines, or cut behind the characters that are read here: then a list in them decides.
        return not _BEGINS.match(others) and bool(others.strip() or _LIST.search(first))
    return not others.strip() and isinstance(value, dict) and len(_longest_list(value)) > 0


def _in_lines(file: BinaryIO, name: str, encoding: str) -> Iterator[Record]:
    """A record for each line that is not blank."""
    for number, line in enumerate(lines_of(file, name, encoding), start=1):
        if line is None:
            yield Record(number, {}, is_overlong=True)
        elif line.strip():
            yield Record(number, cells_of(_value(line, name, number)))


def _in_list(file: BinaryIO, name: str, encoding: str) -> Iterator[Record]:
    """The records of one list."""
    parts, size = [], 0
    for text in decoded(read_text(file, name), name=name, encoding=encoding):
        parts.append(text)
        size += len(text)
        if size > _LONGEST_LIST:
            raise PairFileError(f"{name}: a list of more than {_LONGEST_LIST:,} characters: give an object per line")
    for number, value in enumerate(_longest_list(_value("".join(parts), name, 1)), start=1):
        yield Record(number, cells_of(value))


def _longest_list(value: Any, deepest: int = 3) -> list[Any]:
    """A list, or the longest one in the values of an object, which has others beside it: a name, a licence."""
    if isinstance(value, list):
        return value
    inside = value.values() if isinstance(value, dict) and deepest else ()
    return max((_longest_list(each, deepest - 1) for each in inside), key=len, default=[])


def _value(text: str, name: str, line: int) -> Any:
    """The object or the list of a text that begins on a line; raises PairFileError for other text."""
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        place = f"{name}:{line + error.lineno - 1}:{error.colno}"
        raise PairFileError(f"{place}: not JSON: {error.msg[:1].lower()}{error.msg[1:]}: {_CORRECT}") from None
    except RecursionError:
        raise PairFileError(f"{name}:{line}: not JSON: a list in a list in a list, too deep: {_CORRECT}") from None
    if not isinstance(value, dict | list):
        raise PairFileError(f"{name}:{line}: neither a JSON object nor a list: {_CORRECT}")
    return value
