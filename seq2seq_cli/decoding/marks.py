r"""The marks of a text: HTML tags and entities, Markdown, line breaks, and what comes through to the letter.

One regular expression finds them all, here and in the browser's page. Its time grows with the length of the text,
whatever the text is: a repetition begins at the start of a word only, has a bound, or ends with the text.
"""

import re
import unicodedata
from collections.abc import Sequence
from html import unescape
from typing import Literal, NamedTuple, TypeAlias

from seq2seq_cli.text.characters import ACCENTS, UNSPACED_LETTERS
from seq2seq_cli.text.tokenizer import LONGEST_WORD

Kind: TypeAlias = Literal["break", "keep", "emoji", "open", "close", "single", "gap", "character"]
"""The effect of a mark. ``break`` parts the text: the end of a line, ``<p>``, ``<pre>...</pre>``, the bullet of a list.
``keep`` is a word that comes through to the letter: an address, a placeholder, ``<code>...</code>``; ``emoji`` another
one, which no letter beside it belongs to. ``open`` and ``close`` are around words, ``single`` stands between them, and
``gap`` parts them as a space does: ``<img>``, the end of a line in HTML. ``character`` is an entity of a letter or a
mark of punctuation: ``&eacute;``."""

KINDS: dict[str, Kind] = {
    **dict.fromkeys(("fence", "lead", "paragraph", "line", "rawBlock", "block"), "break"),
    **dict.fromkeys(("unbroken", "autolink", "raw", "element", "code", "word", "numbered", "entity"), "keep"),
    **dict.fromkeys(("emphasis", "link", "open"), "open"),
    **dict.fromkeys(("comment", "alone", "escape"), "single"),
    "emoji": "emoji",
    "close": "close",
    "gap": "gap",
}
"""The kind of what each group of `MARK` finds; see `_mark` for those that depend on more."""

_LETTER = rf"[\w{ACCENTS}]"
_W = rf"(?:(?![{UNSPACED_LETTERS}]){_LETTER})"
"""A character of a word with spaces around it: ``**`` inside such a word is no mark."""

