"""Documents as texts and the places of their translations, and those of plain text: catalogues (PO) and subtitles.

PO: https://www.gnu.org/software/gettext/manual/html_node/PO-Files.html. A sentence of subtitles (SubRip and WebVTT)
that goes on in the next line or cue is translated whole, and cut again to fit.
"""

import ast
import codecs
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, chain, pairwise
from typing import NamedTuple, TypeAlias

from seq2seq_cli.errors import InputError, PairFileError
from seq2seq_cli.text.characters import FINAL_MARKS, UNSPACED, Span, is_unspaced

Languages: TypeAlias = tuple[str, str]
"""The language that a document is translated from, and the one that it is translated into: two codes."""

XLIFF = [".xliff", ".xlf"]
TRANSLATED = [".docx", ".odt", ".epub", ".html", ".htm", ".xhtml", ".md", ".srt", ".vtt", ".po", ".json", *XLIFF]
"""Endings of the names of documents that are translated."""

XLIFF_UNITS = ("trans-unit", "segment")
"""Elements with a ``source`` and a ``target``, of version 1.2 and of version 2."""
XLIFF_LANGUAGES = {"source": ("source-language", "srcLang"), "target": ("target-language", "trgLang")}
"""The attributes with the languages of both, in these versions."""
XML_CODES = {"bpt", "ept", "it", "ph", "ut"}
"""Elements of XLIFF and TMX that hold codes of the text's layout, and no text."""

_WITHIN = re.compile(rf"(?<=[、，{UNSPACED}])(?<![{''.join(FINAL_MARKS)}])\n(?=[{UNSPACED}])")


class Slot(NamedTuple):
    """A place of a document that holds a text."""

    text: str
    """As `Translator.translate` takes it, with inline marks."""
    write: Callable[[str], object]
    """Puts the translation there."""


def joined(lines: Iterable[str]) -> str:
    """Lines as one, with spaces between, but not between two letters of scripts without spaces."""
    return _WITHIN.sub("", "\n".join(lines)).replace("\n", " ")


@dataclass(frozen=True)
class Draft:
    """A document while its texts are translated."""

    slots: Sequence[Slot]
    content: Callable[[], bytes]
    """Makes the document once its slots are written."""

    def written(self, texts: Iterable[str]) -> bytes:
        """The document with these texts in its slots."""
        for slot, text in zip(self.slots, texts, strict=True):
            slot.write(text)
        return self.content()


def primary(tag: str) -> str:
    """The language of a tag, whatever the region: ``en`` for ``en-US``."""
    return tag.strip().replace("_", "-").partition("-")[0].lower()


class PlainText:
    """A file in UTF-8 that is edited in place."""

    def __init__(self, content: bytes, name: str) -> None:
        """Raise InputError for other bytes; `name` is the file's in messages."""
        self._mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
        try:
            self.text = content[len(self._mark) :].decode("utf-8") + "\n"
        except UnicodeDecodeError as error:
            line, byte = error.object.count(b"\n", 0, error.start) + 1, error.object[error.start]
            raise InputError(f"{name}:{line}: byte 0x{byte:02x} is not UTF-8: save it in UTF-8") from None
        self.lines = self.text[:-1].split("\n")
        self.starts = list(accumulate((len(line) + 1 for line in self.lines), initial=0))
        """The place in the text at which each line begins; the last line has an end here, too."""
        self.edits: dict[Span, str] = {}
        """The new texts, by the span of `text` that each replaces."""

    def replace_lines(self, first: int, count: int, text: str) -> None:
        """Put the lines of a text in the place of others, with the same line end; an empty text has none."""
        end = "\r\n" if self.lines[first].endswith("\r") else "\n"
        new = "".join(line + end for line in text.split("\n")) if text else ""
        self.edits[self.starts[first], self.starts[first + count]] = new

    def content(self) -> bytes:
        """The file with all that was replaced."""
        parts, position = [self._mark.decode()], 0
        for (start, end), text in sorted(self.edits.items()):
            parts += [self.text[position:start], text]
            position = end
        return "".join([*parts, self.text[position:]]).removesuffix("\n").encode()


# Catalogues

