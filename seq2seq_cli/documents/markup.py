"""The formats made of elements: HTML, XHTML, and the parts of Word and OpenDocument files that hold text."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from html import escape
from io import BytesIO
from typing import TypeAlias

from lxml import etree

from seq2seq_cli.documents.draft import Draft, Languages, primary
from seq2seq_cli.documents.passages import Element, Kind, Layout, Slot, append, append_plain, find_slots
from seq2seq_cli.errors import InputError

Tree: TypeAlias = "etree._ElementTree[Element]"  # noqa: SLF001  # lxml gives its class no other name

_NAMESPACES = {
    "": "",
    "http://www.w3.org/1999/xhtml": "",
    "http://www.daisy.org/z3986/2005/ncx/": "ncx:",
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "w:",
    "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0": "draw:",
    "urn:oasis:names:tc:opendocument:xmlns:office:1.0": "office:",
    "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0": "svg:",
    "urn:oasis:names:tc:opendocument:xmlns:text:1.0": "text:",
}
_CHARSET = re.compile(rb"<meta[^>]*charset\s*=\s*[\"']?\s*([\w-]+)", re.IGNORECASE)
_HEAD = 1024
"""Bytes in which an HTML file names its encoding."""
_ADDRESS = re.compile(rb"s2s-address-\d+-")
"""Stands for an address of a page, which libxml2 would write in another way."""
_WHOLE_PAGE = re.compile(rb"<(html|head|body|title|meta|link|base)\b|<!doctype", re.IGNORECASE)


def _name(element: Element) -> str:
    """The name of an element, with the prefix that its namespace has here."""
    space, _, name = str(element.tag).rpartition("}")
    return f"{_NAMESPACES.get(space[1:], '?:')}{name}"


def _kinds(other: Kind, **names: str) -> Callable[[Element], Kind]:
    """The kind of an element by its name; the names of each kind are separated by spaces."""
    kinds: dict[str, Kind] = {name: kind for kind, of_kind in names.items() for name in of_kind.split()}  # type: ignore[misc]
    return lambda element: kinds.get(_name(element), other)


# HTML

_PAGE = Layout(
    kind_of=_kinds(
        "break",
        inline="a abbr acronym b bdi bdo big cite data del dfn em font i ins label mark q ruby rb rp rt rtc s small"
        " span strike strong sub sup time tt u",
        word="code kbd samp var svg math",
        point="wbr area param source track",
        gap="img embed input picture video audio object iframe canvas button select meter progress",
        skip="script style pre textarea",
    ),
    attributes=("alt", "title", "placeholder", "aria-label"),
)
_CONTENTS = Layout(kind_of=_kinds("break"), is_paragraph=lambda element: _name(element) == "ncx:text")
"""The contents of a book, of EPUB 2."""


def read_html(content: bytes, name: str, languages: Languages) -> Draft:
    """A page, or a part of one."""
    stated = _CHARSET.search(content, 0, _HEAD)
    encoding = stated[1].decode("ascii") if stated else "ascii" if content.isascii() else "utf-8"
    try:
        content.decode(encoding)
        tree = etree.parse(BytesIO(content), etree.HTMLParser(encoding=encoding))
    except (LookupError, UnicodeDecodeError):
        raise InputError(f"{name}: not in {encoding}, its encoding: save it in UTF-8, and let it say so") from None
    body = next(tree.iter("body"), None)
    if body is None:
        raise InputError(f"{name}: empty: give a page with a text")
    is_whole, end = _WHOLE_PAGE.search(content) is not None, content[len(content.rstrip()) :]
    shown: Tree | Element = tree if is_whole else body
    addresses: dict[bytes, bytes] = {}
    for element in tree.iter("*"):
        for key in {"href", "src", "action"} & set(element.keys()):
            if re.search("[^!-~]", address := element.get(key, "")):
                element.set(key, mark := f"s2s-address-{len(addresses)}-")
                addresses[mark.encode()] = escape(address).encode(encoding, "xmlcharrefreplace")

    def serialised() -> bytes:
        page: bytes = etree.tostring(shown, method="html", encoding=encoding, with_tail=False)
        page = _ADDRESS.sub(lambda mark: addresses.get(mark[0], mark[0]), page)
        inside = page if is_whole else page.partition(b">")[2].removesuffix(b"</body>")
        return inside.rstrip() + end

    return _page_draft(tree.getroot(), _PAGE, languages, serialised)


def read_xhtml(content: bytes, name: str, languages: Languages) -> Draft:
    """A chapter of a book, or its contents."""
    tree = _parsed(content, name)
    layout = _CONTENTS if _name(tree.getroot()).startswith("ncx:") else _PAGE
    return _page_draft(tree.getroot(), layout, languages, lambda: _serialised(tree, content))


def _page_draft(root: Element, layout: Layout, languages: Languages, serialised: Callable[[], bytes]) -> Draft:
    """The draft of a page, which says afterwards that its language is the target's."""
    source, target = languages
    named = [key for key, value in root.attrib.items() if key.endswith("lang") and primary(value) == source]

    def finished() -> bytes:
        for key in named:
            root.set(key, target)
        return serialised()

    return _draft(find_slots(root, replace(layout, language=source)), finished)