# What comes through to the letter
TRAILING_MARKS = ".,;:!?…'’*_~。，、；：！？،؛؟।۔։።፧"
"""The punctuation of a sentence, with which no address ends."""
_IN_URL = rf"[^\s<>\"“”„«»\\^`{{|}}()\[\]。，、；：！？（）「」『』《》【】〈〉〔〕{UNSPACED_LETTERS}]"
_PARTS_OF_URL = (
    rf"(?:{_IN_URL}|(?<=[/=#_-])[{UNSPACED_LETTERS}]+|\{{{{1,2}}\w{{1,64}}\}}{{1,2}}"
    rf"|\({_IN_URL}{{0,255}}\)|\[{_IN_URL}{{0,255}}\])"
)
_URL = rf"(?<!{_W})(?:(?:[Hh][Tt][Tt][Pp][Ss]?|[Ff][Tt][Pp]|file)://|[Ww][Ww][Ww]\.){_PARTS_OF_URL}+"
_OF_COUNTRIES = r"co\.uk|de|fr|ch|nl|uk|pl|ru|ua|jp|cz|hu|tr|gr|dk|fi|br"
"""Endings that are hardly words of English, German or French: a full stop without a space after it is common, too."""
_HOST = (
    rf"(?<!{_W})(?<![.@/-])(?:(?:(?:{_W}|-){{1,63}}\.){{1,8}}(?:com|org|net|edu|gov|info|io|dev|app)"
    rf"|(?:(?!\d+\.)[a-z0-9-]{{2,63}}\.){{1,8}}(?:{_OF_COUNTRIES}))(?!{_W})(?::\d{{1,5}})?(?:/{_PARTS_OF_URL}*)?"
)
_PATH = (
    r"(?<![\w.+@/\\~-])(?:(?:~|\.{1,2})?(?:/[\w.+@-]{1,255}){2,}/?|(?:~|\.{1,2})/[\w.+@-]{1,255}/?"
    r"|(?:[\w.+@-]{1,255}/){1,64}(?:[\w.+@-]{2,255}\.[A-Za-z]\w{0,4}|[\w+@-]\.[A-Za-z]\w{1,4})\b"
    r"|\b[A-Za-z]:\\[^\s<>\"|?*:]+|\\\\[\w.$-]+\\[^\s<>\"|?*:]+)"
)
_E_MAIL = rf"(?<!{_W})(?<![.+%-])(?:{_W}|[.+%-]){{1,64}}@(?:{_W}|-){{1,63}}(?:\.(?:{_W}|-){{1,63}})+"
_TAGGED = rf"(?:(?:{_W}|[\uac00-\ud7af]){{1,64}}(?!{_LETTER})|{_LETTER}{{1,64}}(?=\s|\Z))"
_HANDLE = rf"(?<!{_W})(?<![@./])@(?:{_W}(?:{_W}|[.-]){{0,63}}(?!{_LETTER})(?<![.-])|{_TAGGED})"
_HASHTAG = rf"(?<!{_W})(?<![&#/])#(?=\d{{0,31}}[^\W\d_]){_TAGGED}"
_PRINTF = r"(?<![\d%])(?<!\d\s)%(?:\(\w{1,64}\)|\d\$)?[+0#-]?\d{0,3}(?:\.\d{1,2})?(?:ll?|hh?)?[@cdefgiorsuxEFGX]|%%"
_BRACES = (
    r"\{\{[^{}\n]{1,64}\}\}|\{%[^{}\n]{1,200}%\}"
    r"|[$%#]?\{(?:[A-Za-z_][\w.\[\]-]{0,63}|\d{0,2})(?:![ars])?(?::[^{}\s]{0,16})?\}|\$t\([^()\n]{1,64}\)"
)
_KEPT = rf"(?:{_URL}|{_HOST}|{_PATH})(?<![{TRAILING_MARKS}])|{_E_MAIL}|{_HANDLE}|{_HASHTAG}|{_PRINTF}|{_BRACES}"
_NUMBERED = r"(?<![\w$])\$[{}](?!\w|[.,]\d)"
FIRST = _NUMBERED.format("1")
"""``$1``, ``$2`` and so on are placeholders in a text that has ``$1``; else ``$5`` is a price."""
_NOT_IN_RUN = r"\s。！？；：，、،।"
_UNBROKEN = rf"(?<![^>{_NOT_IN_RUN}])[^<{_NOT_IN_RUN}]{{{LONGEST_WORD + 1},}}"
"""What is too long for a word, and has no place to cut it."""

