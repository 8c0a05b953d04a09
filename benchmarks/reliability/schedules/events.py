"""What happens in a round of a schedule: commands of s2s, and what the user does meanwhile."""

import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from benchmarks.reliability.forks import Fork


@dataclass(kw_only=True)
class Command:
    """A command of a round."""

    arguments: Sequence[str]
    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    replaces: bool = False
    """Whether what is in the folder that it writes may be replaced."""
    expected: set[int] = field(default_factory=lambda: {0, 1, 2})
    """Its exit codes as far as nobody else touches its folders."""
    seed: int = 0
    starts: float = 0.0
    """Seconds after the start of the round."""
    kill: tuple[float, signal.Signals] | None = None
    """The seconds after its start and the signal that it is to get then."""
    sent: tuple[float, signal.Signals] | None = None
    """The same, once it has got it."""
    fork: Fork | None = None
    code: int | None = None

    @property
    def in_words(self) -> str:
        """The command without its settings."""
        words = (word for word in self.arguments if not word.startswith("--set="))
        killed = f", {self.sent[1].name} after {self.sent[0]:.2f} s" if self.sent else ""
        return f"s2s {' '.join(words)} (at {self.starts:.2f} s{killed}): {self.code}"


@dataclass(kw_only=True)
class Deed:
    """What the user does in a round, at a moment."""

    at: float
    words: str
    writes: set[str]
    do: Callable[[], None]
