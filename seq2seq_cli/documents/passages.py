"""Paragraphs of XML and HTML: the text of an element with what stands inside of it as marks, and the way back.

    <p>She <b>kissed</b> him.<img/></p>  ->  She <x0>kissed</x0> him.<img 1>  ->  Sie <x0>küsste</x0> ihn.<img 1>

All formats share this; a `Layout` says what the elements of one do to the text around them. An element that parts the
text, such as a list in an item of another list, is a mark there, and its own text a paragraph of its own.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from html import unescape
from typing import Literal, TypeAlias

from lxml import etree

from seq2seq_cli.documents.plain_text import Languages, Slot, primary
from seq2seq_cli.text.languages import short_code

Element: TypeAlias = etree._Element  # noqa: SLF001  # lxml gives its class no other name
Kind: TypeAlias = Literal["inline", "word", "point", "gap", "break", "format"]
"""The effect of an element on the text around it. ``inline`` is around words; where these are not to be translated, it
is a ``word``, which comes through to the letter. ``point`` stands between words, ``gap`` parts them as a space does,
``break`` parts the text. A ``format`` begins an element, and stays there."""

_MARKS: Mapping[Kind, str] = {
    "inline": "<x{0}>{1}</x{0}>",
    "word": "<var {0}></var>",
    "point": "<x{0}/>",
    "gap": "<img {0}>",
    "break": "<br {0}>",
}
"""Tags of HTML that have the same effect; see `seq2seq_cli.decoding.marks`."""
_MARK = re.compile(r"<(/?)(?:x|img |br |var )(\d+)/?>(?:</var>)?")
_WRAPPED = re.compile(r"(?<=[^\s>])[^\S\xa0\t\r\n]*+[\t\r\n]\s*+(?=[^\s<])")
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""Characters that no element may hold, though pages do."""
_LANGUAGE = ("lang", "xml:lang", "{http://www.w3.org/XML/1998/namespace}lang")
"""Attributes that state the language of an element; HTML has no namespaces."""


def local_name(element: Element) -> str:
    """The name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The effects of a format's elements on the text around them."""

    name_of: Callable[[Element], str] = local_name
    """The name of an element here; by default, its own."""
    kinds: Mapping[Kind, str]
    """The names of elements by their kinds, with spaces between."""
    others: Kind
    """The kind of all others."""
    paragraphs: Collection[str] = ()
    """Elements that have a text; empty: all that are not inline."""
    untranslated: Collection[str] = ()
    """Elements whose text is left alone."""
    attributes: Collection[str] = ()
    """The names of attributes that hold text."""
    languages: Languages | None = None
    """Elements of another language than the first are left alone; those that are translated state the second one
    afterwards. None: all are translated."""

    def kind(self, element: Element, *, is_active: bool) -> Kind:
        """The effect of an element inside a paragraph, which is translated or not."""
        if not isinstance(element.tag, str):  # a comment, an entity
            return "point"
        name = self.name_of(element)
        kind = next((kind for kind, names in self.kinds.items() if name in names.split()), self.others)
        return "word" if kind == "inline" and not self.is_translated(element, is_active) else kind

    def is_translated(self, element: Element, is_active: bool) -> bool:
        """Whether the text of an element is to be translated, given whether the text around it is."""
        if not isinstance(element.tag, str):
            return False
        stated = element.get("translate", "").lower()
        language = next(filter(None, map(element.get, _LANGUAGE)), "")
        if stated == "no" or "notranslate" in element.get("class", "").split():
            return False
        if self.languages and language and short_code(primary(language)) != self.languages[0]:
            return False
        return stated == "yes" or (is_active and self.name_of(element) not in self.untranslated)


def find_slots(element: Element, layout: Layout, *, is_active: bool = True) -> Iterator[Slot]:
    """The texts of an element and of all below it, in the order of the document."""
    is_active = layout.is_translated(element, is_active)
    paragraph = _Paragraph(element)
    text = paragraph.read(element, layout, is_active=is_active)
    if is_active:
        yield from _attributes(element, layout)
        is_paragraph = not layout.paragraphs or layout.name_of(element) in layout.paragraphs
        if is_paragraph and any(map(str.isalpha, unescape(_MARK.sub("", text)))):
            # White space around the text stays, and a wrapped line is one.
            before, stripped, after = text.partition(text.strip())
            yield Slot(_WRAPPED.sub(" ", stripped), lambda translation: paragraph.write(before + translation + after))
    for inner, kind, _ in paragraph.inside:
        if kind in {"point", "gap", "break"}:
            yield from find_slots(inner, layout, is_active=is_active)
        elif kind == "inline" and is_active:
            yield from _attributes(inner, layout)


def _attributes(element: Element, layout: Layout) -> Iterator[Slot]:
    """The texts in the attributes of a translated element, which no longer states the language of the source."""
    if layout.languages:
        for name in filter(element.get, _LANGUAGE):
            element.set(name, layout.languages[1])
    for name in layout.attributes:
        if any(map(str.isalpha, text := element.get(name, ""))):
            yield Slot(_FORBIDDEN.sub("", text), partial(element.set, name))


@dataclass(frozen=True)
class _Paragraph:
    """An element with a text; those inside of it have numbers, by which its marks name them."""

    element: Element
    inside: list[tuple[Element, Kind, Element]] = field(default_factory=list)
    """Each with its kind, and with the paragraph or the inline element around it."""

    def read(self, element: Element, layout: Layout, *, is_active: bool) -> str:
        """The text of the paragraph, or of an inline element in it, as HTML with its marks."""
        text = _escaped(element.text)
        for child in element:
            kind, own = layout.kind(child, is_active=is_active), len(self.inside)
            if kind != "format":
                self.inside.append((child, kind, element))
                inner = self.read(child, layout, is_active=is_active) if kind == "inline" else ""
                text += _MARKS[kind].format(own, inner)
            text += _escaped(child.tail)
        return text

    def write(self, text: str) -> None:
        """Replace the text: every mark of it stands for an element, which is where the mark is.

        Marks may overlap that do not in the source, where a pair has words of two sentences around it. An inline
        element is in the same one as before, or, where that is not open, in the paragraph: others end before it.
        """
        for element in (self.element, *(element for element, kind, _ in self.inside if kind == "inline")):
            element.text = None
            for child in element:
                child.tail = None
        # In the tree: what leaves it takes time, as its namespaces are copied.
        aside = self.element.makeelement("aside")
        self.element.insert(0, aside)
        aside.extend([element for element, _, _ in self.inside])
        opened, position = [self.element], 0
        known = (mark for mark in _MARK.finditer(text) if int(mark[2]) < len(self.inside))  # the model may write others
        for mark in known:
            _append_text(opened[-1], text[position : mark.start()])
            position = mark.end()
            element, kind, around = self.inside[int(mark[2])]
            if mark[1]:
                del opened[opened.index(element) if element in opened else len(opened) :]
            elif kind == "inline":
                del opened[opened.index(around) + 1 if around in opened else 1 :]
                opened[-1].append(element)
                opened.append(element)
            else:
                opened[-1].append(element)
        _append_text(opened[-1], text[position:])
        self.element.text = aside.tail
        self.element.remove(aside)


def _append_text(parent: Element, text: str) -> None:
    text = _FORBIDDEN.sub("", unescape(text))
    last = next(parent.iterchildren(reversed=True), None)  # len() would count them
    if last is None:
        parent.text = (parent.text or "") + text or None
    else:
        last.tail = (last.tail or "") + text


def _escaped(text: str | None) -> str:
    return (text or "").replace("&", "&amp;").replace("<", "&lt;")