_BEGINNINGS = ("#", "msgctxt", "msgid ")
"""Of a message, which need no blank line before it."""
_KEYWORD = re.compile(r'(msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?)?\s*"((?:[^"\\]|\\.)*+)"\s*$')
_ACCESS_KEY = re.compile(r"\A([^&_]*(?<![^\s(])(?<!%\())[&_](?=[^\W\d_][^&_]*\Z)(?!\w+;)")
"""The only mark of the letter by which a program's user chooses a text: ``&Open``, ``_Open``."""
_ESCAPE = re.compile(r"""\\(?:[abfnrtv"'\\]|[0-3]?[0-7]{1,2}|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4})""")


@dataclass
class Message:
    """A message of a catalogue."""

    texts: dict[str, str] = field(default_factory=dict)
    """By keyword; that of the first ``msgstr`` is without its number."""
    lines: dict[str, list[int]] = field(default_factory=dict)
    """The lines of each text, counted from 1."""
    is_fuzzy: bool = False


def messages(lines: Iterable[str | None], name: str) -> Iterator[Message]:
    """The messages of a catalogue, and blank ones between them; raises PairFileError for another line."""
    message, keyword = Message(), ""
    for number, line in enumerate(chain(lines, [""]), start=1):
        text = (line or "").strip()
        if not text or ("msgstr" in message.texts and text.startswith(_BEGINNINGS)):
            yield message
            message = Message()
        if text.startswith("#"):
            message.is_fuzzy = message.is_fuzzy or (text.startswith("#,") and "fuzzy" in text)
        elif not text:
            continue
        elif found := _KEYWORD.match(text):
            keyword = (found[1] or keyword).replace("msgstr[0]", "msgstr")
            text = _ESCAPE.sub(lambda escape: str(ast.literal_eval(f'"{escape[0]}"')), found[2])
            message.texts[keyword] = message.texts.get(keyword, "") + text
            message.lines.setdefault(keyword, []).append(number)
        else:
            raise PairFileError(f"{name}:{number}: no line of a PO file: correct it, or export the file again")


def read_po(content: bytes, name: str, _languages: Languages) -> Draft:
    """The messages of a catalogue that have no translation; those in doubt (fuzzy) have one."""
    file = PlainText(content, name)
    slots = []
    for message in messages(file.lines, name):
        for keyword, text in message.texts.items():
            is_one = keyword == "msgstr" and ("msgid_plural" not in message.texts or "msgstr[1]" in message.texts)
            source = message.texts.get("msgid" if is_one else "msgid_plural")  # one form is for all numbers
            if keyword.startswith("msgstr") and source and not text:
                slots.append(Slot(_ACCESS_KEY.sub(r"\1", source), partial(_fill, file, message.lines[keyword])))
    return Draft(slots, file.content)


def _fill(file: PlainText, lines: list[int], translation: str) -> None:
    """Write a translation as the text of these lines: in one line, or below the keyword in several."""
    first, parts = lines[0] - 1, translation.splitlines(keepends=True)
    quoted = [json.dumps(part, ensure_ascii=False) for part in (["", *parts] if parts[1:] else [translation])]
    file.replace_lines(first, len(lines), file.lines[first].partition('"')[0] + "\n".join(quoted))


# Subtitles

_WHOLE = re.compile(r"<(\w++)[^<>]*+>.{0,1000}?</\1>|<[^<>]*+>")
"""What is not cut: tags, and what they are around."""
_MARKS = ".,;:!?…。，、；：！？"
_WORTH_OF_MARK = 8
"""Characters by which a cut behind a punctuation mark may be farther from its place."""
_TIMES = re.compile(r"\s*((?:\d+:)?\d\d:\d\d)[,.]\d{1,3}\s+-->\s+[\d:,.]+")
_TAGS = re.compile(r"<[^<>]*>|\{\\[^{}]*\}")
_END = r"(?:</[^<>]*>|\s)*+"
_AROUND = re.compile(rf"^((?:{_TAGS.pattern}|[-–—\s])*+)((?:{_END}(?!$).)*+)({_END})$")
"""The tags and the dash of a speaker before the text of a line, the text, and what is behind it."""
_KARAOKE = re.compile(r"<[\d:.]+>")
_CLOSING = "\"'”’»)]"
_ALONE = re.compile(r"[\[(][^\[\]()]*[\])]|[♪♫].*|.*[♪♫]")
"""The text of a line that is no part of a sentence of others: a sound, ``[door closes]``, or a line of a song."""
_MOST_LINES = 8
"""Lines of a sentence: subtitles without punctuation have no end of one."""


