"""The two languages of a pair file, stated by the user, the config, or names of columns or files; and its scripts."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import PurePath
from typing import Literal, NamedTuple

from seq2seq_cli.config.schema.text import AUTO, TextConfig
from seq2seq_cli.errors import UsageError
from seq2seq_cli.pairs.archives import PAIR_SUFFIXES
from seq2seq_cli.pairs.text_lines import COLUMNS
from seq2seq_cli.text.characters import script_of_letter
from seq2seq_cli.text.languages import (
    CODE_LETTERS,
    PUBLISHED,
    any_code_named,
    code_named,
    is_known,
    name_of,
    scripts_of_language,
    short_code,
    without_script,
)
from seq2seq_cli.text.spacy_tokenizers import ANY_LANGUAGE, has_tokenizer

DEFAULT = ("en", "de")
"""The languages of the columns when nothing states them, neither do their words."""
_WORDS = {
    "en": {"i", "the", "you", "to", "and", "she", "it", "he", "we", "my"},
    "de": {"ich", "der", "die", "das", "ist", "nicht", "und", "zu", "sie", "wir"},
}
"""Frequent words of these languages, of which another one has few."""
_FEWEST_WORDS = 4
_LEAST_OFTEN = 0.03
"""Fraction of all words: in English and German 0.04 (captions) to 0.28; another language may have i, he and we."""
_FEWEST_SENTENCES = 200
"""Sentences from which on a text without these words is in another language."""

LanguageOrigin = Literal["option", "config", "columns", "name", "default"]
"""The place where languages were found: ``--languages``, the config, the names of the columns, a file's name, none."""

_CODE = "[a-z]{2,3}"
_TWO_CODES = re.compile(f"(|.*[._-])({_CODE})-({_CODE})")
_COPY = re.compile(r" ?\(\d+\)$")
"""Added by browsers to the name of a file that is downloaded again."""
_ENDINGS = {*PAIR_SUFFIXES, ".parquet", ".xlsx", ".zip", ".gz", ".dev", ".devtest", ".test", ".train", ".valid"}
_LETTERS = re.compile(r"[^\W\d_]+")
_TAG = re.compile(r"([^\W\d_]+)[-_](?:[^\W\d_]{2}|[^\W\d_]{4})")
"""A language and a region or a script: en-US, sr-Latn."""
_JOINED = re.compile(r"[^\W\d].{0,60}?[_./(-]([^\W\d_]{2,3})(?![^\W\d_])")
"""A code behind another word, to which no space joins it: text_de."""
_CAPITALS = re.compile(r" ([A-Z]{2,3})\b")
"""A code behind a space: Text DE."""
_NO_LANGUAGES = {
    *("src", "tgt", "trg", "ref", "hyp", "tok", "bpe", "raw", "low", "lc", "tc", "new", "old", "dev", "out", "bak"),
    *("br", "cn", "cz", "dk", "gb", "gr", "hk", "jp", "kr", "tw", "ua", "us", "vn"),
}
"""Endings of files, and countries, which are no codes of languages."""
OFTEN_KEYS = {"id", "no"}
"""Codes of languages that often name something else: id, sentence_id, no."""

_FEWEST_LETTERS = 20
"""Letters below which the script is not known."""
_SOME = 0.05
"""Fraction of letters of a script's own from which on a text with Han characters is Japanese or Korean."""
_MOST = 0.5
"""Fraction of the letters that makes a text one of a script."""

Codes = tuple[str, str]
"""The languages of the first and the second column, or of the source and the target of aligned files."""


class Statement(NamedTuple):
    """The languages that a pair file states, in the order in which its columns are read."""

    codes: Codes
    """`ANY_LANGUAGE` for a column whose name states none."""
    origin: LanguageOrigin


def stated_languages(text: TextConfig, stated: str | None, *, swap: bool) -> Statement | None:
    """The languages of the columns where ``--languages``, such as ``en-de``, or else the config states both.

    ``swap``: the second column is the source. Raises UsageError when ``stated`` is not two languages.
    """
    if stated is not None:
        return Statement(stated_codes(stated), "option")
    found = text.languages[::-1] if swap else text.languages
    return None if AUTO in found else Statement(found, "config")


