"""XML with texts in several languages: TMX, XLIFF, the texts of FLEx, and the tiers of ELAN.

TMX    units of a translation memory, with a variant per language      https://www.gala-global.org/tmx-14b
XLIFF  units to translate, with a source and a target                  https://docs.oasis-open.org/xliff
FLEx   phrases with their words and free translations (.flextext)
ELAN   tiers of annotations of the same times (.eaf)                   https://www.mpi.nl/tools/elan/EAF_Annotation_Format_3.0_and_ELAN.pdf
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO, ClassVar
from xml.parsers import expat

from seq2seq_cli.documents.plain_text import primary
from seq2seq_cli.errors import PairFileError
from seq2seq_cli.pairs.archives import read_text
from seq2seq_cli.pairs.pair_files import Column, Reader, Record
from seq2seq_cli.pairs.text_lines import LONGEST_LINE

_STARTS = ("<?xml", "<tmx", "<xliff", "<!DOCTYPE tmx", "<!--")
_COMMENTS = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ROOT = re.compile(r"<([A-Za-z_]\w*)")


@dataclass(frozen=True, kw_only=True)
class Xml(Reader):
    """Reads the records of one of these forms; TMX and XLIFF name their columns by the languages, without regions."""

    kind: str = "XML"
    """The name in messages."""
    units: "type[_Units]"

    def records(self, file: BinaryIO, name: str, encoding: str) -> Iterator[Record]:  # noqa: ARG002  # XML names its own
        """The units of a file."""
        units = self.units(name)
        try:
            for piece in read_text(file, name):
                units.parser.Parse(piece)
                yield from units.found
                units.found.clear()
            units.parser.Parse(b"", True)
            yield from units.found
        except expat.ExpatError as error:
            place = f"{name}:{error.lineno}:{error.offset + 1}"
            raise PairFileError(
                f"{place}: not XML: {expat.ErrorString(error.code)}: correct it, or export the file again"
            ) from None
        except (LookupError, ValueError):
            raise PairFileError(f"{name}:1: the XML names an unknown encoding: export the file as UTF-8") from None


def find_xml(head: str) -> Xml | None:
    """The reader of a text that begins like XML; None for any other text."""
    if not head.lstrip().startswith(_STARTS):
        return None
    root = _ROOT.search(_COMMENTS.sub("", head))
    kind, units = _FORMS.get(root[1] if root else "", ("XML", _Units))
    return Xml(kind=kind, units=units)


class _Units:
    """Collects the records while the parser reads; this one refuses an unknown form."""

    codes: ClassVar = {"bpt", "ept", "it", "ph", "ut"}
    """Elements that hold codes of the text's layout, and no text."""

    def __init__(self, name: str) -> None:
        self.found: list[Record] = []
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._element
        self.parser.CharacterDataHandler = self._data
        self.parser.EndElementHandler = self._end_element
        self.parser.EntityDeclHandler = self.parser.SkippedEntityHandler = self._refuse_entity
        self._name = name
        self._line = 0
        self._cells: dict[Column, str] = {}
        self._language = ""
        self._text: str | None = None
        """The text that is read; None outside of texts."""
        self._codes = 0
        """Elements with codes that are open."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:  # noqa: ARG002  # those of the forms read them
        """An element begins."""
        raise self.error(
            f"XML, but no {', '.join(form for form, _ in _FORMS.values())}: export the pairs as TMX or CSV"
        )

    def end(self, tag: str) -> None:
        """An element ends; its text is in `_text`."""

    def begin_record(self) -> None:
        """The next cells are those of a new record."""
        self._line, self._cells = self.parser.CurrentLineNumber, {}

    def add_text(self, column: str) -> None:
        """The text that was read is a cell."""
        if self._text is not None:
            self._cells.setdefault(column, self._text)
        self._text = None

    def error(self, problem: str) -> PairFileError:
        """The error of a file that cannot be read further."""
        return PairFileError(f"{self._name}:{self.parser.CurrentLineNumber}: {problem}")

    def _element(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._codes += tag in self.codes
        self.start(tag, attributes)

    def _end_element(self, tag: str) -> None:
        self._codes -= tag in self.codes
        self.end(tag)

    def _data(self, text: str) -> None:
        if self._text is not None and not self._codes and len(self._text) <= LONGEST_LINE:
            self._text += text

    def _refuse_entity(self, *_: object) -> None:
        raise self.error("defines or needs entities, which may hide anything: export the file without them")


class _Tmx(_Units):
    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """A unit begins, or a variant in a language, or its text."""
        if tag == "tu":
            self.begin_record()
        elif tag == "tuv":
            self._language = primary(attributes.get("xml:lang") or attributes.get("lang", ""))
            if not self._language:
                raise self.error("a <tuv> without xml:lang: name its language there")
        elif tag == "seg":
            self._text, self._codes = "", 0

    def end(self, tag: str) -> None:
        """A text is the cell of its language; a unit is a record."""
        if tag == "seg":
            self.add_text(self._language)
        elif tag == "tu":
            self.found.append(Record(self._line, self._cells))


class _Xliff(_Units):
    """Versions 1.2 and 2."""

    _languages = ("source", "target")
    _is_other = False
    """Whether another translation of the unit is read, of a memory."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """The languages of the file, a unit, or one of its texts."""
        if tag in {"xliff", "file"}:
            stated = [
                primary(attributes.get(old) or attributes.get(new) or "")
                for old, new in (("source-language", "srcLang"), ("target-language", "trgLang"))
            ]
            self._languages = (stated[0] or self._languages[0], stated[1] or self._languages[1])
        elif tag in {"trans-unit", "segment"}:
            self.begin_record()
        elif tag == "alt-trans":
            self._is_other = True
        elif tag in {"source", "target"} and not self._is_other:
            self._text, self._codes = "", 0

    def end(self, tag: str) -> None:
        """A text is the cell of its language; a unit with a translation is a record."""
        if tag in {"source", "target"}:
            self.add_text(self._languages[tag == "target"])
        elif tag == "alt-trans":
            self._is_other = False
        elif tag in {"trans-unit", "segment"} and self._cells.get(self._languages[1]):  # others wait for a translation
            self.found.append(Record(self._line, self._cells))


class _Flex(_Units):
    """The columns are ``txt-ddo``, a text in Tsez, or its words, and ``gls-en``, its free translation into English."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._inside: list[str] = []
        """The elements around an item: it is of a phrase, of a word, or of its morphemes."""
        self._column = ""
        self._words: dict[Column, list[str]] = {}

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """A phrase or a part of it begins, or an item, whose type and language name its column."""
        if tag in {"phrase", "word", "morphemes"}:
            self._inside.append(tag)
        if tag == "phrase":
            self.begin_record()
            self._words = {}
        elif tag == "item":
            self._text, self._column = "", f"{attributes.get('type', '')}-{attributes.get('lang', '')}"

    def end(self, tag: str) -> None:
        """An item of a phrase is a cell, an item of a word a part of one; a phrase is a record."""
        if tag in self._inside:
            self._inside.remove(tag)
        if tag == "phrase":
            of_words = {column: " ".join(words) for column, words in self._words.items()}
            self.found.append(Record(self._line, {**of_words, **self._cells}))
        elif tag == "item" and self._inside == ["phrase"] and not self._column.startswith("segnum-"):
            self.add_text(self._column)
        elif tag == "item" and self._inside == ["phrase", "word"] and self._column.startswith(("txt-", "punct-")):
            words = self._words.setdefault(self._column.replace("punct-", "txt-"), [])
            is_mark = self._column.startswith("punct-") and words
            words.append(f"{words.pop() if is_mark else ''}{self._text or ''}")


