"""The bounds within which the server takes requests."""

from dataclasses import dataclass

_BYTES_PER_CHARACTER = 12
"""In JSON: a character outside of the first 65,536 can be written as two escapes of six bytes."""
_OTHER_BYTES = 2**16
"""Bytes of a body besides its texts: names, languages, spaces."""

MOST_ALTERNATIVES = 10
"""Alternatives per text: each makes the search of a batch wider."""
MOST_DROPPED_BYTES = 10**8
"""Bytes of a body that is too large and is read all the same; of a larger one, the connection is closed."""
MOST_CONNECTIONS = 1000
"""Connections at a time: the usual limit of open files is 1,024."""
MOST_HEAD_BYTES = 2**15
"""Bytes of the request line and the headers."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The bounds that whoever runs the server chooses. A text counts as its characters and one more."""

    max_characters: int = 20_000
    """Most characters of the texts of a request; one with more is refused with 413."""
    max_waiting: int = 400_000
    """Most characters that wait to be translated; a request beyond is refused with 429."""
    timeout: float = 30.0
    """Seconds to receive the head of a request (else 408), to receive its body (else 408), to translate it (else 503),
    and to send the answer, each."""

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