# OpenDocument

_TEXT = Layout(
    kind_of=_kinds(
        "point",
        inline="text:span text:a text:meta",
        hidden="office:annotation text:tracked-changes",
        gap="text:tab text:s draw:frame",
        **{"break": "text:p text:h text:line-break"},
    ),
    is_paragraph=lambda element: _name(element) in {"text:p", "text:h", "svg:title", "svg:desc"},
)


def read_odt_part(content: bytes, name: str, _languages: Languages) -> Draft:
    """The text of an OpenDocument file, or its headers and footers."""
    tree = _parsed(content, name)
    return _draft(find_slots(tree.getroot(), _TEXT), lambda: _serialised(tree, content))


# Word

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_STYLED = "styled"
"""Stands for a run whose style is not the usual one, while its text is translated."""
_RUN, _RUN_TEXT, _RUN_STYLE, _PROOF = f"{_W}r", f"{_W}t", f"{_W}rPr", f"{_W}proofErr"
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_of_word = _kinds(
    "point",
    inline="styled w:hyperlink w:ins w:moveTo w:smartTag w:fldSimple",
    hidden="w:del w:moveFrom w:instrText",
    gap="w:tab w:ptab w:sdt w:drawing w:pict w:object",
    skip="w:pPr w:br w:cr",
    **{"break": "w:p"},
)


def _of_run(element: Element) -> Kind:
    """The kind of an element of Word; a run without text has the effect of what it holds."""
    inner = [child for child in element if child.tag != _RUN_STYLE] if element.tag == _RUN else []
    return _of_word(inner[0] if inner else element)


_LETTER = Layout(
    kind_of=_of_run,
    is_paragraph=lambda element: _name(element) in {"w:p", "w:sdtContent"},  # the latter is a field to fill in
    attributes=("descr", "title"),
)


def read_docx_part(content: bytes, name: str, _languages: Languages) -> Draft:
    """The text of a Word file, or its headers, footers or notes."""
    tree = _parsed(content, name)
    runs = (run for run in tree.iter(_RUN) if run.find(_RUN_TEXT) is not None)
    loosened = [_Loosened(parent) for parent in dict.fromkeys(run.getparent() for run in runs) if parent is not None]

    def finished() -> bytes:
        for each in loosened:
            each.fasten()
        return _serialised(tree, content)

    return _draft(find_slots(tree.getroot(), _LETTER), finished)


