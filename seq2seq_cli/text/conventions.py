"""The conventions of a corpus: the first letter of sentences, their end, the spaces at marks, the case of words.

A model knows text as it is written in training. The same sentence in lower case, in upper case, without its full stop
or cut into tokens is brought to these conventions before it is read.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, NamedTuple, Self, TypeAlias

from seq2seq_cli.text.casing import capitalise, fold, is_all_upper, lower
from seq2seq_cli.text.languages.abbreviations import has_own_stop, is_listed
from seq2seq_cli.text.normalise import APOSTROPHES, HIDDEN, LIKE_APOSTROPHES, LOUD_STOPS, hide, in_word, normalise
from seq2seq_cli.text.numbers import MOST_FORMS, OR

WORD = re.compile(r"[^\W_]+(?:\.[^\W_]+)*")
"""A word with a usual case of its own, such as Tom, 3rd and U.S; Tom's and l'Europe have two."""

Span: TypeAlias = tuple[int, int]
"""The start and the end of a part of a text."""

_LETTER = r"[^\W\d_]"
FIRST_WORD = re.compile(rf"(\W*)({_LETTER}[\w{APOSTROPHES}-]*)(\W*)")
_NAME = rf"((?:{_LETTER}[{APOSTROPHES}])?{_LETTER}{{2,}}(?:-{_LETTER}{{2,}})*)(?!\w)"
"""A word of several letters: O'Brien, Jean-Luc, Tom of Tom's."""
INNER_NAME = re.compile(rf"[\w,;.]\s+(?={_NAME})")
"""What is before such a word that is not the first one, and the word."""
FIRST_NAME = re.compile(rf"\W*{_NAME}")
"""The start of a sentence up to such a word, and the word."""
PART_END = re.compile(f"[{APOSTROPHES}-]")
"""What parts the words of such a word."""
ADDRESS = re.compile(r"[@/\\]")
"""Found in web and e-mail addresses and paths, whose case and spaces are left as they are."""


class SpaceRule(NamedTuple):
    """A change to the spaces of a text, which is normalised: no white space but single spaces."""

    pattern: str
    """A regular expression, in which case is ignored."""
    by: str
    """The replacement."""
    inside: str | None = None
    """An expression for what is replaced in each part that `pattern` finds; None: the whole part."""

    def edit(self) -> Callable[[str], str]:
        """The change as a function of the text."""
        whole = re.compile(self.pattern, re.IGNORECASE)
        if self.inside is None:
            return partial(whole.sub, self.by)
        part = re.compile(self.inside)
        return partial(whole.sub, lambda found: part.sub(self.by, found[0]))


INVERTED = "¿¡"
"""Marks before Spanish questions and exclamations, which people leave out as they do the final ones."""


class SentenceCues(NamedTuple):
    """Words that tell a question from a statement when the final mark is missing."""

    opening: str
    """The first word, in lower case."""
    long_opening: str
    """The first two words."""
    ending: str
    """The last word; in text without spaces, the last character."""
    long_ending: str
    """The last two."""


def sentence_cues(sentence: str, language: str, *, spaces: bool = True) -> SentenceCues:
    """The cues of a sentence without its final mark, which is not blank."""
    words = lower(sentence, language).split(" ")
    words[0] = words[0].lstrip(INVERTED) or words[0]
    endings = (words[-1], " ".join(words[-2:])) if spaces else (sentence[-1], sentence[-2:])
    return SentenceCues(words[0], " ".join(words[:2]), *endings)


@dataclass(frozen=True, kw_only=True)
class Conventions:
    """Conventions that nearly all of the training text follows; by default there are none, and nothing is changed.

    Marks are single characters, written as one text.
    """

    language: str = ""
    """ISO code, for the rules of lower and upper case; empty: the usual rules."""
    longest: int = 0
    """Tokens of the Segmenter that 99 % of the sentences have at most; 0: unknown."""
    max_length: int = 0
    """Those of the longest sentence."""
    spaces: bool = True
    """Whether words have spaces between them."""
    before: str = ""
    """Marks that have no space before them, such as the full stop."""
    after: str = ""
    """Marks that have no space after them, such as an opening bracket."""
    apart_before: str = ""
    """Marks that have a space before them, such as ? in French."""
    apart_after: str = ""
    """Marks that have a space after them, such as the comma."""
    quotes: str = ""
    """Marks that both open and close: no space after the first of two, none before the second."""
    suffixes: tuple[str, ...] = ()
    """Ends of words that begin at their apostrophe, or a letter before it, in lower case: 's, n't."""
    prefixes: tuple[str, ...] = ()
    """Beginnings of words up to their apostrophe, in lower case: l', qu'."""
    apostrophe: str = ""
    """The one of APOSTROPHES that words have; empty where it varies."""
    final_marks: str = ""
    """Marks that end sentences, the most frequent first."""
    final_mark: str = ""
    """The mark that is added to a sentence that has none; empty where many sentences have none."""
    openings: Mapping[str, str] = field(default_factory=dict)
    """The first word or two of sentences, in lower case, and the mark that these usually end with, where it is another
    than the most frequent one, or than that of the first word alone."""
    endings: Mapping[str, str] = field(default_factory=dict)
    """The last word or two of sentences that nearly always end with another mark than the most frequent one, and the
    mark; without ``spaces``, the last character or two."""
    lower_case: bool = False
    """Whether sentences have lower-case letters, so that one without is written otherwise."""
    capital_start: bool = False
    """Whether sentences begin with a capital."""
    capital_after: str = ""
    """Final marks that are followed by a capital inside a text."""
    cased_words: tuple[str, ...] = ()
    """The most frequent form inside sentences of each word for which it is not the word's ``fold``; Lita et al. 2003,
    "tRuEcasIng", section 2.1."""
    known_words: tuple[str, ...] = ()
    """The ``fold`` of each word that the training sentences have twice or more, or of very many the most frequent ones,
    but for names that nearly always stay, where rare words with a capital inside sentences mostly stand in the
    translation as they are, so that new ones should; else none. This is so from English to German, but not from German,
    whose nouns have capitals, nor from English to Russian."""
    number_forms: Mapping[str, str] = field(default_factory=dict)
    """How translations write each separator of the source, for ``text.numbers.number_forms``; none where all stay."""

    def apply(self, text: str) -> str:
        """The text, normalised, written by the conventions; a text that follows them is not changed. Idempotent.

        Spaces move at marks that nearly always have one or never. A final mark is added after a letter or a digit. The
        case of words is restored in a text all in upper case and in one without upper case, the first letter in any.
        """
        text = normalise(text)
        for edit in self._edits:
            text = edit(text)
        return normalise(text)

    def apply_around(self, text: str, protected: Sequence[Span]) -> tuple[str, list[Span]]:
        """Like ``apply``, but spans of the text are kept; returns the text and the spans in it, for Codec.read."""
        shown = self.apply(hide(text, protected))
        if not protected:
            return shown, []
        first, *others = shown.split(HIDDEN)
        spans: list[Span] = []
        written = first
        for (start, end), other in zip(protected, others, strict=True):
            spans.append((len(written), len(written) + end - start))
            written += text[start:end] + other
        return written, spans

    def new_names(self, sentence: str) -> list[Span]:
        """The words that are written like names and are unknown; none where names do not stay as they are.

        All first words have a capital. One is a name where it has a capital inside training sentences, too, or where a
        name follows it: Anna Kowalski.
        """
        if not self.known_words:
            return []
        first = FIRST_NAME.match(sentence)
        inner = [
            (start, end)
            for start, end in inner_capitals(sentence, self.language)
            if self._is_new(sentence[start:end]) and not (first and start == first.start(1))
        ]
        if first and self._is_new(first[1]) and _is_capitalised(first[1], self.language):
            is_cased = self._usual_forms.get(fold(first[1], self.language)) == first[1]
            is_before_name = bool(inner) and sentence[first.end() : inner[0][0]].isspace()
            is_contracted = re.match(self.contraction(), sentence[first.end() - 1 :], re.IGNORECASE)
            if (is_cased or is_before_name) and not is_contracted:
                return [first.span(1), *inner]
        return inner

    def contraction(self) -> str:
        """A regular expression for a suffix that takes the last letter of its word: n't; case is ignored."""
        return rf"{_any_of(suffix for suffix in self.suffixes if suffix[0] not in APOSTROPHES)}(?!\w)"

    def to_json(self) -> dict[str, Any]:
        """The content of a JSON file: what differs from no conventions."""
        return {name: value for name, value in asdict(self).items() if value != getattr(_NONE, name)}

    @classmethod
    def parse(cls, content: object) -> Self:
        """Read ``to_json``; other keys are ignored. Raises ValueError when it is damaged."""
        if not isinstance(content, dict):
            raise ValueError("not the conventions of a corpus")  # noqa: TRY004 - the file is damaged
        known = asdict(_NONE)
        values = {name: _like(known[name], value) for name, value in content.items() if name in known}
        if values.get("apostrophe", "") not in {"", *APOSTROPHES}:
            raise ValueError("an apostrophe that is none")
        if not all((*values.get("suffixes", ()), *values.get("prefixes", ()))):
            raise ValueError("an empty part of a word")
        if any(written.count(OR) >= MOST_FORMS for written in values.get("number_forms", {}).values()):
            raise ValueError("more ways to write a number than a corpus teaches")
        return cls(**values)

    @cached_property
    def _edits(self) -> list[Callable[[str], str]]:
        """The changes to a text, in their order."""
        edits = [rule.edit() for rule in self.space_rules()]
        return [*edits, self._join_quotes, self._add_final_mark, self._restore_case]

    def space_rules(self) -> Iterator[SpaceRule]:
        """The rules for spaces that are missing or too many, in the order in which they are applied."""
        yield from self._spaces_after(set(self.apart_after).intersection(LOUD_STOPS))
        if not self.spaces:
            yield SpaceRule(r"(?<=[^\x00-\x7f]) (?=[^\x00-\x7f])", "")
        if self.suffixes:
            yield SpaceRule(rf"(?<=\w) (?={_any_of(self.suffixes)}(?![\w{APOSTROPHES}]))", "")
        if self.prefixes:
            yield SpaceRule(rf"(?<![^ ])({_any_of(self.prefixes)}) (?=\w)", r"\1")
        if self.apostrophe:
            typed = rf"(?<=\w)[{APOSTROPHES}](?=\w)|(?<={_LETTER})[{LIKE_APOSTROPHES}](?={_LETTER})"
            yield SpaceRule(typed, self.apostrophe)
        if self.before:
            final = _any_of(mark for mark in self.final_marks if mark in self.before)
            yield SpaceRule(rf" (?=(?:{_any_of(self.before)}|{final}+)(?: |$))", "")
        if self.apart_before:
            yield SpaceRule(rf"(?<=\w)({_any_of(self.apart_before)}+)(?=[^\w ]*(?: |$))", r" \1")
        if self.after:
            yield SpaceRule(rf"(?<![^ ])({_any_of(self.after)}) (?=.)", r"\1")
        if opening := set(self.apart_after).difference(self.before):
            yield SpaceRule(rf"(?<![^ ])({_any_of(opening)})(?=\w)", r"\1 ")
        if between := set(self.apart_after).intersection(self.before).difference(self.final_marks):
            yield SpaceRule(rf" ({_any_of(between)})(?={_LETTER})", r"\1 ")
            yield from self._spaces_after(between)

    @staticmethod
    def _spaces_after(marks: Collection[str]) -> Iterator[SpaceRule]:
        """A space behind each of the marks between letters, but in addresses and paths."""
        if marks:
            inside = rf"(?<={_LETTER})({_any_of(marks)}+)(?={_LETTER})"
            yield SpaceRule(rf"(?<![^ ])[^ @/\\]*{inside}[^ @/\\]*(?![^ ])", r"\1 ", inside)

    def _is_new(self, name: str) -> bool:
        """Whether no part of it that has several letters is known."""
        parts = PART_END.split(name)
        return self._known_words.isdisjoint(fold(part, self.language) for part in parts if len(part) > 1)

    def _join_quotes(self, text: str) -> str:
        """Join quotation marks that stand alone to the text between them."""
        for quote in self.quotes:
            parts = text.split(quote)
            if len(parts) % 2 and f" {quote} " in f" {text} ":
                parts[1::2] = [part.strip() for part in parts[1::2]]
                text = quote.join(parts)
        return text

    def _add_final_mark(self, text: str) -> str:
        if not self.final_mark or not text or not (in_word(text[-1]) or text[-1] == HIDDEN):
            return text
        words = text.split(" ")
        is_mixed = not text.islower() and not is_all_upper(text)
        last_sentence = max(self._sentence_starts(words, self.final_marks, is_mixed=is_mixed), default=0)
        cues = sentence_cues(" ".join(words[last_sentence:]), self.language, spaces=self.spaces)
        marks = [
            self.endings.get(cues.long_ending),
            self.endings.get(cues.ending),
            self.openings.get(cues.long_opening),
            self.openings.get(cues.opening),
            self.final_mark,
        ]
        mark = next(filter(None, marks))
        return f"{text} {mark}" if mark in self.apart_before else text + mark

    def _restore_case(self, text: str) -> str:
        quiet = text.islower()
        words = text.split(" ")
        self._capitalise(words, [0])
        loud = self.lower_case and is_all_upper(" ".join(words))
        if loud or quiet:
            words = [self._usual_case(word, loud) for word in words]
            self._capitalise(words, [0, *self._sentence_starts(words, self.capital_after, is_mixed=False)])
        return " ".join(words)

    def _sentence_starts(self, words: Sequence[str], marks: str, *, is_mixed: bool) -> Iterator[int]:
        """The places of words after one that ends a sentence with one of the marks: after "him.", but not "p.m.".

        In text that is not in mixed case, single letters and numbers tell nothing: "vitamin c. it is good".
        """
        stems = [re.sub(r"^\W+", "", word.rstrip(self.quotes)) for word in words]
        for place, (stem, following) in enumerate(pairwise(stems), start=1):
            mark, word = stem[-1:], stem[:-1]
            if not mark or mark not in marks or "." in word:
                continue
            previous = stems[place - 2] if place > 1 else ""
            if mark == "." and is_mixed:
                is_end = not has_own_stop(word, following[:1], self.language, previous)
            else:
                is_end = mark != "." or not is_listed(word, following[:1], self.language)
            if is_end:
                yield place

    def _usual_case(self, word: str, loud: bool) -> str:
        """The word as it is inside sentences; ``loud``, in upper case, it can have other letters (WEISS, weiß)."""
        if ADDRESS.search(word):
            return word

        def usual(found: re.Match[str]) -> str:
            form = self._usual_forms.get(fold(found[0], self.language), found[0])
            return form if loud or lower(form, self.language) == found[0] else found[0]

        return WORD.sub(usual, lower(word, self.language) if loud else word)

    def _capitalise(self, words: list[str], places: Iterable[int]) -> None:
        """Begin the words at these places with capitals; addresses, iPhone, and words after dots stay as they are."""
        for place in places if self.capital_start else ():
            found = FIRST_WORD.fullmatch(words[place])
            if found and found[2].islower() and set(found[1]) <= {*self.after, *self.quotes, *APOSTROPHES}:
                words[place] = found[1] + capitalise(found[2], self.language) + found[3]

    @cached_property
    def _usual_forms(self) -> Mapping[str, str]:
        return {fold(form, self.language): form for form in self.cased_words}

    @cached_property
    def _known_words(self) -> frozenset[str]:
        return frozenset(self.known_words)


