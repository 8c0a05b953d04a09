"""The formats made of elements: HTML, XHTML, XLIFF, and the parts of Word and OpenDocument files that hold text."""

import codecs
import re
from collections.abc import Callable, Collection, Iterator
from copy import deepcopy
from dataclasses import replace
from html.entities import name2codepoint
from io import BytesIO
from itertools import groupby

from lxml import etree

from seq2seq_cli.documents.passages import Element, Layout, find_slots, local_name
from seq2seq_cli.documents.plain_text import XLIFF_LANGUAGES, XLIFF_UNITS, XML_CODES, Draft, Languages, primary
from seq2seq_cli.errors import InputError
from seq2seq_cli.text.characters import Span
from seq2seq_cli.text.languages import short_code
from seq2seq_cli.text.spacy_tokenizers import ANY_LANGUAGE

_CHARSET = re.compile(rb"(?i)<meta[^>]*charset\s*=\s*[\"']?\s*(?!utf-?16)([\w-]+)")
"""The stated encoding; UTF-16 is wrong where it can be read in single bytes, and stands for UTF-8, as in browsers."""
_EMPTY = ("embed", "source", "track", "wbr")
"""Elements that hold nothing, in which the parser puts what follows."""
_OPENED = "opened"
"""The name of an element whose content takes its place."""
_NAMED = re.compile(rb"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|&([A-Za-z][A-Za-z0-9]+);", re.DOTALL)
"""A character by its name, in the first group; a comment or an unparsed part, where there is none."""


def _parsed(content: bytes, name: str) -> tuple[Element, Callable[[], bytes]]:
    """The root of an XML file, whose entities are not expanded, and what writes the file; raises InputError."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, strip_cdata=False)
    try:
        tree = etree.parse(BytesIO(content), parser)
    except etree.XMLSyntaxError as error:
        line, column = error.position
        problem = " ".join(re.sub(r", line \d+, column \d+.*", "", error.msg or "", flags=re.DOTALL).split())
        raise InputError(f"{name}:{line}:{column}: not XML: {problem}: correct it, or remove the password") from None
    encoding, alone = tree.docinfo.encoding or "UTF-8", tree.docinfo.standalone or None
    is_stated = content.removeprefix(codecs.BOM_UTF8).startswith(b"<?xml")
    return tree.getroot(), lambda: etree.tostring(tree, encoding=encoding, xml_declaration=is_stated, standalone=alone)


# HTML

_PAGE = Layout(
    kinds={
        "inline": "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark math q ruby rb rp"
        " rt rtc s samp small span strike strong sub sup svg time tt u var",
        "point": "wbr area param source track",
        "gap": "img embed input picture video audio object iframe canvas button select meter progress",
    },
    others="break",
    untranslated=["code", "kbd", "math", "metadata", "pre", "samp", "script", "style", "svg", "textarea", "var"],
    attributes=("alt", "title", "placeholder", "aria-label"),
)


def read_html(content: bytes, name: str, languages: Languages) -> Draft:
    """A page."""
    mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
    content, stated = content.removeprefix(mark), None if mark else _CHARSET.search(content, 0, 1024)
    encoding = stated[1].decode("ascii") if stated else "ascii" if content.isascii() else "utf-8"
    try:
        if codecs.lookup(encoding).name == "iso8859-1" and not re.search(rb"[\x81\x8d\x8f\x90\x9d]", content):
            encoding = "windows-1252"  # as in browsers: pages that say the former have quotation marks of the latter
        content.decode(encoding)
        parser = etree.HTMLParser(encoding=encoding, default_doctype=False)
        tree = etree.parse(BytesIO(content), parser)
    except (LookupError, UnicodeError):
        raise InputError(f"{name}: not in {encoding}, its encoding: save it in UTF-8, and let it say so") from None
    if (root := tree.getroot()) is None:
        raise InputError(f"{name}: empty: give a page with a text")
    if any(entry.level == etree.ErrorLevels.FATAL for entry in parser.error_log):  # the rest was not read
        raise InputError(f"{name}: elements in elements too deep, or one with too much text: correct or split it")
    for late in [*root.itersiblings("html")]:  # text behind the end of the page
        late.tag = _OPENED
        root.append(late)
    for element in [*root.iter(_EMPTY)]:
        element.addprevious(element.makeelement(element.tag, element.attrib))
        element.tag = _OPENED
    etree.strip_tags(root, _OPENED)
    return _page_draft(root, languages, lambda: mark + etree.tostring(tree, method="html", encoding=encoding))


def read_xhtml(content: bytes, name: str, languages: Languages) -> Draft:
    """An XHTML page, such as a chapter of a book, or the book's own description, which states its language."""
    root, written = _parsed(_NAMED.sub(_numbered, content), name)
    for element in root.iter("{http://purl.org/dc/elements/1.1/}language"):
        if short_code(primary(element.text or "")) == languages[0]:
            element.text = languages[1]
    return _page_draft(root, languages, written)


