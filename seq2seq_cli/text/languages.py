"""Codes, names and scripts of languages, from the Unicode CLDR (langcodes, language_data)."""

import re
from collections.abc import Collection
from functools import cache
from threading import Lock
from typing import Any

from seq2seq_cli.text.spacy_tokenizers import ANY_LANGUAGE, has_tokenizer

_PUBLISHED = (
    "afr sqi arq ara asm aze eus bel ben ber bos bul yue cat ceb cbk cmn hrv ces dan nld epo est fin fra glg kat deu"
    " ell guj heb hin hun isl ido ilo ind ina gle ita jpn kab kan kaz kha khm kor kur lao lvs lit nds mkd zsm mal mlt"
    " mar mon max nob nno pes pol por pan ron rus srp sin slk slv spa swh swe tgl tam tat tel tha tur ukr urd uig vie"
    " war yid zza"
)
PUBLISHED = tuple(_PUBLISHED.split())
"""The languages that https://www.manythings.org/anki/ has pairs of, each with English, as of 2024."""
_OTHER_CODES = {"fil": "tl", "no": "nb", "kmr": "kmr"}
"""Codes that spaCy and Tatoeba write otherwise than the CLDR, or keep apart."""
_SECOND_SCRIPTS = {
    **dict.fromkeys(("az", "bs"), "Cyrillic"),
    **dict.fromkeys(("sr", "kk"), "Latin"),
    **dict.fromkeys(("ber", "kab"), "Tifinagh"),
    **dict.fromkeys(("ja", "ko"), "Han"),
    **dict.fromkeys(("ku", "ms", "pa"), "Arabic"),
    "grc": "Greek",
}
"""The CLDR has the usual script of a language alone."""
_SCRIPTS = {"Hans": "Han", "Hant": "Han", "Kore": "Hangul", "Beng": "Bengali"}
"""Scripts that the names of Unicode's characters call otherwise than the CLDR."""
CODE_LETTERS = 3
"""Letters of the longest codes."""
_NO_LANGUAGE = "zxx"
"""The detector's code of markup, numbers and addresses."""
_DETECTING = Lock()
"""One thread opens the detector, and not each that comes meanwhile."""
_WITH_SCRIPT = re.compile(r"([a-z]{3})[_-]([a-z]{4})$")


@cache
def _cldr() -> Any:
    """The module langcodes, imported when it is needed: that takes 20 ms, which ``s2s translate`` need not spend."""
    import langcodes

    return langcodes


@cache
def _detector() -> Any:
    """The detector of languages, of the extra ``serve``; it opens in a second."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def likely_languages(text: str, codes: Collection[str]) -> dict[str, float]:
    """The probability that a text is in each of these languages, the likeliest first; together they are certain.

    Lui & Baldwin 2012, "langid.py: An Off-the-shelf Language Identification Tool". The detector knows 140 languages:
    any other of `codes` is as likely as the likeliest one that is not among them.
    """
    if len(codes) == 1:
        return dict.fromkeys(codes, 1.0)
    with _DETECTING:
        ranked = _detector().rank(text)
    known = {short_code(label): probability for label, probability in ranked}
    other = max(probability for code, probability in known.items() if code not in (*codes, _NO_LANGUAGE))
    weights = {code: known.get(code, other) for code in codes}
    total = sum(weights.values()) or 1.0
    return {code: weights[code] / total for code in sorted(codes, key=lambda code: -weights[code])}


def short_code(code: str) -> str:
    """The code in configs and in spaCy: ``de`` for ``deu``, ``zh`` for ``cmn``; an unknown one is returned as it is."""
    code = code.lower()
    if code in _OTHER_CODES:
        return _OTHER_CODES[code]
    try:
        tag: str = _cldr().standardize_tag(code, macro=True).partition("-")[0]  # sr-Latn for sh, fa-AF for prs
    except ValueError:
        return code
    return _OTHER_CODES.get(tag, tag)


def without_script(name: str) -> str:
    """A name in lower case without the script behind a code at its end: ``dev.eng`` for ``dev.eng_latn``."""
    match = _WITH_SCRIPT.search(name)
    return name[: match.end(1)] if match and _cldr().tag_is_valid("-".join(match.groups())) else name


def name_of(code: str) -> str:
    """The English name of a language; the code where it has none."""
    name: str = _cldr().Language.get(code).display_name() if _cldr().tag_is_valid(code) else code
    return code if name.startswith("Unknown language") else name  # Unknown language [qaa], of a code for private use


@cache
def is_known(code: str) -> bool:
    """Whether a code of configs is of a language with published pairs or with a tokenizer of spaCy's."""
    is_published = code in {short_code(each) for each in ("eng", *PUBLISHED)}
    return is_published or (code != ANY_LANGUAGE and code.isalpha() and has_tokenizer(code))


@cache
def code_named(word: str) -> str | None:
    """The code of the known language with this code or name, in any language: ``de`` for deu, German and Deutsch."""
    code = short_code(word)
    if len(word) > CODE_LETTERS or not word.isascii():
        try:
            code = short_code(_cldr().find(word).language or "")
        except (LookupError, UnicodeError):  # not UTF-8
            return None
    return code if is_known(code) else None


@cache
def any_code_named(word: str) -> str | None:
    """The code of any language with this name or code of three letters: nearly every such word is one of some language.

    So it is asked only of what stands beside a known language.
    """
    if not word.isalpha():
        return None
    try:
        found = word if len(word) == CODE_LETTERS else (_cldr().find(word).language or "")
    except LookupError:
        return None
    return short_code(found) if len(word) >= CODE_LETTERS and _cldr().tag_is_valid(found) else None


@cache
def scripts_of_language(code: str) -> tuple[str, ...]:
    """The scripts that a known language is written in, the usual one first; none for other languages."""
    if not is_known(code):
        return ()
    script = _cldr().Language.get(code).maximize().script or ""
    usual = _SCRIPTS.get(script) or _cldr().Language.make(script=script).script_name()
    return (usual, *([_SECOND_SCRIPTS[code]] if code in _SECOND_SCRIPTS else []))
