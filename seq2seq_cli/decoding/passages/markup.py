"""The markup of a text: HTML tags and entities, Markdown, line breaks, and what comes through to the letter.

A text is read once from left to right; the time grows with its length, whatever the text is: what has an end, such as
a comment, is looked for no more once there is none.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cached_property

from seq2seq_cli.decoding.passages.kept import EMOJI, KEPT, NUMBERED, PICTURES, without_final_marks
from seq2seq_cli.text.languages.abbreviations import has_ordinals
from seq2seq_cli.text.normalise import UNSPACED_LETTERS
from seq2seq_cli.text.tokenizer import LONGEST_WORD

FILLER = "\0"
"""Stands for a character of a mark in a text that is searched for the ends of sentences."""


class Kind(Enum):
    """The effect of a mark."""

    OPEN = auto()
    """Opens a span of text: ``<b>``, ``**``, ``[`` of a link."""
    CLOSE = auto()
    EITHER = auto()
    """Opens or closes: ``**`` between two marks of punctuation."""
    VOID = auto()
    """Stands between words: a comment, an entity."""
    GAP = auto()
    """Stands between words and parts them, as a space does: ``<img>``, ``&nbsp;``, the end of a line in HTML."""
    BREAK = auto()
    """Parts the text: the end of a line, a tab, ``<p>``, ``<br>``, ``<pre>...</pre>``, the bullet of a list, ``##``."""
    WORD = auto()
    """A word of the text that comes through to the letter: an address, a placeholder, ``<code>...</code>``."""
    EMOJI = auto()
    """Another such word, which no letter beside it belongs to."""
    CHARACTER = auto()
    """An entity that is a letter of a word: ``&eacute;``, ``don&#39;t``."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A part of a text that is no plain text."""

    start: int
    end: int
    kind: Kind
    name: str = ""
    """The same for an opening mark and its closing one."""
    partner: int | None = None
    """The index of the mark that closes or opens this one, in the list of marks."""

    def character(self, text: str) -> str:
        """The character that an entity stands for."""
        return _unescaped(text[self.start : self.end]) or ""


BLOCKS = frozenset(
    """
    address article aside base blockquote body br button caption center col colgroup dd details dialog dir div dl dt
    fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li link main
    menu meta nav noscript ol optgroup option p search section select summary table tbody td template tfoot th thead
    title tr ul
    """.split()  # noqa: SIM905 - the list would have a line per name
)
RAW_BLOCKS = frozenset(["pre", "script", "style", "textarea"])
RAW_WORDS = frozenset(["code", "kbd", "math", "samp", "svg", "tt", "var"])
VOID = frozenset(["area", "param", "source", "track", "wbr"])
GAPS = frozenset(["embed", "img", "input"])
LINK = "link"
SIMPLE = {
    "emoji": (Kind.EMOJI, ""),
    "autolink": (Kind.WORD, ""),
    "entities": (Kind.WORD, ""),
    "link": (Kind.OPEN, LINK),
    "target": (Kind.CLOSE, LINK),
}
"""The kind and the name of the marks that the expression finds as they are."""
COMMENTS = {"<!--": "-->", "<![": "]]>", "<?": "?>", "<!": ">"}

_LINE_ENDS = "\n\r\x85\u2028\u2029"
_ATTRIBUTE = r"\s+[\w:@.-]+(?:\s*=\s*(?:\"[^\"<]*\"|'[^'<]*'|[^\s\"'<>=`]+))?"
TAG = rf"<[A-Za-z][\w:.-]*(?:{_ATTRIBUTE})*\s*/?>|</[A-Za-z][\w:.-]*\s*>"
MARK = (
    r"(?P<fence>^[ \t]*(?:`{3,}|~{3})[^\n`]*$)"
    r"|(?P<lead>^(?:[^\S\n]*(?:\#{1,6}|>|[-*+•‣◦▪–—]|\d{1,3}[.)]|\[[ xX]\])(?=\s|(?<=>)))+[^\S\n]*)"
    rf"|(?P<line>[\t{_LINE_ENDS}](?:\s*[\t{_LINE_ENDS}])?)"
    r"|(?P<autolink><(?:https?://[^\s<>]+|mailto:[^\s<>]+|[^\s<>@/]{1,64}@[^\s<>@]{1,255})>)"
    rf"|(?P<tag>{TAG})"
    r"|(?P<comment><!--|<!\[|<\?|<!(?=[A-Za-z]))"
    r"|(?P<entities>(?<!\w)\w++(?:&amp;\w++)+)"
    r"|(?P<entity>&(?:\#\d{1,7}|\#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)"
    rf"|(?P<emoji>{EMOJI})"
    rf"|(?P<word>{KEPT})"
    rf"|(?P<numbered>{NUMBERED})"
    r"|(?P<code>`+)"
    r"|(?P<link>!?\[)"
    r"|(?P<target>\](?:\((?:[^()\s<>]|\([^()\s]*\))*(?:\s+\"[^\"\n]*\")?\)|\[[^\[\]\n]*\])?)"
    r"|(?P<emphasis>\*{1,3}|_{1,3}|~~)"
)
WORD_HERE = re.compile(rf"(?![{UNSPACED_LETTERS}])[^\W_]")
"""A letter or digit of a word with spaces around it: ``**`` inside such a word is no mark."""
LEAD_NUMBER = re.compile(r"\d{1,2}\.[^\S\n]*\Z")
TAG_END = re.compile(r"[\s/>]")
"""Found behind the name of a tag."""
UNBROKEN = re.compile(rf"[^\s。！？；：，、،।]{{{LONGEST_WORD + 1},}}")
PARAGRAPH_END = re.compile(rf"[{_LINE_ENDS}](?<!\r(?=\n)).*[{_LINE_ENDS}]", re.DOTALL)
"""Found in the white space between two lines where there is an empty line."""
ANY_MARK = re.compile(rf"[<&`\[*_~@#/\\%{{$\t\u203c\u20e3\ufe0f{_LINE_ENDS}{PICTURES}]|^\s*[->+•‣◦▪–—\d]|www\.|\w\.\w")
"""A quick test: found in every text that has a mark."""


def find_marks(text: str, language: str = "") -> list[Mark]:
    """The marks of a text in a language, in their order; they do not overlap.

    Each opening mark and the closing one of the same name have each other as partner. Where one lacks the other, a
    Markdown mark is plain text; an HTML tag is still a mark.
    """
    marks = list(_Scanner(text, language).marks()) if ANY_MARK.search(text) else []
    if len(text) > LONGEST_WORD:
        marks = sorted([*marks, *_unbroken(text, marks)], key=lambda mark: mark.start)
    return _paired(text, marks) if marks else []


def escape_unmarked(text: str) -> str:
    """The text as HTML: each ``<`` and ``&`` outside of tags, entities and kept words is written as an entity."""
    if "<" not in text and "&" not in text:
        return text
    parts = []
    position = 0
    for mark in find_marks(text):
        if mark.kind is Kind.WORD or text[mark.start] in "<&":
            parts += [_escape(text[position : mark.start]), text[mark.start : mark.end]]
            position = mark.end
    return "".join([*parts, _escape(text[position:])])


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _unbroken(text: str, marks: list[Mark]) -> Iterator[Mark]:
    """The runs of text between the marks that are too long for a word, and have no place to cut them."""
    ends = [0, *(mark.end for mark in marks)]
    starts = [*(mark.start for mark in marks), len(text)]
    for end, start in zip(ends, starts, strict=True):
        yield from (Mark(*match.span(), Kind.WORD) for match in UNBROKEN.finditer(text, end, start))


class _Scanner:
    """Reads the marks of one text."""

    def __init__(self, text: str, language: str) -> None:
        self._text = text
        self._language = language
        self._endless: set[str] = set()
        """Ends that do not occur in the rest of the text."""

    def marks(self) -> Iterator[Mark]:
        position = 0
        expression = re.compile(MARK, re.MULTILINE)  # not at the import: few texts have marks
        last: Mark | None = None
        while match := expression.search(self._text, position):
            mark = self._mark(match)
            position = match.end() if mark is None else mark.end
            if mark and last and mark.kind is last.kind is Kind.WORD and last.end == mark.start:
                mark = replace(last, end=mark.end)
            elif last:
                yield last
            last = mark
        if last:
            yield last

    def _lead(self, start: int, end: int) -> Mark | None:
        """The signs before the words of a line; a number before a text of one line may be an ordinal: "3. Mai"."""
        number = LEAD_NUMBER.search(self._text, start, end)
        if number and "\n" not in self._text and has_ordinals(self._language):
            end = number.start()
        return Mark(start, end, Kind.BREAK) if end > start else None

    def _line(self, start: int, end: int) -> Mark:
        """The end of a line, or a tab; in HTML, only an empty line parts the text."""
        is_space = self._is_html and not PARAGRAPH_END.search(self._text, start, end)
        return Mark(start, end, Kind.GAP if is_space else Kind.BREAK)

    @cached_property
    def _is_html(self) -> bool:
        return re.search(TAG, self._text) is not None

    def _numbered(self, start: int, end: int) -> Mark | None:
        return Mark(start, end, Kind.WORD) if self._has_first else None

    @cached_property
    def _has_first(self) -> bool:
        return any(match[0] == "$1" for match in re.finditer(NUMBERED, self._text))

    def _mark(self, match: re.Match[str]) -> Mark | None:
        start, end = match.span()
        kind = match.lastgroup or ""
        if kind in SIMPLE:
            return Mark(start, end, *SIMPLE[kind])
        if kind == "word":
            length = len(without_final_marks(match[0]))
            return Mark(start, start + length, Kind.WORD) if length > 1 else None
        readers = {
            "lead": self._lead,
            "line": self._line,
            "numbered": self._numbered,
            "fence": self._fence,
            "tag": self._tag,
            "comment": self._comment,
            "entity": self._entity,
            "code": self._code,
            "emphasis": self._emphasis,
        }
        return readers[kind](start, end)

    def _find(self, what: str, start: int, *, ignore_case: bool = False) -> int | None:
        """The end of the next occurrence; None when there is none."""
        if what in self._endless:
            return None
        found = re.compile(re.escape(what), re.IGNORECASE if ignore_case else 0).search(self._text, start)
        if found is None:
            self._endless.add(what)
            return None
        return found.end()

    def _fence(self, start: int, end: int) -> Mark:
        """Lines of code, up to a line like the first one or to the end."""
        close = self._find("\n" + self._text[start:end].lstrip()[:3], end)
        line_end = -1 if close is None else self._text.find("\n", close)
        return Mark(start, len(self._text) if line_end < 0 else line_end, Kind.BREAK)

    def _comment(self, start: int, end: int) -> Mark | None:
        close = self._find(COMMENTS[self._text[start:end]], end)
        return None if close is None else Mark(start, close, Kind.VOID)

    def _tag(self, start: int, end: int) -> Mark:
        tag = self._text[start:end]
        closes = tag.startswith("</")
        name = TAG_END.split(tag[1 + closes :], maxsplit=1)[0].lower()
        alone = tag.endswith("/>") or name in VOID | GAPS
        if not closes and not alone and name in RAW_BLOCKS | RAW_WORDS:
            close = self._find(f"</{name}>", end, ignore_case=True)
            if close is not None:
                return Mark(start, close, Kind.BREAK if name in RAW_BLOCKS else Kind.WORD)
        if name in BLOCKS | RAW_BLOCKS:
            return Mark(start, end, Kind.BREAK)
        if alone:
            return Mark(start, end, Kind.GAP if name in GAPS else Kind.VOID)
        return Mark(start, end, Kind.CLOSE if closes else Kind.OPEN, name)

    def _entity(self, start: int, end: int) -> Mark | None:
        entity = self._text[start:end]
        character = _unescaped(entity)
        if character is None:
            return None
        in_word = _is_word(self._text[start - 1 : start]) and _is_word(self._text[end : end + 1])
        is_letter = len(character) == 1 and (character.isalpha() or (character in "'’" and in_word))
        return Mark(start, end, Kind.CHARACTER if is_letter else Kind.GAP if character.isspace() else Kind.VOID)

    def _code(self, start: int, end: int) -> Mark | None:
        """Code between backticks on one line, as many before as after it."""
        ticks = self._text[start:end]
        if _is_word(self._text[start - 1 : start]) or len(ticks) > 2 or ticks in self._endless:
            return None
        close = re.compile(f"(?<!`){ticks}(?!`)").search(self._text, end)
        if close is None:
            self._endless.add(ticks)
            return None
        code = self._text[end : close.start()]
        follows = self._text[close.end() : close.end() + 1]
        return Mark(start, close.end(), Kind.WORD) if "\n" not in code and not _is_word(follows) else None

    def _emphasis(self, start: int, end: int) -> Mark | None:
        before, after = self._text[start - 1 : start] if start else "", self._text[end : end + 1]
        opens = after.strip() != "" and not _is_word(before)
        closes = before.strip() != "" and not _is_word(after)
        if not (opens or closes):
            return None
        kind = Kind.EITHER if opens and closes else Kind.OPEN if opens else Kind.CLOSE
        return Mark(start, end, kind, self._text[start:end])


def _unescaped(entity: str) -> str | None:
    """The characters that an entity stands for; None for a name that HTML does not have."""
    from html import unescape  # few texts have entities, and importing their names takes time
    from html.entities import html5

    return unescape(entity) if entity.startswith("&#") or entity[1:] in html5 else None


def _is_word(character: str) -> bool:
    return WORD_HERE.match(character) is not None


def _paired(text: str, marks: list[Mark]) -> list[Mark]:
    partners = _partners(text, marks)
    kept = [i for i, mark in enumerate(marks) if i in partners or not _is_markdown(mark)]
    index = {old: new for new, old in enumerate(kept)}
    return [_resolved(marks[i], i, partners, index) for i in kept]


def _resolved(mark: Mark, i: int, partners: dict[int, int], index: dict[int, int]) -> Mark:
    if i not in partners:
        return mark
    return replace(mark, kind=Kind.OPEN if partners[i] > i else Kind.CLOSE, partner=index[partners[i]])


def _is_markdown(mark: Mark) -> bool:
    return mark.kind in {Kind.OPEN, Kind.CLOSE, Kind.EITHER} and (mark.name == LINK or not mark.name[0].isalpha())


def _partners(text: str, marks: list[Mark]) -> dict[int, int]:
    """The index of the partner of each mark that has one, by the innermost opening mark of the same name.

    Markdown marks have theirs in the same paragraph. A ``]`` without a target makes the last ``[`` plain text.
    """
    partners: dict[int, int] = {}
    opened: list[int] = []
    keys: list[tuple[str, int]] = []
    open_count: Counter[tuple[str, int]] = Counter()
    paragraph = 0
    for i, mark in enumerate(marks):
        if mark.kind is Kind.BREAK and text[mark.start : mark.end].strip("\r") != "\n":
            paragraph += 1
        key = (mark.name, paragraph if _is_markdown(mark) else 0)
        if mark.kind in {Kind.CLOSE, Kind.EITHER} and open_count[key]:
            while True:
                open_count[keys[-1]] -= 1
                other, other_key = opened.pop(), keys.pop()
                if other_key == key:
                    break
            if text[mark.start : mark.end] != "]":
                partners[i], partners[other] = other, i
        elif mark.kind in {Kind.OPEN, Kind.EITHER}:
            opened.append(i)
            keys.append(key)
            open_count[key] += 1
    return partners