def _numbered(found: re.Match[bytes]) -> bytes:
    """A character of HTML by its number: XML knows the names of ASCII alone."""
    number = name2codepoint.get((found[1] or b"").decode(), 0)
    return b"&#%d;" % number if number > 127 else found[0]


def _page_draft(root: Element, languages: Languages, serialised: Callable[[], bytes]) -> Draft:
    """The draft of a page, which says afterwards that the language of what is translated is the target's."""
    layout = replace(_PAGE, languages=None if languages[0] == ANY_LANGUAGE else languages)
    return Draft(list(find_slots(root, layout)), serialised)


# XLIFF: https://docs.oasis-open.org/xliff

_UNIT = Layout(
    name_of=lambda element: element.get("mtype") or local_name(element),
    kinds={"point": f"x bx ex sc ec sm em cp {' '.join(XML_CODES)}", "break": "seg"},
    others="inline",
    untranslated=("protected", *XML_CODES),
)


def read_xliff(content: bytes, name: str, languages: Languages) -> Draft:
    """The units without a translation; raises InputError for a file of other languages."""
    root, written = _parsed(content, name)
    for element in root.iter("{*}xliff", "{*}file"):
        for names in zip(*XLIFF_LANGUAGES.values(), strict=True):
            for key, language in zip(names, languages, strict=True):
                stated = element.get(key) or language
                if ANY_LANGUAGE != language != short_code(primary(stated)):
                    problem = f"{key} is {stated}, and the model's is {language}"
                    raise InputError(f"{name}:{element.sourceline}: {problem}: name another run, or correct the file")
                if element.get(names[0]) and stated != ANY_LANGUAGE:
                    element.set(key, stated)
    targets = [target for unit in root.iter(*(f"{{*}}{tag}" for tag in XLIFF_UNITS)) for target in _new_targets(unit)]
    return Draft([slot for target in targets for slot in find_slots(target, _UNIT)], written)


def _new_targets(unit: Element) -> Iterator[Element]:
    """The target of a unit that is to be translated and has none, or an empty one: a copy of the source at first."""
    source, target = unit.find("{*}source"), unit.find("{*}target")
    stated = next(filter(None, (each.get("translate") for each in (unit, *unit.iterancestors()))), "yes")
    has_target = target is not None and (len(target) or (target.text or "").strip())
    if source is None or has_target or stated == "no" or not "".join(source.itertext()).strip():
        return
    segmented = unit.find("{*}seg-source")
    copied = source if segmented is None else segmented
    if target is None:
        target = unit.makeelement(str(source.tag).removesuffix("source") + "target")
        target.tail = copied.tail
        copied.addnext(target)
    target.text = copied.text
    target[:] = deepcopy(copied)[:]
    if local_name(unit) == "segment":
        unit.set("state", "translated")
    else:
        target.attrib.update({"state": "needs-review-translation", "state-qualifier": "leveraged-mt"})
    yield target


# OpenDocument

_TEXT = Layout(
    kinds={"inline": "span a meta", "gap": "tab s frame", "break": "p h line-break"},
    others="point",
    paragraphs=("p", "h", "title", "desc"),
    untranslated=("annotation", "tracked-changes"),
)


def read_odt_part(content: bytes, name: str, _languages: Languages) -> Draft:
    """The text of an OpenDocument file, or its headers and footers."""
    root, written = _parsed(content, name)
    return Draft(list(find_slots(root, _TEXT)), written)


# Word

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_RUN, _RUN_TEXT, _RUN_FORMAT, _PROOF = f"{_W}r", f"{_W}t", f"{_W}rPr", f"{_W}proofErr"
_USUAL, _STYLED, _FIELD = "usual", "styled", "field"
"""Stand for runs with text while it is translated: those of a paragraph's usual format, and others; and for all runs
of a field, such as the number of a page, whose order must stay."""
_LINKS = "hyperlink ins moveTo smartTag fldSimple customXml bdo dir"
_AROUND_RUNS = [f"{_W}{name}" for name in f"p {_LINKS}".split()]


def _name_in_word(element: Element) -> str:
    """The name of an element of Word; a run without text has the effect of what it holds."""
    inner = _parts(element) if element.tag == _RUN else []
    return local_name(inner[0] if inner else element)


def _parts(run: Element) -> list[Element]:
    """The elements in a run, but its format."""
    return [part for part in run if part.tag != _RUN_FORMAT]


_LETTER = Layout(
    name_of=_name_in_word,
    kinds={
        "inline": f"{_STYLED} {_FIELD} {_LINKS}",
        "gap": "tab ptab sdt drawing pict object",
        "break": "p br cr",
        "format": "pPr rPr",
    },
    others="point",
    paragraphs=("p", "sdtContent"),  # the latter is a field to fill in
    untranslated=("del", "moveFrom", "fldSimple", _FIELD),
    attributes=("descr", "title"),
)


