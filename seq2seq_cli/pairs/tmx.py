"""TMX, the exchange format of translation memories: units with a variant per language."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import ParseError
from xml.parsers.expat import errors

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from seq2seq_cli.errors import PairFileError
from seq2seq_cli.pairs.archives import LocalFile, open_text
from seq2seq_cli.pairs.lines import LONGEST_LINE
from seq2seq_cli.pairs.pair_files import Column, OpenRecords, PlaceUnit, Record

_LANGUAGE = ("{http://www.w3.org/XML/1998/namespace}lang", "lang")
_CODES = {"bpt", "ept", "it", "ph", "ut"}
"""Elements that hold codes of the text's layout, and no text."""
_STARTS = ("<?xml", "<tmx", "<!DOCTYPE tmx", "<!--")


def is_xml(head: str) -> bool:
    """Whether a text begins like XML."""
    return head.lstrip().startswith(_STARTS)


@dataclass(frozen=True, kw_only=True)
class Tmx:
    """Reads the units; their columns are the languages, whatever the region: ``en`` for ``en-US``."""

    kind = "TMX"
    unit: PlaceUnit = "line"

    @contextmanager
    def open(self, file: LocalFile, encoding: str) -> Iterator[OpenRecords]:  # noqa: ARG002  # XML names its own
        """Open a file."""
        with open_text(file.path, file.name) as text:
            yield OpenRecords(records=_units(text.pieces, file.name), position=text.position)


def _units(pieces: Iterator[bytes], name: str) -> Iterator[Record]:
    units = _Units(name)
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


class _Units:
    """Collects the units while the parser reads."""

    def __init__(self, name: str) -> None:
        self.parser: Any = None
        self._name = name
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
            language = next((attributes[key] for key in _LANGUAGE if key in attributes), "")
            self._language = language.strip().replace("_", "-").partition("-")[0].lower()
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
            self._found.append(Record(self._line, self._cells))
        elif tag in _CODES:
            self._codes -= 1

    def close(self) -> None:
        """End the file."""
