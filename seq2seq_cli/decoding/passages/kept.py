"""What comes through a translation to the letter: addresses, paths, names with @ or #, placeholders, and emoji.

Each kind is one regular expression whose time grows with the length of the text, whatever the text is: a repetition
begins at the start of a word only, or has a bound. Code, entities and words of HTML are kept as well: see markup.
"""

from collections import Counter
from collections.abc import Container, Sequence

from seq2seq_cli.text.normalise import UNSPACED_LETTERS

_W = rf"(?:(?![{UNSPACED_LETTERS}])\w)"
_IN_URL = (
    rf"(?:[^\s<>\"“”„«»\\^`{{|}}。，、；：！？（）「」『』《》【】〈〉〔〕{UNSPACED_LETTERS}]"
    rf"|(?<=[/=#_-])[{UNSPACED_LETTERS}]+|\{{{{1,2}}\w{{1,64}}\}}{{1,2}})"
)
_URL = rf"(?<!{_W})(?:(?:[Hh][Tt][Tt][Pp][Ss]?|[Ff][Tt][Pp]|file)://|[Ww][Ww][Ww]\.){_IN_URL}+"
_E_MAIL = rf"(?<!{_W})(?<![.+%-])(?:{_W}|[.+%-]){{1,64}}@(?:{_W}|-){{1,63}}(?:\.(?:{_W}|-){{1,63}})+"
_OF_COUNTRIES = r"co\.uk|de|fr|ch|nl|uk|pl|ru|ua|jp|cz|hu|tr|gr|dk|fi|br"
"""Endings that are hardly words of English, German or French: a full stop without a space after it is common, too."""
_HOST = (
    rf"(?<!{_W})(?<![.@/-])(?:(?:(?:{_W}|-){{1,63}}\.){{1,8}}(?:com|org|net|edu|gov|info|io|dev|app)"
    rf"|(?:(?!\d+\.)[a-z0-9-]{{2,63}}\.){{1,8}}(?:{_OF_COUNTRIES}))(?!{_W})(?::\d{{1,5}})?(?:/{_IN_URL}*)?"
)
_PATH = (
    r"(?<![\w.+@/\\~-])(?:(?:~|\.{1,2})?(?:/[\w.+@-]{1,255}){2,}/?|(?:~|\.{1,2})/[\w.+@-]{1,255}/?"
    r"|(?:[\w.+@-]{1,255}/){1,64}(?:[\w.+@-]{2,255}\.[A-Za-z]\w{0,4}|[\w+@-]\.[A-Za-z]\w{1,4})\b"
    r"|\b[A-Za-z]:\\[^\s<>\"|?*:]+|\\\\[\w.$-]+\\[^\s<>\"|?*:]+)"
)
_TAGGED = rf"(?:(?:{_W}|[\uac00-\ud7af]){{1,64}}(?!\w)|\w{{1,64}}(?=\s|\Z))"
_HANDLE = rf"(?<!{_W})(?<![@./])@(?:{_W}(?:{_W}|[.-]){{0,63}}(?!\w)|{_TAGGED})"
_HASHTAG = rf"(?<!{_W})(?<![&#/])#(?=\d{{0,31}}[^\W\d_]){_TAGGED}"
_PRINTF = r"(?<![\d%])%(?:\(\w{1,64}\)|\d\$)?[+0#-]?\d{0,3}(?:\.\d{1,2})?(?:ll?|hh?)?[@cdefgiorsuxEFGX](?!\w)|%%"
_BRACES = r"\{\{[^{}\n]{1,64}\}\}|[$%#]?\{(?:[A-Za-z_][\w.\[\]-]{0,63}|\d{0,2})(?:![ars])?(?::[^{}\s]{0,16})?\}"

PLACEHOLDER = f"{_PRINTF}|{_BRACES}"
NUMBERED = r"(?<![\w$])\$[1-9](?!\w|[.,]\d)"
"""``$1``, ``$2`` and so on are placeholders in a text that has ``$1``; else ``$5`` is a price."""
KEPT = "|".join([_URL, _E_MAIL, _HOST, _PATH, _HANDLE, _HASHTAG, PLACEHOLDER])
"""The expression of all these but emoji; `without_final_marks` then leaves the punctuation of the sentence to it."""

PICTURES = (
    "\u2190-\u21ff\u2300-\u23ff\u2500-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
"""Members of a character class: emoji, and other pictures such as arrows."""
_PICTURE = rf"(?:[{PICTURES}]|[^\w\s]\ufe0f|\u2139\ufe0f)[\ufe0e\ufe0f]?[\U0001f3fb-\U0001f3ff]?"
_TAGS = "(?:[\U000e0020-\U000e007e]{1,16}\U000e007f)?"
"""The letters that make a black flag that of a region."""
EMOJI = (
    rf"(?:[\U0001f1e6-\U0001f1ff]{{2}}|[0-9#*]\ufe0f?\u20e3|{_PICTURE}{_TAGS}(?:\u200d{_PICTURE})*)+"  # flags, keycaps
)
"""One or more emoji of one or more characters each; Unicode Technical Standard 51, section 1.4.9."""

TRAILING_MARKS = ".,;:!?…'’*_~。，、；：！？،؛؟।"
BRACKETS = {")": "(", "]": "["}
CLOSING = dict(zip("([{\"'“„‚‘«‹", ")]}\"'”“‘’»›", strict=True))
"""The closing mark of each opening one."""
OPENING = {*CLOSING, *"$€£¥"}


def without_final_marks(span: str) -> str:
    """A kept span without the punctuation of the sentence around it: ``(see https://a.org/b_(c)).``."""
    counts = Counter(span)
    end = len(span)
    while end:
        last = span[end - 1]
        opening = BRACKETS.get(last)
        if last not in TRAILING_MARKS and not (opening and counts[last] > counts[opening]):
            break
        counts[last] -= 1
        end -= 1
    return span[:end]


def widened(text: str, spans: Sequence[tuple[int, int]], emoji: Container[int]) -> tuple[tuple[int, int], ...]:
    """The spans with what belongs to them: letters and digits that touch them, and brackets and quotes around them.

    A copied word has a space before it, which ``( https://a.org)`` and ``$ {price}`` should not have. The spans are in
    order and stay apart; those at the numbers in `emoji` stay as they are.
    """
    wider: list[tuple[int, int]] = []
    for i, (start, end) in enumerate(spans):
        first = wider[-1][1] if wider else 0
        last = spans[i + 1][0] if i + 1 < len(spans) else len(text)
        wider.append((start, end) if i in emoji else _widened(text, start, end, first, last))
    return tuple(wider)


def _widened(text: str, start: int, end: int, first: int, last: int) -> tuple[int, int]:
    while start > first and _touches(text[start - 1]):
        start -= 1
    while end < last and _touches(text[end]):
        end += 1
    while start > first and text[start - 1] in OPENING:
        start -= 1
        if end < last and text[end] == CLOSING.get(text[start]):
            end += 1
    return start, end


def _touches(character: str) -> bool:
    """Whether a character beside a span belongs to it: digits, and letters of scripts with cases.

    Scripts without cases are left out, as many of them write no spaces between words.
    """
    return character.isdigit() or character.islower() or character.isupper()
