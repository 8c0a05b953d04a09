"""The languages of the published pair files, each with English in the first column (https://www.manythings.org/anki/).

``text/languages/names.tsv`` lists them as of 2024, with the codes of the Tatoeba project, and is not checked against
the site, which adds and drops languages. A language that the site has and the list lacks is downloaded by its code.
"""

from collections.abc import Iterator
from difflib import get_close_matches

from seq2seq_cli.errors import UsageError
from seq2seq_cli.text.languages.names import PUBLISHED, Language

_ENGLISH = ("eng", "en", "english")
_CODE3_LENGTH = 3


def find_published(word: str) -> Language:
    """The language with this code or name: ``deu``, ``de``, ``German`` or ``german``.

    An unknown code of three letters is returned as it is: the site may have more languages than this list. Raises
    UsageError for English, which is in every file, and for an unknown name, with the names near to it.
    """
    wanted = word.strip().casefold()
    if wanted in _ENGLISH:
        raise UsageError("English is the other language of every file: name the one that goes with it")
    for language in PUBLISHED:
        if wanted in _names(language):
            return language
    if len(wanted) == _CODE3_LENGTH and wanted.isascii() and wanted.isalpha():
        return Language(code3=wanted, code=wanted, name=wanted)
    raise UsageError(f"no published language is called '{word}'{near_languages(wanted)}")


def near_languages(word: str) -> str:
    """The end of a message about an unknown language: the names nearest to ``word``."""
    by_name = {name: language for language in PUBLISHED for name in _names(language)}
    # A code with one wrong letter still agrees in two of three; names are longer and must agree better.
    cutoff = 0.65 if len(word) <= _CODE3_LENGTH else 0.75
    near = dict.fromkeys(by_name[name] for name in get_close_matches(word.casefold(), by_name, n=3, cutoff=cutoff))
    if not near:
        return ": list the languages with 's2s download --list'"
    return ", did you mean " + " or ".join(f"{language.code3} ({language.name})" for language in near) + "?"


def _names(language: Language) -> Iterator[str]:
    name = language.name.casefold()
    yield from (language.code3, language.code, name)
    if name.endswith(")"):  # chinese (mandarin)
        yield from name.rstrip(")").split(" (")
