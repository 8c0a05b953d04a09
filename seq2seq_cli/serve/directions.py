"""The translators of the server by their two languages."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from seq2seq_cli.config.choices import DeviceName
from seq2seq_cli.decoding.load import load
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.errors import UsageError
from seq2seq_cli.text.languages.names import NAMES


class Direction(NamedTuple):
    """From which language into which: two ISO 639 codes."""

    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.source}-{self.target}"


class Language(NamedTuple):
    """A language, and those that it is translated into."""

    code: str
    name: str
    """In English; the code where it is not known."""
    targets: tuple[str, ...]


@dataclass(frozen=True)
class Directions:
    """The directions in which the server translates, the first one first."""

    translators: dict[Direction, Translator]
    _wider: dict[tuple[Direction, int], Translator] = field(default_factory=dict)

    @classmethod
    def load(
        cls, runs: Sequence[Path], *, device: DeviceName, overrides: Sequence[str] = (), threads: int | None = None
    ) -> "Directions":
        """Load runs, or the newest one where none is named.

        Raises UsageError for two runs of the same direction, and what `seq2seq_cli.decoding.load.load` raises.
        """
        options = {} if threads is None else {"threads": threads}
        paths: dict[Direction, Path] = {}
        translators: dict[Direction, Translator] = {}
        wanted: Sequence[Path | None] = runs or [None]
        for run in wanted:
            loaded = load(run, device=device, overrides=overrides, options=options)
            translator = loaded.translator
            direction = Direction(translator.src_codec.config.language, translator.tgt_codec.config.language)
            if direction in translators:
                raise UsageError(f"{loaded.path}: translates {direction}, as {paths[direction]} does: name one of them")
            paths[direction], translators[direction] = loaded.path, translator
            translator.translate(["a"])  # a missing tokenizer is reported now, and the first request is quick
        return cls(translators)

    def __iter__(self) -> Iterator[Direction]:
        return iter(self.translators)

    def translator(self, direction: Direction, n_best: int = 1) -> Translator:
        """The translator of a direction, which must be one of these; with so many translations of each text."""
        if n_best == 1:
            return self.translators[direction]
        key = direction, n_best
        if key not in self._wider:
            self._wider[key] = self.translators[direction].with_n_best(n_best)
        return self._wider[key]

    @property
    def threads(self) -> int:
        """The threads in which all translators may be used at the same time."""
        return min(translator.engine.threads for translator in self.translators.values())

    @cached_property
    def languages(self) -> tuple[Language, ...]:
        """All languages, sources first."""
        codes = dict.fromkeys([*(each.source for each in self), *(each.target for each in self)])
        return tuple(
            Language(code, NAMES.get(code, code), tuple(each.target for each in self if each.source == code))
            for code in codes
        )


def listed(directions: Iterable[Direction]) -> str:
    """The directions as they stand in messages."""
    return ", ".join(map(str, directions))