PICTURES = (
    "\u2190-\u21ff\u2300-\u23ff\u2500-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
"""Members of a character class: emoji, and other pictures such as arrows."""
_PICTURE = rf"(?:[{PICTURES}]|[^\w\s]\ufe0f|\u2139\ufe0f)[\ufe0e\ufe0f]?[\U0001f3fb-\U0001f3ff]?"
_LETTERS_OF_FLAG = "(?:[\U000e0020-\U000e007e]{1,16}\U000e007f)?"
"""They make a black flag the flag of a region."""
_EMOJI = (
    r"(?:[\U0001f1e6-\U0001f1ff]{2}|[0-9#*]\ufe0f?\u20e3"  # flags, keycaps
    rf"|{_PICTURE}{_LETTERS_OF_FLAG}(?:\u200d{_PICTURE})*)+"
)
"""One or more emoji of one or more characters each; Unicode Technical Standard 51, section 1.4.9."""

# HTML
_ATTRIBUTES = r"(?:\s+[\w:@.-]+(?:\s*=\s*(?:\"[^\"<]*\"|'[^'<]*'|[^\s\"'<>=`]+))?)*\s*"


def _named(names: str) -> str:
    """An expression for these names of tags, in either case."""
    letters = (f"[{each}{each.upper()}]" if each.isalpha() else each for each in names.replace(" ", "|"))
    return f"(?:{''.join(letters)})"


_BLOCKS = _named(
    "address article aside base blockquote body br button caption center col colgroup dd details dialog dir div dl dt"
    " fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li link main"
    " menu meta nav noscript ol optgroup option p pre script search section select style summary table tbody td"
    " template textarea tfoot th thead title tr ul"
)
_LEFT = r"(?=\s(?:[^<>]{0,500}\s)?(?:translate=[\"']?no\b|class=[\"']?(?:[\w\s-]{0,200}\s)?notranslate\b))"
"""Behind the name of an element whose text is not to be translated."""
TAG = rf"<[A-Za-z][\w:.-]*{_ATTRIBUTES}/?>|</[A-Za-z][\w:.-]*\s*>"
_LINE_ENDS = "\n\r\x85\u2028\u2029"
_LINE_END = "(?:\r\n|\r(?!\n)|[\n\x85\u2028\u2029])"

# Markdown
_BULLET = r"\#{1,6}|>|[-*+•‣◦▪–—]|\d{1,3}\)|\[[ xX]\]"
_LEAD = rf"(?:[^\S\n]*(?:{_BULLET})(?=\s|(?<=>)))+[^\S\n]*"
_NUMBERED_LEAD = rf"(?:[^\S\n]*(?:{_BULLET}|\d{{1,3}}\.)(?=\s|(?<=>)))+[^\S\n]*"

MARK = (
    rf"(?P<fence>(?<![^\n])[ \t]*(?P<ticks>```|~~~)[^\n`]*(?![^\n])[\s\S]*?(?:\n[ \t]*(?P=ticks)[^\n]*|\Z))"
    # "3. Mai" is a date where the text has no other line.
    rf"|(?P<lead>(?<![^\n])(?:(?:(?<=\n)|(?=[^\n]*\n)){_NUMBERED_LEAD}|{_LEAD}))"
    rf"|(?P<unbroken>{_UNBROKEN})"
    rf"|(?P<paragraph>{_LINE_END}\s*{_LINE_END})"
    rf"|(?P<line>[\t{_LINE_ENDS}](?:\s*[\t{_LINE_ENDS}])?)"
    r"|(?P<autolink><(?:https?://[^\s<>]+|mailto:[^\s<>]+|[^\s<>@/]{1,64}@[^\s<>@]{1,255})>)"
    r"|(?P<comment><!--[\s\S]*?(?:-->|\Z)|<!\[[\s\S]*?(?:\]\]>|\Z)|<\?[^>]{0,1000}>|<![A-Za-z][^>]{0,1000}>)"
    rf"|(?P<rawBlock><(?P<blockName>pre|script|style|textarea|{_BLOCKS}{_LEFT}){_ATTRIBUTES}>"
    r"[\s\S]*?(?:</(?P=blockName)\s*>|\Z))"
    rf"|(?P<raw><(?P<rawName>math|svg){_ATTRIBUTES}>[\s\S]*?(?:</(?P=rawName)\s*>|\Z))"
    rf"|(?P<element><(?P<wordName>code|kbd|samp|tt|var|[A-Za-z][\w:.-]*{_LEFT}){_ATTRIBUTES}>"
    r"[\s\S]{0,1000}?</(?P=wordName)\s*>)"
    rf"|(?P<block></?{_BLOCKS}{_ATTRIBUTES}/?>)"
    rf"|(?P<gap><{_named('embed img input')}{_ATTRIBUTES}/?>)"
    rf"|(?P<alone><(?:{_named('area param source track wbr')}{_ATTRIBUTES}|[A-Za-z][\w:.-]*{_ATTRIBUTES}/|\d{{1,2}}/)>"
    r"|\[\^[^\]\s]{1,64}\])"  # a footnote
    rf"|(?P<open><(?P<tagName>[A-Za-z][\w:.-]*|\d{{1,2}}(?=>)){_ATTRIBUTES}>)"
    r"|(?P<close></(?P<endName>[A-Za-z][\w:.-]*|\d{1,2})\s*>)"
    r"|(?P<entity>&(?:\#\d{1,7}|\#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)"
    rf"|(?P<emoji>{_EMOJI})"
    rf"|(?P<word>{_KEPT})"
    rf"|(?P<numbered>{_NUMBERED.format('1-9')})"
    rf"|(?P<code>(?<!{_W})(?<!`)(?P<quote>``?)(?!`)[^\n]{{1,1000}}?(?<!`)(?P=quote)(?!`|{_W}))"
    r"|(?P<link>!?\[(?=(?P<label>(?:[^\[\]\n]|\[[^\[\]\n]{0,200}\]){0,500})"
    r"(?P<target>\]\((?:[^()\s<>]|\([^()\s]{0,500}\)){0,1000}(?:\s+\"[^\"\n]{0,500}\")?\)|\]\[[^\[\]\n]{0,200}\])))"
    rf"|(?P<emphasis>(?<!{_W})(?<![*_~])(?P<sign>\*{{1,3}}|_{{1,3}}|~~)(?![\s*_~])"
    rf"(?=(?P<inside>[^\n]{{0,1000}}?[^\s*_~\\])(?P=sign)(?![*_~]|{_W})))"
    r"|(?P<escape>\\[!-/:-@\[-`{-~])"
)
"""Of emphasis and of a link, it finds the opening mark, and in front of it what is inside."""

ANY_MARK = re.compile(rf"[<&`\[*_~@#/\\%{{$\t\u203c\u20e3\ufe0f{_LINE_ENDS}{PICTURES}]|^\s*[->+•‣◦▪–—\d]|www\.|\S\.\w")
"""A quick test: found in every text of usual length that has a mark."""

_DEEPEST = 100
"""Pairs inside one another; deeper ones are single marks."""
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;"})


class Mark(NamedTuple):
    """A part of a text that is no plain text."""

    start: int
    end: int
    kind: Kind
    name: str = ""
    """The same for an opening mark and its closing one."""
    partner: int | None = None
    """The index, among the marks of the text, of the mark that closes or opens this one."""


def find_marks(text: str) -> list[Mark]:
    """The marks of a text in their order; they do not overlap.

    An opening mark and the closing one of the same name have each other as partner; without one, they are ``single``.
    """
    if len(text) <= LONGEST_WORD and not ANY_MARK.search(text):
        return []
    expression = re.compile(MARK)  # not at the import: few texts have marks
    is_html = re.search(TAG, text) is not None
    has_first = re.search(FIRST, text) is not None
    marks: list[Mark] = []
    closing: list[Mark] = []
    """The closing marks of Markdown that are still to come."""
    position = 0
    while True:
        match = expression.search(text, position)
        if closing and (match is None or match.start() >= closing[-1].start):
            mark = closing.pop()
            if mark.start < position:  # it is inside of another mark
                continue
        elif match is None:
            return _paired(marks)
        elif match["numbered"] and not has_first:
            position = match.end()
            continue
        else:
            mark = _mark(match, is_html=is_html)
            if end := match["target"] or match["sign"]:
                start = match.end() + len(match["label"] or match["inside"] or "")
                closing.append(Mark(start, start + len(end), "close", mark.name))
        marks.append(mark)
        position = mark.end


def _mark(match: re.Match[str], *, is_html: bool) -> Mark:
    group = match.lastgroup or ""
    kind = KINDS[group]
    if group == "line" and is_html:
        kind = "gap"
    if group == "entity" and is_of_text(unescape(match[0])):
        kind = "character"
    name = match["sign"] or match["tagName"] or match["endName"] or group
    return Mark(*match.span(), kind, name.lower())


def is_of_text(character: str) -> bool:
    """Whether it is a letter, a digit, a mark of punctuation, white or unseen space, but not ``&``."""
    if len(character) != 1 or character == "&":
        return False
    category = unicodedata.category(character)
    return category[0] in "LMNPZ" or category == "Cf"


def _paired(marks: Sequence[Mark]) -> list[Mark]:
    """The marks with their partners: each closing mark has the innermost opening one of its name."""
    found = [mark._replace(kind="single") if mark.kind in {"open", "close"} else mark for mark in marks]
    opened: list[int] = []
    for i, mark in enumerate(marks):
        if mark.kind == "open" and len(opened) < _DEEPEST:
            opened.append(i)
        elif mark.kind == "close":
            places = [place for place, other in enumerate(opened) if marks[other].name == mark.name]
            if places:
                first = opened[places[-1]]
                found[first], found[i] = marks[first]._replace(partner=i), mark._replace(partner=first)
                del opened[places[-1] :]
    return found


def escape_unmarked(text: str) -> str:
    """The text as HTML: each ``<`` and ``&`` outside of tags, entities and kept words is written as an entity."""
    parts = []
    position = 0
    for mark in find_marks(text):
        if mark.kind == "keep" or text[mark.start] in "<&":
            parts += [text[position : mark.start].translate(_ENTITIES), text[mark.start : mark.end]]
            position = mark.end
    return "".join([*parts, text[position:].translate(_ENTITIES)])