def read_docx_part(content: bytes, name: str, _languages: Languages) -> Draft:
    """The text of a Word file, or its headers, footers or notes.

    Word cuts a text into runs wherever it was edited. While it is translated, it stands in its paragraph directly, as
    in HTML, and only what has another format than the longest run is in an element.
    """
    root, written = _parsed(content, name)
    etree.strip_elements(root, _PROOF)  # about the spelling of the words that were there
    for element in root.iter("*"):  # no white space between elements is text
        element.tail = None
        element.text = element.text if next(element.iterchildren(), None) is None else None
    for hyphen in root.iter(f"{_W}noBreakHyphen"):  # part of a word, which an element of its own would leave
        hyphen.tag, hyphen.text = _RUN_TEXT, "-"
    inner = set(root.iterfind(f".//{_RUN}/*"))
    for parent in dict.fromkeys(root.iterfind(f".//{_RUN}/..")):
        _join_fields(parent)
    parents = [*root.iter(*_AROUND_RUNS), *root.iterfind(f".//{_RUN}/..")]
    usual = {parent: _loosened(parent) for parent in dict.fromkeys(parents)}
    etree.strip_tags(root, _RUN_TEXT, _USUAL)

    def finished() -> bytes:
        for parent, run in usual.items():
            _fasten(parent, run, inner)
        etree.strip_tags(root, _FIELD)
        return written()

    return Draft(list(find_slots(root, _LETTER)), finished)


def _join_fields(parent: Element) -> None:
    """Put each field that begins and ends in a paragraph or a link into one element, with the fields inside of it."""
    children, begun, fields = [*parent], list[int](), list[Span]()
    for place, child in enumerate(children):
        for mark in child.iterchildren(f"{_W}fldChar"):
            if mark.get(f"{_W}fldCharType") == "begin":
                begun.append(place)
            elif mark.get(f"{_W}fldCharType") == "end" and begun:
                first = begun.pop()
                while fields and fields[-1][0] >= first:
                    fields.pop()
                fields.append((first, place))
    for first, last in fields:
        field = parent.makeelement(_FIELD)
        children[first].addprevious(field)
        field.extend(children[first : last + 1])


def _loosened(parent: Element) -> Element:
    """An empty run of the usual format in a paragraph or a link, whose runs with text are marked, or joined."""
    runs = {
        run: [etree.tostring(style) for style in run.iterchildren(_RUN_FORMAT)]
        for run in parent.iterchildren(_RUN)
        if run.find(_RUN_TEXT) is not None
    }
    if not runs:
        return etree.Element(_RUN)
    longest = max(runs, key=lambda run: len("".join(run.itertext(_RUN_TEXT))))
    usual = _bare(longest)
    for run, style in runs.items():
        before = run.getprevious()
        if before is not None and runs.get(before) == style:
            before.extend(_parts(run))
            parent.remove(run)
        elif style == runs[longest]:
            run.tag = _USUAL
            for shown in run.findall(_RUN_FORMAT):
                run.remove(shown)
        else:
            run.tag = _STYLED
    return usual


def _bare(run: Element) -> Element:
    """An empty run of the same format."""
    copy = run.makeelement(_RUN, run.attrib)
    copy.extend(map(deepcopy, run.iterchildren(_RUN_FORMAT)))
    return copy


def _fasten(parent: Element, usual: Element, inner: Collection[Element]) -> None:
    """Put the text of a paragraph or a link back into runs; `inner` is what may only stand in runs."""
    items: list[tuple[Element, Element | str]] = []
    """Each with a run that has its format."""
    for item in _taken(parent):
        if isinstance(item, str) or item.tag != _STYLED:
            items.append((usual, item))
        else:
            parts, run = _taken(item), _bare(item)
            items += [(run, part) for part in parts]
    for (run, is_inner), group in groupby(items, lambda item: (item[0], isinstance(item[1], str) or item[1] in inner)):
        around = deepcopy(run) if is_inner else parent
        if is_inner:
            parent.append(around)
        for _, item in group:
            if isinstance(item, str):
                text = etree.SubElement(around, _RUN_TEXT)
                text.text = item
                if item != item.strip():
                    text.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
            else:
                around.append(item)
    for run in [*parent.iterchildren(_STYLED)]:
        parent.remove(run)


def _taken(element: Element) -> list[Element | str]:
    """The texts and the elements in an element, but the format of a run; the elements are still there."""
    items: list[Element | str] = [element.text or ""]
    for child in element:
        items += [child, child.tail or ""]
        child.tail = None
    element.text = None
    return [item for item in items if (item if isinstance(item, str) else item.tag != _RUN_FORMAT)]
