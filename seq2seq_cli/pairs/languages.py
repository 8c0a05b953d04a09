"""The two languages of a pair file: stated by the user, stated in the config, or read from the name of the file."""

import re
import unicodedata
from collections.abc import Sequence
from pathlib import PurePath
from typing import Literal, NamedTuple

from seq2seq_cli.config.schema.text import AUTO, TextConfig
from seq2seq_cli.errors import UsageError
from seq2seq_cli.pairs.archives import PAIR_SUFFIXES
from seq2seq_cli.pairs.lines import COLUMNS
from seq2seq_cli.text.languages.names import CODES_BY_OTHER_NAME, NAMES, PUBLISHED, SHORT_CODES
from seq2seq_cli.text.spacy_tokenizers import ANY_LANGUAGE, has_tokenizer

DEFAULT = ("en", "de")
"""The languages of the columns when nothing states them."""

LanguageOrigin = Literal["option", "config", "columns", "name", "default", "codecs"]
"""The place where languages were found: ``--languages``, the config, the names of the columns, a file's name, none, or
given codecs."""

_ENGLISH = "en"
_PUBLISHED = {language.code3: language.code for language in PUBLISHED}
_CODES = set(SHORT_CODES.values())

_CODE = "[a-z]{2,3}"
_STATED = re.compile(f"({_CODE})-({_CODE})", re.IGNORECASE)
_TWO_CODES = re.compile(f"(?:^|.*[._-])({_CODE})-({_CODE})")
_AFTER_A_DOT = re.compile(rf".*\.({_CODE})-({_CODE})")
_COPY = re.compile(r" ?\(\d+\)$")
"""Added by browsers to the name of a file that is downloaded again."""
_ENDINGS = {*PAIR_SUFFIXES, ".parquet", ".xlsx", ".zip", ".gz"}

_LETTERS = re.compile(r"[^\W\d_]+")


def _in_words(name: str) -> str:
    return " ".join(_LETTERS.findall(unicodedata.normalize("NFC", name).casefold()))


def _without_accents(name: str) -> str:
    return "".join(each for each in unicodedata.normalize("NFD", name) if not unicodedata.combining(each))


_BY_NAME = {
    **{_in_words(name): code for name, code in CODES_BY_OTHER_NAME.items()},
    **{_without_accents(_in_words(name)): code for name, code in CODES_BY_OTHER_NAME.items()},
    **{_in_words(name): code for code, name in NAMES.items()},
    **SHORT_CODES,
    **{code: code for code in _CODES},
}
"""The code of each language of the table by its codes and its names."""
_TAG = re.compile(r"([^\W\d_]+)[-_](?:[^\W\d_]{2}|[^\W\d_]{4})")
"""A language and a region or a script: en-US, sr-Latn."""
_JOINED = re.compile(r"[^\W\d].*?[_./(-]([^\W\d_]{2,3})(?![^\W\d_])")
"""A code behind another word, to which no space joins it: text_de."""
_CAPITALS = re.compile(r" ([A-Z]{2,3})\b")
"""A code behind a space: Text DE."""
_NO_LANGUAGES = {
    *("src", "tgt", "trg", "ref", "hyp", "tok", "bpe", "raw", "low", "lc", "tc", "new", "old", "dev", "out", "bak"),
    *("br", "cn", "cz", "dk", "gb", "gr", "hk", "jp", "kr", "tw", "ua", "us", "vn"),
}
"""Endings of files, and countries, which are no codes of languages."""
_CODE_LETTERS = 3
OF_KEYS = {"id"}
"""Codes of languages that often name something else: id, sentence_id."""

Codes = tuple[str, str]
"""The languages of the first and the second column, or of the source and the target of aligned files."""


class Statement(NamedTuple):
    """The languages that a pair file states, in the order in which its columns are read."""

    codes: Codes
    """`ANY_LANGUAGE` for a column whose name states none."""
    origin: LanguageOrigin
    """``columns`` or ``name``."""


class ResolvedText(NamedTuple):
    """A text section with two real languages."""

    text: TextConfig
    origin: LanguageOrigin
    warnings: list[str]


def stated_languages(text: TextConfig, stated: str | None, *, swap: bool) -> Codes | None:
    """The languages of the columns where ``--languages`` or the config states both; see `resolve_languages`."""
    if stated is not None:
        return _read_languages(stated)
    found = (text.tgt.language, text.src.language) if swap else (text.src.language, text.tgt.language)
    return None if AUTO in found else found


def resolve_languages(
    text: TextConfig, *, stated: str | None, files: Sequence[Statement] = (), swap: bool
) -> ResolvedText:
    """Replace the languages that a text section leaves open.

    ``stated`` is the text of ``--languages``, such as ``en-de``: it names the columns and overrides the config, which
    in turn overrides what the ``files`` state. Of these, the first one counts that states both languages, or else the
    first one. ``swap``: the second column is the source.

    Raises UsageError when ``stated`` is not two language codes.
    """
    origin: LanguageOrigin
    if stated is not None:
        found, origin = _read_languages(stated), "option"
        src, tgt = found[::-1] if swap else found
    else:
        found, origin = next(iter(whole_first(files)), (DEFAULT, "default"))
        src, tgt = _fill(text, found[::-1] if swap else found)
        if AUTO not in (text.src.language, text.tgt.language):
            origin = "config"
    languages = {"src": src, "tgt": tgt}
    sides = {side: getattr(text, side).model_copy(update={"language": code}) for side, code in languages.items()}
    warnings = []
    if text.unit != "character":
        warnings = [_missing(language) for language in dict.fromkeys((src, tgt)) if not has_tokenizer(language)]
    return ResolvedText(text.model_copy(update=sides), origin, warnings)


