"""The script of a text, held against the languages that it is taken for: rules of German cut no Japanese."""

from collections import Counter
from collections.abc import Iterable, Sequence

from seq2seq_cli.text.languages.names import SCRIPTS, name_of
from seq2seq_cli.text.letters import script_of_letter
from seq2seq_cli.text.spacy_tokenizers import ANY_LANGUAGE

_FEWEST = 20
"""Letters below which the script is not known."""
_SOME = 0.05
"""Fraction of letters of a script's own from which on a text with Han characters is Japanese or Korean."""
_MOST = 0.5
"""Fraction of the letters that makes a text one of a script."""
_LISTED = 9


def script_of(texts: Iterable[str]) -> str | None:
    """The script of most letters; None where there are few letters, or none is that of most."""
    letters = Counter[str]()
    for character, count in Counter("".join(texts)).items():
        if character.isalpha() and (script := script_of_letter(character)):
            letters[script] += count
    if letters.total() < _FEWEST:
        return None
    for script in ("Japanese", "Hangul"):
        if letters[script] >= _SOME * letters.total() and letters[script] + letters["Han"] > _MOST * letters.total():
            return script
    [(script, count)] = letters.most_common(1)
    return script if count > _MOST * letters.total() else None


def find_mismatch(columns: Sequence[Sequence[str]], languages: Sequence[str], *, guessed: bool = False) -> str | None:
    """The sentence about the first column whose script is not that of its language; None when both fit.

    `guessed`: the languages are guessed from the names of files.
    """
    scripts = [script_of(texts) for texts in columns] or [None, None]
    for which, script, language in zip(("first", "second"), scripts, languages, strict=True):
        if not _fits(script, language) or (guessed and _is_doubtful(script, language)):
            name = f"{name_of(language)} ({language})"
            return f"the {which} column is in {script} script, not {name}: {_advice(scripts, languages)}"
    return None


def _is_doubtful(script: str | None, language: str) -> bool:
    """Whether it is not known that the language is written so: of the name of a file, jp may be Japan."""
    return language not in SCRIPTS and language != ANY_LANGUAGE and script not in (None, "Latin")


def _fits(script: str | None, language: str) -> bool:
    return script is None or script in SCRIPTS.get(language, [script])


def _advice(scripts: Sequence[str | None], languages: Sequence[str]) -> str:
    """The option that names languages whose scripts these are."""
    turned = languages[::-1]
    if all(map(_fits, scripts, turned)):
        return f"name the languages in the order of the columns, --languages {'-'.join(turned)}"
    codes, others = list(languages), []
    for side, (script, language) in enumerate(zip(scripts, languages, strict=True)):
        if not _fits(script, language):
            codes[side], *more = [code for code, known in SCRIPTS.items() if script == known[0]] or [ANY_LANGUAGE]
            others += more
    which = f" (or {', '.join(others[:_LISTED])})" if others else ""
    return f"name the languages, such as --languages {'-'.join(codes)}{which}"