def resolve_languages(
    text: TextConfig, statements: Sequence[Statement], *, swap: bool
) -> tuple[TextConfig, LanguageOrigin, list[str]]:
    """The text section with the languages that it leaves open; where these are from; warnings.

    ``statements`` is what `stated_languages` has found, or what the files state, one at least. Of these, the first one
    counts that states both languages, or else the first one. ``--languages`` overrides the config, files do not.
    """
    found, origin = max(statements, key=lambda each: ANY_LANGUAGE not in each.codes)
    first, second = found[::-1] if swap else found
    src, tgt = (first, second) if origin == "option" else text.languages
    # A side that the config leaves open is the other language of the pair that was found.
    if src == AUTO:
        src = second if first == tgt else first
    if tgt == AUTO:
        tgt = first if second == src else second
    text, warnings = with_languages(text, src, tgt)
    return text, origin, warnings


def with_languages(text: TextConfig, src: str, tgt: str) -> tuple[TextConfig, list[str]]:
    """The text section with these languages, and a warning for each that spaCy has no rules for."""
    sides = {"src": text.src.model_copy(update={"language": src}), "tgt": text.tgt.model_copy(update={"language": tgt})}
    warnings = []
    for language in dict.fromkeys((src, tgt)):
        if text.unit != "character" and not has_tokenizer(language):
            known = short_code(language)
            hint = f", but one for '{known}'" if known != language and has_tokenizer(known) else ""
            how = "words are cut at spaces and punctuation, by the rules for any language (xx)"
            warnings.append(f"spaCy has no tokenizer for '{language}'{hint}: {how}")
    return text.model_copy(update=sides), warnings


def by_words(columns: Sequence[Sequence[str]]) -> Statement:
    """English and German in the order that the words of the two columns show; `ANY_LANGUAGE` for a text in neither."""
    seen: list[str | None] = [None] * COLUMNS
    for place, texts in enumerate(columns):
        words = Counter(re.findall(r"\w+", " ".join(texts).casefold()))
        found = {code: len(words.keys() & frequent) for code, frequent in _WORDS.items()}
        best = max(found, key=found.__getitem__)
        is_often = sum(words[word] for word in _WORDS[best]) >= _LEAST_OFTEN * words.total()
        if found[best] >= _FEWEST_WORDS and is_often:
            seen[place] = best
        elif not fits(script_of(texts), DEFAULT[place]):
            seen[place] = DEFAULT[place]  # which is refused
        elif len(texts) >= _FEWEST_SENTENCES:
            seen[place] = ANY_LANGUAGE
    # A column of few words is in the usual language, unless the other one is.
    first, second = (
        code or (ANY_LANGUAGE if default in seen else default) for code, default in zip(seen, DEFAULT, strict=True)
    )
    return Statement((first, second), "default")


def stated_codes(stated: str) -> Codes:
    """The codes of two languages in the text of an option, by code or name; raises UsageError when it has not two."""
    names = stated.strip().split("-")
    found = [
        short_code(name) if re.fullmatch(_CODE, name.lower()) else language_named(name) or any_code_named(name)
        for name in names
    ]
    match found:
        case [str(first), str(second)]:
            return first, second
    advice = "of the columns; give one whose name is not known by a code of two or three letters, such as qaa-en"
    raise UsageError(f"--languages {stated}: must be two languages, such as en-de or English-German, {advice}")


def guess_languages(names: Sequence[str]) -> Codes | None:
    """The languages that the names of a pair file, or of its two aligned files, state; None where they state none.

    ``fra.txt``, ``fra-eng.zip`` and ``fra.txt.gz`` are published names: their first column is English.
    ``corpus.en-de.tsv`` and ``English-German`` state both columns, ``a.en`` and ``a.de``, or ``a_en.txt`` and
    ``a_de.txt``, one each. The code of one may be unknown.
    """
    stems = [_stem(name) for name in names]
    if len(stems) == COLUMNS:
        is_published = not {*PUBLISHED}.isdisjoint(stems)  # fra.txt has English, too: "more.txt" is not in Mooré then
        first, second = (_of_side(stem, by_any_name=not is_published) for stem in stems)
        if first and second and first != second and (is_known(first) or is_known(second)):
            return first, second
    pairs = {pair for stem in stems if (pair := _of_both(stem))}
    return pairs.pop() if len(pairs) == 1 else None


