"""Documents come back whole: all but their text is as it was."""

import re
from collections.abc import Callable

import pytest

from seq2seq_cli.documents.draft import KINDS
from seq2seq_cli.documents.open_document import _READERS, open_document
from seq2seq_cli.errors import InputError
from tests.documents import DOCUMENTS, members, packed

LANGUAGES = ("en", "de")
NAMES = [name for name in DOCUMENTS if name not in {"program.po", "program.xliff"}]


def shouted(text: str) -> str:
    """The text in capitals, but for its tags: every word is another one, of the same length."""
    return "".join(part if part.startswith("<") else part.upper() for part in re.split(r"(<[^<>]*>)", text))


def translated(name: str, translate: Callable[[str], str], content: bytes | None = None) -> bytes:
    draft = open_document(DOCUMENTS[name] if content is None else content, name, LANGUAGES)
    return draft.finish([translate(text) for text in draft.texts])


def test_each_ending_has_a_reader() -> None:
    assert _READERS.keys() == KINDS.keys()


@pytest.mark.parametrize("name", NAMES)
def test_all_but_the_text_stays(name: str) -> None:
    before, after = members(name, DOCUMENTS[name]), members(name, translated(name, shouted))
    assert list(before) == list(after)
    changed = [member for member in before if before[member] != after[member]]
    assert changed
    for member in changed:
        told = after[member].replace(b'lang="de"', b'lang="en"')
        assert told.lower().split() == before[member].replace(b"\\u0064", b"d").lower().split()
