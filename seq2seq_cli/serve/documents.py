"""Documents that clients send, and their translations, which are kept until they are fetched."""

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

from seq2seq_cli.documents.open_document import open_content
from seq2seq_cli.documents.plain_text import TRANSLATED, Draft, Languages
from seq2seq_cli.errors import InputError

LARGEST_FILE = 10_000_000
"""Bytes of a document; what is packed in it may have twice as many."""
_MOST_AT_A_TIME = 2
"""Documents that are received and translated."""
_MOST_BYTES, _SECONDS = 100_000_000, 600
"""Of all translated documents together, where new ones replace the oldest; for which each may be fetched."""


async def read_document(fields: Mapping[str, Any], languages: Languages) -> tuple[PurePath, Draft]:
    """The name and the draft of a document; raises HTTPException for one that is missing or cannot be read."""
    file = fields.get("file")
    name = PurePath(PurePath(file.filename or "").name if isinstance(file, UploadFile) else "")
    if not isinstance(file, UploadFile) or name.suffix.lower() not in TRANSLATED:
        raise HTTPException(400, f"file: must be a document with one of the endings {' '.join(TRANSLATED)}")
    try:
        content = await file.read()
        return name, await asyncio.to_thread(open_content, content, str(name), languages, 2 * LARGEST_FILE)
    except InputError as error:
        raise HTTPException(400, str(error)) from None


def write_document(draft: Draft, texts: Sequence[str]) -> bytes:
    """The document with these texts."""
    for slot, text in zip(draft.slots, texts, strict=True):
        slot.write(text)
    return draft.content()


class TranslatedFiles(dict[str, bytes]):
    """Translated documents by their names, which nobody can guess: a secret, a full stop, and a document's own name."""

    def __init__(self) -> None:
        super().__init__()
        self.turns = asyncio.Semaphore(_MOST_AT_A_TIME)

    def keep(self, name: str, content: bytes) -> str:
        """The name under which a document is kept for a while."""
        secret = f"{secrets.token_urlsafe(16)}.{name}"
        self[secret] = content
        while sum(map(len, self.values())) > _MOST_BYTES:
            del self[next(iter(self))]
        asyncio.get_running_loop().call_later(_SECONDS, self.pop, secret, None)
        return secret