def is_subtitles(head: str) -> bool:
    """Whether a text begins like subtitles."""
    return any(map(_TIMES.match, head.split("\n", 20)[:20]))


def cues(lines: Iterable[str | None]) -> Iterator[tuple[int, str, list[str]]]:
    """The cues: the line with the times, counted from 1, the second in which it begins, and the lines of its text."""
    key, begun, texts = "", 1, list[str]()
    for number, line in enumerate(chain(lines, [""]), start=1):
        if found := _TIMES.match(line or ""):
            if key:  # no blank line before this cue, or its number
                yield begun, key, texts[:-1] if texts and texts[-1].strip().isdecimal() else texts
            key, begun, texts = "00:00:00"[: -len(found[1])] + found[1], number, []  # WebVTT may lack the hours
        elif key and line and line.strip():
            texts.append(line)
        elif key:
            yield begun, key, texts
            key = ""


def keyed_texts(lines: Iterable[str | None]) -> Iterator[tuple[int, str, str]]:
    """The texts of cues, with their lines and their seconds, which are what files in two languages have in common."""
    return ((begun, key, _TAGS.sub("", joined(texts))) for begun, key, texts in cues(lines))


class _Line(NamedTuple):
    """A line of a cue, and its place among the lines of the file."""

    place: int
    before: str
    text: str
    after: str

    def goes_on_in(self, following: "_Line") -> bool:
        """Whether the sentence at the end of this line goes on in the next one: no other speaker begins there."""
        end = _TAGS.sub("", self.text).rstrip(_CLOSING)[-1:]
        is_alone = any(_ALONE.fullmatch(_TAGS.sub("", line.text)) for line in (self, following))
        return not is_alone and end not in {"", *FINAL_MARKS, ":"} and not _TAGS.sub("", following.before).strip()


def read_subtitles(content: bytes, name: str, _languages: Languages) -> Draft:
    """The sentences of subtitles, each with its lines, which may be in several cues."""
    file = PlainText(content, name)
    sentences: list[list[_Line]] = []
    for line in (_line(begun + i, text) for begun, _, texts in cues(file.lines) for i, text in enumerate(texts)):
        if sentences and len(sentences[-1]) < _MOST_LINES and sentences[-1][-1].goes_on_in(line):
            sentences[-1].append(line)
        else:
            sentences.append([line])

    def write(lines: Sequence[_Line], translation: str) -> None:
        parts = list(zip(lines, cut(translation, [len(line.text) for line in lines]), strict=True))
        # The tags of lines without text go, too, unless half of them would stay.
        is_half = sum(line.before.count("<") - line.after.count("<") for line, text in parts if not text)
        for line, text in parts:
            file.replace_lines(line.place, 1, line.before + text + line.after if text or is_half else "")

    slots = [Slot(joined(line.text for line in lines), partial(write, lines)) for lines in sentences]
    return Draft([slot for slot in slots if any(map(str.isalpha, slot.text))], file.content)


def _line(place: int, line: str) -> _Line:
    line = _KARAOKE.sub("", line.rstrip("\r"))
    [(before, text, after)] = _AROUND.findall(line)
    if text.count("</") != len(re.findall(r"<[A-Za-z]", text)):  # tags around a part of it only
        before, text, after = "", line.strip(), ""
    return _Line(place, before, text, after)


def cut(text: str, shares: Sequence[int]) -> list[str]:
    """The text in parts about as long as their shares, cut between words, not in tags; the last ones may be empty."""
    whole = {at for found in _WHOLE.finditer(text) for at in range(found.start() + 1, found.end())}
    gaps = (at for at in range(1, len(text)) if text[at] == " " or all(map(is_unspaced, text[at - 1 : at + 1])))
    places = [at for at in gaps if at not in whole]
    cuts, before, total = [0], 0, sum(shares) or 1
    for share in shares[:-1]:
        before += share
        ideal = len(text) * before / total
        if left := [at for at in places if at > cuts[-1]]:
            cuts.append(min(left, key=lambda at: abs(at - ideal) - _WORTH_OF_MARK * (text[at - 1] in _MARKS)))
    parts = [text[start:end].strip() for start, end in pairwise([*cuts, len(text)])]
    return parts + [""] * (len(shares) - len(parts))