class _Elan(_Units):
    """The columns are the tiers; a record has the annotations of one time, and those that refer to them."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._tier = self._annotation = ""
        self._times: dict[str, str] = {}
        self._keys: dict[str, tuple[str, ...]] = {}
        """The times of each annotation, or the annotation that it refers to."""
        self._values: list[tuple[str, str, str, int]] = []
        """The annotation, its tier, its text, and its line."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """A time, a tier, an annotation with its times or with the one that it refers to, or its text."""
        if tag == "TIME_SLOT":
            slot = attributes.get("TIME_SLOT_ID", "")
            self._times[slot] = attributes.get("TIME_VALUE", slot)
        elif tag == "TIER":
            self._tier = attributes.get("TIER_ID", "")
        elif tag in {"ALIGNABLE_ANNOTATION", "REF_ANNOTATION"}:
            self._annotation = attributes.get("ANNOTATION_ID", "")
            names = ("TIME_SLOT_REF1", "TIME_SLOT_REF2") if tag.startswith("A") else ("ANNOTATION_REF",)
            self._keys[self._annotation] = tuple(attributes.get(name, "") for name in names)
        elif tag == "ANNOTATION_VALUE":
            self._text = ""

    def end(self, tag: str) -> None:
        """A text is kept; at the end of the document, the texts of each time are a record."""
        if tag == "ANNOTATION_VALUE":
            self._values.append((self._annotation, self._tier, self._text or "", self.parser.CurrentLineNumber))
            self._text = None
        elif tag == "ANNOTATION_DOCUMENT":
            records: dict[tuple[str, ...], tuple[int, dict[Column, str]]] = {}
            for annotation, tier, text, line in self._values:
                _, cells = records.setdefault(self._time(annotation), (line, {}))
                cells[tier] = f"{cells[tier]} {text}" if tier in cells else text
            self.found += [Record(line, cells) for line, cells in records.values()]

    def _time(self, annotation: str) -> tuple[str, ...]:
        seen = set[str]()
        while len(key := self._keys.get(annotation, ())) == 1 and annotation not in seen:
            seen.add(annotation)
            annotation = key[0]
        return tuple(self._times.get(slot, slot) for slot in key) or (annotation,)


_FORMS: Mapping[str, tuple[str, type[_Units]]] = {
    "tmx": ("TMX", _Tmx),
    "xliff": ("XLIFF", _Xliff),
    "document": ("FLEx text", _Flex),
    "ANNOTATION_DOCUMENT": ("ELAN", _Elan),
}
"""The forms by their root elements."""
