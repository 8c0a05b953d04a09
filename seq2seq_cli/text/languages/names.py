"""The names of languages, and their codes: ``names.tsv``."""

from importlib.resources import files
from typing import NamedTuple


class Language(NamedTuple):
    """A language with its codes and its name."""

    code3: str
    """ISO 639-3, in the names of published files: ``deu`` is in ``deu-eng.zip``."""
    code: str
    """The code in configs and in spaCy: ISO 639-1 where there is one."""
    name: str
    """In English."""


_TABLE = files("seq2seq_cli.text.languages").joinpath("names.tsv").read_text(encoding="utf-8")
_ROWS = [line.split("\t") for line in _TABLE.splitlines()[1:]]
PUBLISHED = tuple(Language(code3, code, name) for code3, code, published, name, *_ in _ROWS if published == "yes")
"""The languages of the published pair files; see `seq2seq_cli.pairs.published`."""
SHORT_CODES = {code3: code for code3, code, *_ in _ROWS}
"""The code of each language of the table by its code of three letters; some languages have two of those."""
NAMES = {code: name for _, code, _, name, *_ in _ROWS}
"""The English name of each language of the table by its code in configs."""
CODES_BY_OTHER_NAME = {name: code for _, code, *_, names in _ROWS for name in names.split(", ") if name}
"""The code of each language by its name in itself, Deutsch or Español, and that of English by its name in others."""

SCRIPTS = {code: scripts.split() for _, code, _, _, scripts, _ in _ROWS}
"""The scripts that each language of the table is written in, the usual one first."""


def name_of(code: str) -> str:
    """The English name of a language; the code where the table lacks it."""
    return NAMES.get(code, code)
