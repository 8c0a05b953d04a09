"""API keys: from a file or the environment."""

import hmac
import os
from collections.abc import Mapping
from pathlib import Path

from seq2seq_cli.errors import InputError, unreadable
from seq2seq_cli.files.reading import read_whole

VARIABLE = "S2S_API_KEY"
"""The environment variable that holds a key."""
_MOST_BYTES = 1_000_000


class ApiKeys:
    """The keys that open the server; without any, it is open to everybody who reaches it."""

    def __init__(self, keys: tuple[str, ...] = ()) -> None:
        self._keys = [key.encode("utf-8") for key in keys]

    @classmethod
    def find(cls, file: Path | None, environment: Mapping[str, str] = os.environ) -> "ApiKeys":
        """The keys of a file, one per line, and that of the environment.

        Blank lines and those that begin with # are left out. Raises InputError for a file that cannot be read, that
        holds no key, or that is not UTF-8, and for a variable that is not.
        """
        keys = [environment.get(VARIABLE, "").strip()]
        if any(0xD800 <= ord(character) <= 0xDFFF for character in keys[0]):  # bytes that are not UTF-8
            raise InputError(f"{VARIABLE}: not UTF-8: set it to a key in UTF-8")
        if file is not None:
            keys += (found := _read(file))
            if not found:
                raise InputError(f"{file}: holds no API key: write one per line")
        return cls(tuple(filter(None, keys)))

    @property
    def are_required(self) -> bool:
        """Whether a request needs a key."""
        return bool(self._keys)

    def allow(self, key: str | None) -> bool:
        """Whether a request with this key is let in. The time it takes reveals nothing about the keys."""
        if not self._keys:
            return True
        given = (key or "").encode("utf-8", "surrogatepass")
        return any([hmac.compare_digest(given, known) for known in self._keys])  # noqa: C419  # all are compared


def _read(file: Path) -> list[str]:
    try:
        lines = map(str.strip, read_whole(file, most=_MOST_BYTES).decode("utf-8-sig").splitlines())
    except OSError as error:
        raise InputError(unreadable(file, error)) from None
    except UnicodeDecodeError:
        raise InputError(f"{file}: not UTF-8: write an API key per line") from None
    return [line for line in lines if line and not line.startswith("#")]
