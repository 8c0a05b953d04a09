"""TMX, the exchange format of translation memories: units with a variant per language."""

from collections.abc import Iterator, Mapping
from typing import BinaryIO
from xml.parsers import expat

from seq2seq_cli.errors import PairFileError
from seq2seq_cli.pairs.archives import read_text
from seq2seq_cli.pairs.lines import LONGEST_LINE
from seq2seq_cli.pairs.pair_files import Column, Reader, Record

_CODES = {"bpt", "ept", "it", "ph", "ut"}
"""Elements that hold codes of the text's layout, and no text."""
_STARTS = ("<?xml", "<tmx", "<!DOCTYPE tmx", "<!--")


def is_xml(head: str) -> bool:
    """Whether a text begins like XML."""
    return head.lstrip().startswith(_STARTS)


class Tmx(Reader):
    """Reads the units; their columns are the languages, whatever the region: ``en`` for ``en-US``."""

    kind = "TMX"

    def records(self, file: BinaryIO, name: str, encoding: str) -> Iterator[Record]:  # noqa: ARG002  # XML names its own
        """The units of a file."""
        units = _Units(name)
        try:
            for piece in read_text(file, name):
                units.parser.Parse(piece)
                yield from units.found
                units.found.clear()
            units.parser.Parse(b"", True)
        except expat.ExpatError as error:
            place = f"{name}:{error.lineno}:{error.offset + 1}"
            raise PairFileError(
                f"{place}: not XML: {expat.ErrorString(error.code)}: correct it, or export the file again"
            ) from None
        except (LookupError, ValueError):
            raise PairFileError(f"{name}:1: the XML names an unknown encoding: export the file as UTF-8") from None


class _Units:
    """Collects the units while the parser reads."""

    def __init__(self, name: str) -> None:
        self.found: list[Record] = []
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.CharacterDataHandler = self._data
        self.parser.EndElementHandler = self._end
        self.parser.EntityDeclHandler = self.parser.SkippedEntityHandler = self._refuse_entity
        self._name = name
        self._line = 0
        self._cells: dict[Column, str] = {}
        self._language = ""
        self._text: str | None = None
        """The segment that is read; None outside of segments."""
        self._codes = 0
        """Elements with codes that are open."""
        self._is_tmx = False

    def _start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if not self._is_tmx and tag != "tmx":
            raise self._error("XML, but no TMX: export the pairs as TMX or CSV")
        self._is_tmx = True
        if tag == "tu":
            self._line, self._cells = self.parser.CurrentLineNumber, {}
        elif tag == "tuv":
            language = attributes.get("xml:lang") or attributes.get("lang", "")
            self._language = language.strip().replace("_", "-").partition("-")[0].lower()
            if not self._language:
                raise self._error("a <tuv> without xml:lang: name its language there")
        elif tag == "seg":
            self._text, self._codes = "", 0
        elif tag in _CODES:
            self._codes += 1

    def _data(self, text: str) -> None:
        if self._text is not None and not self._codes and len(self._text) <= LONGEST_LINE:
            self._text += text

    def _end(self, tag: str) -> None:
        if tag == "seg" and self._text is not None:
            self._cells.setdefault(self._language, self._text)
            self._text = None
        elif tag == "tu":
            self.found.append(Record(self._line, self._cells))
        elif tag in _CODES:
            self._codes -= 1

    def _refuse_entity(self, *_: object) -> None:
        raise self._error("defines or needs entities, which may hide anything: export the file without them")

    def _error(self, problem: str) -> PairFileError:
        return PairFileError(f"{self._name}:{self.parser.CurrentLineNumber}: {problem}")
