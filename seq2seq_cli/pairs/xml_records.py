"""XML with texts in several languages: TMX, XLIFF, the texts of FLEx, and the tiers of ELAN.

TMX    units of a translation memory, with a variant per language      https://www.gala-global.org/tmx-14b
XLIFF  units to translate, with a source and a target                  https://docs.oasis-open.org/xliff
FLEx   phrases with their words and free translations (.flextext)
ELAN   tiers of annotations of the same times (.eaf)                   https://www.mpi.nl/tools/elan/EAF_Annotation_Format_3.0_and_ELAN.pdf
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any, BinaryIO
from xml.etree.ElementTree import Element, ParseError, XMLPullParser
from xml.parsers import expat

from seq2seq_cli.documents.plain_text import XLIFF_LANGUAGES, XLIFF_UNITS, XML_CODES, primary
from seq2seq_cli.errors import PairFileError
from seq2seq_cli.pairs.archives import read_text
from seq2seq_cli.pairs.pair_files import Column, Reader, Record

_STARTS = ("<?xml", "<tmx", "<xliff", "<!DOCTYPE tmx", "<!--")
_COMMENTS = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ROOT = re.compile(r"<([A-Za-z_]\w*)")
_LINE = ""
"""The attribute, of a name that XML has not, with the line on which the first tag of an element ends."""
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


def find_xml(head: str) -> Reader | None:
    """The reader of a text that begins like XML; None for any other text."""
    if not head.lstrip().startswith(_STARTS):
        return None
    found = _ROOT.search(_COMMENTS.sub("", head))
    root = found[1] if found else ""
    return Reader(_FORMS[root][0] if root in _FORMS else "XML", partial(_records, root=root))


def _records(file: BinaryIO, name: str, _encoding: str, *, root: str) -> Iterator[Record]:
    """The records of XML, which names its own encoding; raises PairFileError for an unknown form, by its root."""
    if root not in _FORMS:
        forms = ", ".join(kind for kind, *_ in _FORMS.values())
        raise PairFileError(f"{name}:1: XML, but no {forms}: export the pairs as TMX or CSV")
    _, tags, records_of = _FORMS[root]
    try:
        for unit, around in _units(read_text(file, name), tags):
            yield from records_of(unit, around, name)
    except ParseError as error:  # also of entities that are defined elsewhere, or fill the memory
        line, column = error.position
        problem = f"not XML: {expat.ErrorString(error.code)}: correct it, or export the file again"
        raise PairFileError(f"{name}:{line}:{column + 1}: {problem}") from None
    except (LookupError, ValueError):
        raise PairFileError(f"{name}:1: the XML names an unknown encoding: export the file as UTF-8") from None


def _units(pieces: Iterable[bytes], tags: Collection[str]) -> Iterator[tuple[Element, Mapping[str, str]]]:
    """The elements with some tags, and the attributes of the elements around each, such as the languages of its file.

    No other element is kept. The unit of ELAN is its whole document.
    """
    parser: XMLPullParser[Any] = XMLPullParser(("start", "end"))
    opened: list[Element] = []
    inside = 0  # of so many units
    lines = chain.from_iterable(piece.splitlines(keepends=True) for piece in pieces)
    number = 1
    for line in chain(lines, [None]):
        parser.close() if line is None else parser.feed(line)
        events: Iterator[Any] = parser.read_events()
        for event, element in events:
            if event == "start":
                element.tag = element.tag.rpartition("}")[2]  # without the namespace
                element.set(_LINE, str(number))
                inside += element.tag in tags
                opened.append(element)
                continue
            opened.pop()
            inside -= element.tag in tags
            if element.tag in XML_CODES:  # whose content is no text
                element.text = None
                del element[:]
            if inside == 0 and element.tag in tags:
                yield element, {key: value for outer in opened for key, value in outer.attrib.items()}
            if inside == 0 and opened:
                opened[-1].remove(element)
        number += (line or b"").endswith(b"\n")


def _line(element: Element) -> int:
    return int(element.attrib[_LINE])


def _text(element: Element) -> str:
    return "".join(element.itertext())


def _tmx(unit: Element, _around: Mapping[str, str], name: str) -> Iterator[Record]:
    """The columns are the languages of the variants, without regions."""
    cells: dict[Column, str] = {}
    for variant in unit.iter("tuv"):
        language = primary(variant.get(_LANGUAGE) or variant.get("lang") or "")
        if not language:
            raise PairFileError(f"{name}:{_line(variant)}: a <tuv> without xml:lang: name its language there")
        for text in variant.iterfind("seg"):
            cells.setdefault(language, _text(text))
    yield Record(_line(unit), cells)


def _xliff(unit: Element, around: Mapping[str, str], _name: str) -> Iterator[Record]:
    """A unit of version 1.2 or 2; the columns are the languages of the file. A unit without a target is left out."""
    cells: dict[Column, str] = {}
    language = ""
    for side, names in XLIFF_LANGUAGES.items():
        language = next(filter(None, (primary(around.get(name, "")) for name in names)), side)
        for text in unit.iterfind(side):  # not those of other translations, inside of <alt-trans>
            cells.setdefault(language, _text(text))
    if cells.get(language):
        yield Record(_line(unit), cells)


def _flex(phrase: Element, _around: Mapping[str, str], _name: str) -> Iterator[Record]:
    """The columns are ``txt-ddo``, a text in Tsez, or its words, and ``gls-en``, its free translation into English."""
    words: dict[str, list[str]] = {}
    for item in phrase.iterfind(".//word/item"):
        kind, language = item.get("type"), item.get("lang", "")
        if kind in {"txt", "punct"}:
            before = words.setdefault(f"txt-{language}", [])
            before.append(f"{before.pop() if before and kind == 'punct' else ''}{_text(item)}")
    cells: dict[Column, str] = {}
    for item in phrase.iterfind("item"):
        if item.get("type") != "segnum":
            cells.setdefault(f"{item.get('type', '')}-{item.get('lang', '')}", _text(item))
    yield Record(_line(phrase), {**{column: " ".join(of_column) for column, of_column in words.items()}, **cells})


_REFERENCES = {"ALIGNABLE_ANNOTATION": ("TIME_SLOT_REF1", "TIME_SLOT_REF2"), "REF_ANNOTATION": ("ANNOTATION_REF",)}
"""The attributes of an annotation with its times, or with the annotation that it refers to."""


def _elan(document: Element, _around: Mapping[str, str], _name: str) -> Iterator[Record]:
    """The columns are the tiers; a record has the annotations of one time, and those that refer to them."""
    slots = ((slot.get("TIME_SLOT_ID", ""), slot) for slot in document.iter("TIME_SLOT"))
    times = {name: slot.get("TIME_VALUE", name) for name, slot in slots}
    annotations = [
        (tier.get("TIER_ID", "").partition("@")[0], annotation.get("ANNOTATION_ID", ""), annotation)
        for tier in document.iter("TIER")
        for annotation in tier.iter()
        if annotation.tag in _REFERENCES
    ]
    keys = {name: tuple(each.get(key, "") for key in _REFERENCES[each.tag]) for _, name, each in annotations}

    def time(annotation: str) -> tuple[str, ...]:
        seen = set[str]()
        while len(key := keys.get(annotation, ())) == 1 and annotation not in seen:
            seen.add(annotation)
            annotation = key[0]
        return tuple(times.get(slot, slot) for slot in key) or (annotation,)

    records: dict[tuple[str, ...], tuple[int, dict[Column, str]]] = {}
    for tier, name, annotation in annotations:
        for value in annotation.iterfind("ANNOTATION_VALUE"):
            _, cells = records.setdefault(time(name), (_line(value), {}))
            cells[tier] = f"{cells[tier]} {_text(value)}" if tier in cells else _text(value)
    yield from (Record(line, cells) for line, cells in records.values())


_FORMS: Mapping[str, tuple[str, Collection[str], Callable[[Element, Mapping[str, str], str], Iterator[Record]]]] = {
    "tmx": ("TMX", {"tu"}, _tmx),
    "xliff": ("XLIFF", XLIFF_UNITS, _xliff),
    "document": ("FLEx text", {"phrase"}, _flex),
    "ANNOTATION_DOCUMENT": ("ELAN", {"ANNOTATION_DOCUMENT"}, _elan),
}
"""The forms by their root elements: the name in messages, the elements that hold records, and what makes records of
such an element, of the attributes of those around it, and of the file's name in messages."""