class _Loosened:
    """A paragraph of Word, or a link in one, whose text stands in it directly, as in HTML, and no more in runs.

    Only the text of another style than the longest run's stays in an element. Word cuts a text into runs wherever it
    was edited: neighbours of one style are one run afterwards.
    """

    def __init__(self, parent: Element) -> None:
        runs = {run: _style(run) for run in parent.iterchildren(_RUN) if run.find(_RUN_TEXT) is not None}
        longest = max(runs, key=lambda run: len("".join(run.itertext(_RUN_TEXT))))
        self.parent, self.usual = parent, _emptied(longest)
        self.others: dict[Element, Element] = {}
        """A run without text for each element in the place of runs of another style."""
        self.inner: set[Element] = set()
        """What stood beside the text in runs, such as a tab."""
        inside, style = parent, runs[longest]
        for child in _taken(parent):
            if isinstance(child, str) or child.tag == _PROOF:  # about the spelling of the words that were there
                continue
            if child not in runs:
                inside, style = parent, runs[longest]
                append(parent, child)
                continue
            if runs[child] != style:
                style = runs[child]
                inside = parent if style == runs[longest] else etree.SubElement(parent, _STYLED)
                self.others |= {} if inside is parent else {inside: _emptied(child)}
            for part in child.iterchildren():
                if part.tag == _RUN_TEXT:
                    append_plain(inside, part.text or "")
                elif part.tag != _RUN_STYLE:
                    self.inner.add(part)
                    append(inside, part)

    def fasten(self) -> None:
        """Put the text back into runs."""
        for element, run in self.others.items():
            for item in _taken(element):
                _put(run, item)
            run.tail = element.tail
            if (parent := element.getparent()) is not None:
                parent.replace(element, run)
        current = None
        for item in _taken(self.parent):
            if not isinstance(item, str) and item not in self.inner:
                current = None
                append(self.parent, item)
                continue
            if current is None:
                current = deepcopy(self.usual)
                append(self.parent, current)
            _put(current, item)


def _style(run: Element) -> bytes:
    """The format of a run, the same for runs that look the same."""
    style = run.find(_RUN_STYLE)
    return b"" if style is None else etree.tostring(style, method="c14n", exclusive=True)


def _emptied(run: Element) -> Element:
    """A copy of a run, of which only the format is left."""
    copy = deepcopy(run)
    copy[:] = [child for child in copy if child.tag == _RUN_STYLE]
    return copy


def _taken(element: Element) -> list[Element | str]:
    """The texts and the elements in an element, which is empty then."""
    items: list[Element | str] = [element.text or ""]
    for child in element:
        items += [child, child.tail or ""]
    element.text = None
    element[:] = []
    return [item for item in items if not isinstance(item, str) or item]


def _put(run: Element, item: Element | str) -> None:
    """Add a text or an element to a run."""
    if not isinstance(item, str):
        append(run, item)
        return
    text = etree.SubElement(run, _RUN_TEXT)
    text.text = item
    if item != item.strip():
        text.set(_SPACE, "preserve")


# All


def _draft(slots: Iterable[Slot], serialised: Callable[[], bytes]) -> Draft:
    found = list(slots)

    def finish(translations: Sequence[str]) -> bytes:
        for slot, translation in zip(found, translations, strict=True):
            slot.write(translation)
        return serialised()

    return Draft([slot.text for slot in found], finish)


def _parsed(content: bytes, name: str) -> Tree:
    """The tree of a file, whose entities are not expanded; raises InputError unless it is XML."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, strip_cdata=False)
    try:
        return etree.parse(BytesIO(content), parser)
    except etree.XMLSyntaxError as error:
        line, column = error.position
        problem = " ".join(re.sub(r", line \d+, column \d+.*", "", error.msg or "", flags=re.DOTALL).split())
        raise InputError(f"{name}:{line}:{column}: not XML: {problem}: correct it, or export the file again") from None


def _serialised(tree: Tree, content: bytes) -> bytes:
    """The file of a tree, with an XML declaration if the content that it was read from has one."""
    has_declaration = content.lstrip(b"\xef\xbb\xbf").startswith(b"<?xml")
    info = tree.docinfo
    written = etree.tostring(
        tree, encoding=info.encoding or "UTF-8", xml_declaration=has_declaration, standalone=info.standalone or None
    )
    return written.rstrip() + content[len(content.rstrip()) :]