def whole_first(files: Sequence[Statement]) -> list[Statement]:
    """The statements of files, those first that name both languages."""
    return sorted(files, key=lambda each: ANY_LANGUAGE in each.codes)


def _read_languages(stated: str) -> Codes:
    match = _STATED.fullmatch(stated.strip())
    if not match:
        raise UsageError(f"--languages {stated}: must be two language codes, such as en-de: those of the columns")
    return short_code(match[1]), short_code(match[2])


def guess_languages(names: Sequence[str]) -> Codes | None:
    """The languages that the names of a pair file, or of its two aligned files, state; None where they state none.

    ``fra.txt``, ``fra-eng.zip`` and ``fra.txt.gz`` are published names: their first column is English.
    ``corpus.en-de.tsv`` and ``English-German`` state both columns, ``a.en`` and ``a.de``, or ``a_en.txt`` and
    ``a_de.txt``, one each. The code of one may be unknown.
    """
    stems = [_stem(name) for name in names]
    if len(stems) == COLUMNS and (sides := _of_sides(stems)):
        return sides
    pairs = [pair for stem in stems if (pair := _pair(stem))]
    if pairs:
        return _only(pairs)
    endings = list(dict.fromkeys(short_code(PurePath(stem).suffix.removeprefix(".")) for stem in stems))
    single = [code for code in endings if code in _CODES]
    if len(single) == COLUMNS:
        return single[0], single[1]
    between = [_codes(found) for stem in stems if (found := _AFTER_A_DOT.fullmatch(stem))]
    both = [*between, *([(endings[0], endings[1])] if len(endings) == COLUMNS else [])]
    return _only([codes for codes in both if _is_one_known(codes)])


def _only(pairs: Sequence[Codes]) -> Codes | None:
    """The pair of languages that all of them are; None where they differ, or there is none."""
    return pairs[0] if len(set(pairs)) == 1 else None


def reversed_codes(codes: Codes) -> Codes:
    """The languages of the columns in the other order."""
    return codes[1], codes[0]


def short_code(code: str) -> str:
    """The code in the config and in spaCy: ``de`` for ``deu``; an unknown one is returned as it is."""
    code = code.lower()
    return SHORT_CODES.get(code, code)


def language_named(name: str) -> str | None:
    """The code of the language that the name of a column states: ``de`` for de, deu, de-DE, German and text_de."""
    whole = _in_words(name)
    words = whole.split()
    if not words:
        return None
    if code := _BY_NAME.get(whole):
        return code
    if (tag := _TAG.fullmatch(name.casefold().strip())) and tag[1] in _BY_NAME:
        return _BY_NAME[tag[1]]
    found = {_BY_NAME[word] for word in words if word in _BY_NAME and len(word) > _CODE_LETTERS}
    codes = {*_JOINED.findall(name.casefold()), *map(str.casefold, [] if name.isupper() else _CAPITALS.findall(name))}
    found |= {_BY_NAME[code] for code in codes & _BY_NAME.keys() - OF_KEYS}
    return found.pop() if len(found) == 1 else None


def _fill(text: TextConfig, found: Codes) -> Codes:
    """The languages of the config; a side that it leaves open is the other one of the pair that was found."""
    src, tgt = text.src.language, text.tgt.language
    if src == AUTO:
        src = found[1] if found[0] == tgt else found[0]
    if tgt == AUTO:
        tgt = found[0] if found[1] == src else found[1]
    return src, tgt


def _missing(language: str) -> str:
    known = short_code(language)
    hint = f", but one for '{known}'" if known != language and has_tokenizer(known) else ""
    how = "words are cut at spaces and punctuation, by the rules for any language (xx)"
    return f"spaCy has no tokenizer for '{language}'{hint}: {how}"


def _stem(name: str) -> str:
    """The name in lower case, without its folder, the endings of its format, and a browser's (1)."""
    path = PurePath(name.lower())
    while path.suffix in _ENDINGS:
        path = path.with_suffix("")
    return _COPY.sub("", path.name)


def _pair(stem: str) -> Codes | None:
    published = stem.removesuffix("-eng")
    if published in _PUBLISHED:
        return _ENGLISH, _PUBLISHED[published]
    return _pair_of_codes(stem) or _two_names(stem)


def _pair_of_codes(stem: str) -> Codes | None:
    match = _TWO_CODES.fullmatch(stem)
    codes = _codes(match) if match else None
    return codes if codes and _CODES.issuperset(codes) else None


def _two_names(stem: str) -> Codes | None:
    """The languages of ``Sentence pairs in English-French - 2024-01-01``."""
    for part in stem.split(" - "):
        names = part.split("-")
        if len(names) == COLUMNS and all(len(name) > _CODE_LETTERS for name in names):
            first, second = map(language_named, names)
            if first and second:
                return first, second
    return None


def _of_sides(stems: Sequence[str]) -> Codes | None:
    """The languages of two aligned files, where the name of each states another one."""
    first, second = (None if _pair_of_codes(stem) else _of_side(stem) for stem in stems)
    return (first, second) if first and second and first != second else None


def _of_side(stem: str) -> str | None:
    """The language that the ending of a name states, or else the whole of it."""
    return language_named(PurePath(stem).suffix.removeprefix(".")) or language_named(stem)


def _codes(found: re.Match[str]) -> Codes:
    return short_code(found[1]), short_code(found[2])


def _is_one_known(codes: Codes) -> bool:
    """Whether one is the code of a language of the table, and the other may be that of another language."""
    return len(_CODES.intersection(codes)) == 1 and all(
        re.fullmatch(_CODE, code) and code not in _NO_LANGUAGES for code in codes
    )
