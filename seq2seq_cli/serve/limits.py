"""Who may send requests to the server, and how much: API keys and bounds."""

import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from seq2seq_cli.errors import InputError, unreadable
from seq2seq_cli.files.reading import read_whole

_MOST_KEY_BYTES = 1_000_000
_BYTES_PER_CHARACTER = 12
"""In JSON: a character outside of the first 65,536 can be written as two escapes of six bytes."""
_OTHER_BYTES = 2**16
"""Bytes of a body besides its texts: names, languages, spaces."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The bounds that whoever runs the server chooses. A text counts as its characters and one more."""

    max_characters: int = 20_000
    """Most characters of the texts of a request; one with more is refused with 413."""
    max_waiting: int = 400_000
    """Most characters that wait to be translated; a request beyond is refused with 429."""
    timeout: float = 30.0
    """Seconds to receive the body of a request (else 408), and to translate it (else 503)."""

    @property
    def longest_text(self) -> int:
        """Most characters of a text that is the only one of its request."""
        return self.max_characters - cost("")

    @property
    def max_bytes(self) -> int:
        """Most bytes of the body of a request; one with more is refused with 413."""
        return _BYTES_PER_CHARACTER * self.max_characters + _OTHER_BYTES


def cost(text: str) -> int:
    """The characters that a text counts as: not even an empty one is free."""
    return len(text) + 1


class ApiKeys:
    """The keys that open the server; without any, it is open to everybody who reaches it."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self._keys = [key.encode("utf-8") for key in keys]

    @classmethod
    def read(cls, file: Path) -> "ApiKeys":
        """The keys of a file, one per line; blank lines and lines that begin with # are left out.

        Raises InputError for a file that cannot be read, that holds no key, or that is not UTF-8.
        """
        try:
            lines = map(str.strip, read_whole(file, most=_MOST_KEY_BYTES).decode("utf-8-sig").splitlines())
        except OSError as error:
            raise InputError(unreadable(file, error)) from None
        except UnicodeDecodeError:
            raise InputError(f"{file}: not UTF-8: write an API key per line") from None
        if not (keys := [line for line in lines if line and not line.startswith("#")]):
            raise InputError(f"{file}: holds no API key: write one per line")
        return cls(keys)

    @property
    def are_required(self) -> bool:
        """Whether a request needs a key."""
        return bool(self._keys)

    def allow(self, key: str | None) -> bool:
        """Whether a request with this key is let in. The time it takes reveals nothing about the keys."""
        given = (key or "").encode("utf-8", "surrogatepass")
        return not self._keys or any([hmac.compare_digest(given, known) for known in self._keys])  # noqa: C419  # all