@cache
def language_named(name: str) -> str | None:
    """The code of the language that the name of a column states: ``de`` for de, deu, de-DE, German and text_de."""
    whole = " ".join(_LETTERS.findall(unicodedata.normalize("NFC", name).casefold()))
    if not whole:
        return None
    if code := code_named(whole):
        return code
    if (tag := _TAG.fullmatch(name.casefold().strip())) and (code := code_named(tag[1])):
        return code
    codes = {*_JOINED.findall(name.casefold()), *map(str.casefold, [] if name.isupper() else _CAPITALS.findall(name))}
    words = {word for word in whole.split() if len(word) > CODE_LETTERS} | (codes - OFTEN_KEYS)
    found = {code for word in words if (code := code_named(word))}
    return found.pop() if len(found) == 1 else None


def _stem(name: str) -> str:
    """The name in lower case, without its folder, the endings of its format, a browser's (1), and a script's name."""
    path = PurePath(name.lower())
    while path.suffix in _ENDINGS:
        path = path.with_suffix("")
    return without_script(_COPY.sub("", path.name))


def _of_side(stem: str, *, by_any_name: bool) -> str | None:
    """The language of an aligned file, by its ending or all of its name; it may be one that is not known."""
    ending = PurePath(stem).suffix[1:]
    if found := language_named(ending) or language_named(stem):
        return found
    is_code = re.fullmatch(_CODE, ending) and ending not in _NO_LANGUAGES
    last = re.split("[._-]", stem)[-1]
    is_any = last not in _NO_LANGUAGES and (by_any_name or len(last) == CODE_LETTERS)
    return short_code(ending) if is_code else any_code_named(last) if is_any else None


def _of_both(stem: str) -> Codes | None:
    """The languages that one name states; behind a dot, one of two codes may be unknown."""
    published = stem.removesuffix("-eng")
    if published in PUBLISHED:
        return "en", short_code(published)
    if (match := _TWO_CODES.fullmatch(stem)) and _NO_LANGUAGES.isdisjoint(match.groups()):
        codes = short_code(match[2]), short_code(match[3])
        known = sum(map(is_known, codes))
        return codes if known == COLUMNS or (known and match[1].endswith(".")) else None
    for part in stem.split(" - "):  # Sentence pairs in English-French - 2024-01-01
        names = [name for name in part.split("-") if len(name) > CODE_LETTERS]
        if len(names) == COLUMNS and any(map(language_named, names)):
            first, second = (language_named(name) or any_code_named(name) for name in names)
            if first and second:
                return first, second
    return None


def script_of(texts: Iterable[str]) -> str | None:
    """The script of most letters; None where there are few letters, or no script has most."""
    letters = Counter[str]()
    for character, count in Counter("".join(texts)).items():
        if character.isalpha() and (script := script_of_letter(character)):
            letters[script] += count
    if letters.total() < _FEWEST_LETTERS:
        return None
    for script in ("Japanese", "Hangul"):
        if letters[script] >= _SOME * letters.total() and letters[script] + letters["Han"] > _MOST * letters.total():
            return script
    [(script, count)] = letters.most_common(1)
    return script if count > _MOST * letters.total() else None


def find_mismatch(columns: Sequence[Sequence[str]], languages: Codes, cure: str | None = None) -> str | None:
    """The sentence about the first column whose script does not fit its language; None when both fit.

    It ends with the `cure`, or with how to state the languages with ``--languages``.
    """
    scripts = list(map(script_of, columns))
    for which, script, language in zip(("first", "second"), scripts, languages, strict=True):
        if not fits(script, language):
            advice = "name the languages of the columns with --languages"
            if all(map(fits, scripts, languages[::-1])):
                advice = f"name the languages in the order of the columns, --languages {'-'.join(languages[::-1])}"
            return f"the {which} column is in {script} script, not {name_of(language)} ({language}): {cure or advice}"
    return None


def fits(script: str | None, language: str) -> bool:
    """Whether a language is written in a script; no script, or a language of which none is known, always fits."""
    return script is None or script in (scripts_of_language(language) or [script])
