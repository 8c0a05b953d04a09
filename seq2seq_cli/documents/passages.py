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
from typing import Literal, NamedTuple, TypeAlias

from lxml import etree

from seq2seq_cli.documents.draft import primary

Element: TypeAlias = etree._Element  # noqa: SLF001  # lxml gives its class no other name
Kind: TypeAlias = Literal["inline", "point", "hidden", "gap", "break", "skip", "word"]
"""The effect of an element on the text around it. ``inline`` is around words, ``point`` stands between them, ``gap``
parts them as a space does, ``break`` parts the text. ``hidden`` is a point, ``skip`` a break, whose inside is left
alone. ``word`` comes through to the letter: code, and what is not to be translated inside a sentence."""

_MARKS: Mapping[Kind, str] = {
    "inline": "<x{0}>{1}</x{0}>",
    **dict.fromkeys(("point", "hidden"), "<x{0}/>"),
    "gap": "<img {0}>",
    **dict.fromkeys(("break", "skip"), "<br {0}>"),
    "word": "<var {0}></var>",
}
"""Tags of HTML that have the same effect; see `seq2seq_cli.decoding.marks`."""
_MARK = re.compile(r"<(/?)(x|img |br |var )(\d+)/?>(?:</var>)?")
_WRAPPED = re.compile(r"(?<=[^\s>])[^\S\xa0]*[\t\r\n]\s*(?=[^\s<])")
_EDGES = re.compile(r"(\s*)(.*?)(\s*)", re.DOTALL)
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""Characters that no element may hold, though pages do."""
_LANGUAGE = ("lang", "{http://www.w3.org/XML/1998/namespace}lang")


class Slot(NamedTuple):
    """A place of a document that holds a text."""

    text: str
    write: Callable[[str], object]
    """Puts the translation there."""


@dataclass(frozen=True, kw_only=True)
class Layout:
    """What the elements of a format do to the text around them."""

    kind_of: Callable[[Element], Kind]
    is_paragraph: Callable[[Element], bool] = lambda _: True
    """Whether the text of an element that is not inline is translated."""
    attributes: Collection[str] = ()
    """The names of attributes that hold text."""
    language: str = ""
    """The language that is translated; elements of another one are left alone. Empty: all are translated."""

    def kind(self, element: Element, *, is_active: bool) -> Kind:
        """The effect of an element inside a paragraph, which is translated or not."""
        if not isinstance(element.tag, str):  # a comment, an entity
            return "hidden"
        kind = self.kind_of(element)
        return "word" if kind == "inline" and not self.is_translated(element, is_active) else kind

    def is_translated(self, element: Element, is_active: bool) -> bool:
        """Whether the text of an element is to be translated, given whether the text around it is."""
        stated = element.get("translate", "").lower()
        language = next(filter(None, map(element.get, _LANGUAGE)), "")
        if stated == "no" or "notranslate" in element.get("class", "").split():
            return False
        if self.language and language and primary(language) != self.language:
            return False
        return is_active or stated == "yes"


def find_slots(element: Element, layout: Layout, *, is_active: bool = True) -> Iterator[Slot]:
    """The texts of an element and of all below it, in the order of the document."""
    is_active = layout.is_translated(element, is_active)
    paragraph = _Paragraph(element)
    text = paragraph.read(element, -1, layout, is_active=is_active)
    if is_active:
        yield from _attributes(element, layout)
        if layout.is_paragraph(element) and _has_letters(text):
            yield paragraph.slot(text)
    for inner, kind in zip(paragraph.inside, paragraph.kinds, strict=True):
        if kind in {"point", "gap", "break"}:
            yield from find_slots(inner, layout, is_active=is_active)
        elif kind == "inline" and is_active:
            yield from _attributes(inner, layout)


def _attributes(element: Element, layout: Layout) -> Iterator[Slot]:
    for name in layout.attributes:
        if any(map(str.isalpha, text := element.get(name, ""))):
            yield Slot(_FORBIDDEN.sub("", text), partial(element.set, name))


def _has_letters(text: str) -> bool:
    return any(map(str.isalpha, unescape(_MARK.sub("", text))))


@dataclass(frozen=True)
class _Paragraph:
    """An element with a text; those inside of it have numbers, by which its marks name them."""

    element: Element
    inside: list[Element] = field(default_factory=list)
    kinds: list[Kind] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    """The number of the inline element around each; -1: the paragraph."""

    def read(self, element: Element, number: int, layout: Layout, *, is_active: bool) -> str:
        """The text of the paragraph, or of the inline element with this number, as HTML with its marks."""
        text = _escaped(element.text)
        for child in element:
            kind, own = layout.kind(child, is_active=is_active), len(self.inside)
            self.inside.append(child)
            self.kinds.append(kind)
            self.parents.append(number)
            inner = self.read(child, own, layout, is_active=is_active) if kind == "inline" else ""
            text += _MARKS[kind].format(own, inner) + _escaped(child.tail)
        return text

    def slot(self, text: str) -> Slot:
        """The place of the text; white space around it stays, and a wrapped line is one."""
        edges = _EDGES.fullmatch(text)
        before, inner, after = edges.groups() if edges else ("", text, "")
        return Slot(_WRAPPED.sub(" ", inner), lambda translation: self._write(before + translation + after))

    def _write(self, text: str) -> None:
        """Replace the text: every mark of it stands for an element, which is where the mark is.

        Marks may overlap that do not in the source, where a pair has words of two sentences around it. The later one
        then waits until the element around it is the innermost one, or has ended.
        """
        for i in (-1, *(i for i, kind in enumerate(self.kinds) if kind == "inline")):
            element = self._numbered(i)
            element.text = None
            for child in list(element):
                element.remove(child)
        stack, opening, closing, closed, position = [-1], list[int](), set[int](), set[int](), 0
        for mark in _MARK.finditer(text):
            _append_text(self._numbered(stack[-1]), text[position : mark.start()])
            position, number = mark.end(), int(mark[3])
            if mark[1]:
                closing.add(number)
            elif self.kinds[number] == "inline":
                opening.append(number)
            else:
                append(self._numbered(stack[-1]), self.inside[number])
            while stack[-1] in closing or opening:
                if stack[-1] in closing:
                    closed.add(stack.pop())
                    continue
                ready = (i for i in opening if self.parents[i] == stack[-1] or self.parents[i] in closed)
                if (inner := next(ready, None)) is None:
                    break
                opening.remove(inner)
                append(self._numbered(stack[-1]), self.inside[inner])
                stack.append(inner)
        _append_text(self.element, text[position:])

    def _numbered(self, number: int) -> Element:
        return self.element if number < 0 else self.inside[number]


def append(parent: Element, child: Element) -> None:
    """Make an element the last one in another, without the text behind it."""
    child.tail = None
    parent.append(child)


def append_plain(parent: Element, text: str) -> None:
    """Add a text behind all that is in an element."""
    last = next(parent.iterchildren(reversed=True), None)  # len() would count them
    if last is None:
        parent.text = (parent.text or "") + text
    else:
        last.tail = (last.tail or "") + text


def _append_text(parent: Element, text: str) -> None:
    if text:
        append_plain(parent, _FORBIDDEN.sub("", unescape(text)))


def _escaped(text: str | None) -> str:
    return (text or "").replace("&", "&amp;").replace("<", "&lt;")
