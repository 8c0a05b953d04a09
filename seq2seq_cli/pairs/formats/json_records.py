"""JSON: an object or a list per line, or one list of them."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any, NoReturn

from seq2seq_cli.errors import PairFileError
from seq2seq_cli.pairs.archives import open_text
from seq2seq_cli.pairs.formats.records import OpenRecords, Record, cells_of
from seq2seq_cli.pairs.lines import decoded
from seq2seq_cli.pairs.local_files import LocalFile

_LONGEST = 1_000_000
"""Characters of a record."""
_ARRAY = re.compile(r"\[\s*[\[{\]]")
"""Begins a list of records, not a record that is a list."""
_BEGINS = re.compile(r'\s*(\{\s*["}]|\[\s*[\[{"\]])')
_SPACE = re.compile(r"\s*")
_UNTERMINATED = "Unterminated string"
"""Begins the message about a string whose end is missing, or not yet read."""
_AT = re.compile("( starting)? at$")
"""Ends a message before a place."""
# Numbers are texts, as in every table; numbers that JSON does not know stand for nothing.
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=lambda _: None)


def find_json(head: str) -> "JsonRecords | None":
    """The reader of a text that begins like JSON; None for any other text."""
    return JsonRecords(is_list=bool(_ARRAY.match(head.lstrip()))) if _BEGINS.match(head) else None


@dataclass(frozen=True, kw_only=True)
class JsonRecords:
    """Reads JSON lines, and a list of records, which have their numbers in it in the place of lines."""

    is_list: bool

    kind = "JSON"

    @contextmanager
    def open(self, file: LocalFile, encoding: str) -> Iterator[OpenRecords]:
        """Open a file."""
        with open_text(file.path, file.name) as text:
            document = _Document(decoded(text.pieces, name=file.name, encoding=encoding), file.name)
            yield OpenRecords(records=document.records(in_list=self.is_list), position=text.position)


class _Document:
    """A text that arrives in pieces; of what is read, only the place is kept."""

    def __init__(self, texts: Iterator[str], name: str) -> None:
        self._texts = texts
        self._name = name
        self._text = ""
        self._place = 0
        """In ``_text``."""
        self._known = 0
        """A place before it, which is at this line and column of the file:"""
        self._line, self._column = 1, 1

    def records(self, *, in_list: bool) -> Iterator[Record]:
        """The records, lines of them or `in_list`; raises PairFileError where the text is not JSON."""
        self._next()
        end = "]" if in_list else ""
        if in_list:
            self._place += 1
        for number in count(1):
            if (found := self._next()) == end:
                break
            self._line, self._column = self._where(self._place)
            self._known = self._place
            yield Record(number if in_list else self._line, cells_of(self._value(found)))
            if in_list and self._next() == ",":
                self._place += 1
            elif in_list and self._next() != end:
                self._refuse("',' or ']' expected after a record", self._place)
        if in_list:
            self._place += 1
            if self._next():
                self._refuse("more text after the list", self._place)

    def _next(self) -> str:
        """The next character that is no space, which stays; empty at the end."""
        while True:
            self._place = _SPACE.match(self._text, self._place).end()  # type: ignore[union-attr]  # it matches always
            if self._place < len(self._text) or not self._more():
                return self._text[self._place : self._place + 1]

    def _value(self, first: str) -> Any:
        """The value at the place."""
        if first not in "{[":
            self._refuse("neither an object nor a list", self._place)
        while True:
            try:
                value, self._place = _DECODER.raw_decode(self._text, self._place)
            except (ValueError, RecursionError) as error:
                begin = self._place
                if len(self._text) - self._place <= _LONGEST and self._more():
                    continue
                if isinstance(error, json.JSONDecodeError):
                    is_cut = error.pos >= len(self._text) or error.msg.startswith(_UNTERMINATED)
                    if is_cut and len(self._text) - self._place > _LONGEST:
                        self._refuse_long()
                    self._refuse(_AT.sub("", error.msg).lower(), self._place + error.pos - begin)
                self._refuse("a list in a list in a list, too deep to be read", self._place)
            return value

    def _more(self) -> bool:
        """Forget what is read, and add at least as much text as is left; whether there was more."""
        self._line, self._column = self._where(self._place)
        parts = [self._text[self._place :]]
        wanted, size = len(parts[0]), 0
        while size <= wanted and (piece := next(self._texts, None)) is not None:
            parts.append(piece)
            size += len(piece)
        self._text, self._place, self._known = "".join(parts), 0, 0
        return size > 0

    def _where(self, place: int) -> tuple[int, int]:
        """The line and the column of a place."""
        newline = self._text.rfind("\n", self._known, place)
        if newline < 0:
            return self._line, self._column + place - self._known
        return self._line + self._text.count("\n", self._known, place), place - newline

    def _refuse_long(self) -> NoReturn:
        line, column = self._where(self._place)
        raise PairFileError(
            f"{self._name}:{line}:{column}: a record of more than {_LONGEST:,} characters: give an object per line,"
            " or one list of them"
        )

    def _refuse(self, problem: str, place: int) -> NoReturn:
        """Raise PairFileError for a problem at a place, in the record that begins at the current one."""
        line, column = self._where(place)
        first, _ = self._where(self._place)
        if place >= len(self._text):
            problem = "the file ends inside a record"
        if first < line:
            problem += f", which begins on line {first}" if place >= len(self._text) else f" (record of line {first})"
        raise PairFileError(f"{self._name}:{line}:{column}: not JSON: {problem}: correct it, or export the file again")
