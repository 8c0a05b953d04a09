"""TMX, the exchange format of translation memories: units with a variant per language."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import ParseError
from xml.parsers.expat import errors

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from seq2seq_cli.errors import PairFileError
from seq2seq_cli.pairs.archives import open_text
from seq2seq_cli.pairs.formats.records import Column, Columns, OpenRecords, Record
from seq2seq_cli.pairs.lines import LONGEST_LINE
from seq2seq_cli.pairs.local_files import LocalFile

_LANGUAGE = ("{http://www.w3.org/XML/1998/namespace}lang", "lang")
_CODES = {"bpt", "ept", "it", "ph", "ut"}
"""Elements that hold codes of the text's layout, and no text."""
_REGION = 2
"""Letters of a region."""
_STARTS = ("<?xml", "<tmx", "<!DOCTYPE tmx", "<!--")


def is_xml(head: str) -> bool:
    """Whether a text begins like XML."""
    return head.lstrip().startswith(_STARTS)


@dataclass(frozen=True, kw_only=True)
class Tmx:
    """Reads the units; their columns are the languages, such as ``en-US``."""

    kind = "TMX"
    columns: Columns | None = None
    """Those that are wanted; a unit that lacks one has the first other variant of the language in its place."""

    @contextmanager
    def open(self, file: LocalFile, encoding: str) -> Iterator[OpenRecords]:  # noqa: ARG002  # XML names its own
        """Open a file."""
        with open_text(file.path, file.name) as text:
            yield OpenRecords(records=_units(text.pieces, file.name, self.columns), position=text.position)


def _units(pieces: Iterator[bytes], name: str, wanted: Columns | None) -> Iterator[Record]:
    units = _Units(name, wanted or ())
    parser = DefusedXMLParser(target=units)
    units.parser = parser.parser
    try:
        for piece in pieces:
            parser.feed(piece)
            yield from units.take()
        parser.close()
    except ParseError as error:
        line, column = error.position
        problem = errors.messages.get(error.code, "not well-formed")
        raise PairFileError(
            f"{name}:{line}:{column + 1}: not XML: {problem}: correct it, or export the file again"
        ) from None
    except DefusedXmlException:
        raise PairFileError(
            f"{name}:{units.line}: defines or needs entities, which may hide anything: export the file without them"
        ) from None
    except (ValueError, LookupError):
        raise PairFileError(f"{name}:1: the XML names an unknown encoding: export the file as UTF-8") from None
    yield from units.take()


def _tag(language: str) -> str:
    """A language tag in its usual case: ``en``, ``en-US``, ``sr-Latn``; RFC 5646, section 2.1.1."""
    first, *rest = language.strip().replace("_", "-").split("-")
    return "-".join([first.lower(), *(part.upper() if len(part) == _REGION else part.title() for part in rest)])


def _variant(column: Column, cells: Mapping[Column, str]) -> Column | None:
    """The first column of the same language, whatever the region."""
    return next((other for other in cells if _language(other) == _language(column)), None)


def _language(column: Column) -> str:
    return str(column).partition("-")[0]


class _Units:
    """Collects the units while the parser reads."""

    def __init__(self, name: str, wanted: Sequence[Column]) -> None:
        self.parser: Any = None
        self._name = name
        self._wanted = wanted
        self._found: list[Record] = []
        self._line = 0
        self._cells: dict[Column, str] = {}
        self._language = ""
        self._text: list[str] | None = None
        """The parts of the segment that is read; None outside of segments."""
        self._size = 0
        self._codes = 0
        """Elements with codes that are open."""
        self._is_tmx = False

    @property
    def line(self) -> int:
        """The line that the parser has reached."""
        return int(self.parser.CurrentLineNumber)

    def take(self) -> list[Record]:
        """The units that were read since the last call."""
        found, self._found = self._found, []
        return found

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Begin an element."""
        if not self._is_tmx:
            if tag != "tmx":
                raise PairFileError(f"{self._name}:{self.line}: XML, but no TMX: export the pairs as TMX or CSV")
            self._is_tmx = True
        elif tag == "tu":
            self._line, self._cells = self.line, {}
        elif tag == "tuv":
            self._language = _tag(next((attributes[key] for key in _LANGUAGE if key in attributes), ""))
            if not self._language:
                raise PairFileError(f"{self._name}:{self.line}: a <tuv> without xml:lang: name its language there")
        elif tag == "seg":
            self._text, self._size, self._codes = [], 0, 0
        elif tag in _CODES:
            self._codes += 1

    def data(self, text: str) -> None:
        """Add text."""
        if self._text is not None and not self._codes and self._size <= LONGEST_LINE:
            self._text.append(text)
            self._size += len(text)

    def end(self, tag: str) -> None:
        """End an element."""
        if tag == "seg" and self._text is not None:
            self._cells.setdefault(self._language, "".join(self._text))
            self._text = None
        elif tag == "tu":
            if len({_language(column) for column in self._wanted}) > 1:  # else each means its own variant
                for column in self._wanted:
                    if column not in self._cells and (other := _variant(column, self._cells)):
                        self._cells[column] = self._cells[other]
            self._found.append(Record(self._line, self._cells))
        elif tag in _CODES:
            self._codes -= 1

    def close(self) -> None:
        """End the file."""