_NONE = Conventions()


def inner_capitals(text: str, language: str) -> Iterator[Span]:
    """The words after others that begin with a capital and have lower-case letters, too; O'Brien, but not I'll."""
    for found in INNER_NAME.finditer(text):
        if _is_capitalised(found[1], language):
            yield found.span(1)


def _is_capitalised(name: str, language: str) -> bool:
    first_letters = name[0] + name[2] if name[1] in APOSTROPHES else name[0]
    return all(lower(letter, language) != letter for letter in first_letters) and not is_all_upper(name)


def _any_of(pieces: Iterable[str]) -> str:
    """A regular expression for any of the pieces, with any apostrophe; where there are none, it finds nothing."""
    apostrophe = f"[{APOSTROPHES}]"
    listed = "|".join(re.sub(apostrophe, apostrophe, re.escape(piece)) for piece in pieces)
    return f"(?:{listed or '(?!)'})"


def _like(default: Any, value: object) -> Any:
    """The value of a JSON file as the type of the default; raises ValueError when it is of another."""
    if isinstance(default, tuple) and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    if isinstance(default, dict) and isinstance(value, dict) and all(isinstance(item, str) for item in value.values()):
        return value
    if isinstance(default, bool | int | str) and type(value) is type(default):
        return value
    raise ValueError("conventions of another type")
