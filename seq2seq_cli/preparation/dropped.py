"""Lines that prepare leaves out: how many for which reason, and the first of them as examples."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from seq2seq_cli.corpus.manifest import REASONS, Reason
from seq2seq_cli.errors import PairFileError
from seq2seq_cli.text.normalise import normalise

MOST_BAD = 0.01
"""Share of the lines that may lack a tab, and share that may have an empty side, before the file is refused."""

MOST_EXAMPLES = 100
"""Kept for each reason."""

LONGEST_EXAMPLE = 200
"""Characters of a sentence that an example shows."""

_COLUMNS = ("reason", "file", "line", "src", "tgt")
_ADVICE: Mapping[Reason, str] = {
    "no tab": "has no tab between source and target: put one there, or delete the line",
    "empty side": "has an empty source or target: fill it in, or delete the line",
}


class Example(NamedTuple):
    """A line that was dropped, and the start of what stands in it."""

    file: str
    line: int
    src: str
    tgt: str

    @classmethod
    def of(cls, file: str, line: int, src: str, tgt: str) -> "Example":
        """Cut and normalise the text, so that it fits on a line."""
        # A slice first: a text may have a million characters.
        src, tgt = (normalise(text[:LONGEST_EXAMPLE]) for text in (src, tgt))
        return cls(file, line, src, tgt)


@dataclass(kw_only=True)
class Tally:
    """How many lines were dropped for one reason, and the first few of them."""

    count: int = 0
    examples: list[Example] = field(default_factory=list)

    def add(self, count: int, examples: Iterable[Example]) -> None:
        """Count further lines, which stand behind those counted so far."""
        self.count += count
        room = MOST_EXAMPLES - len(self.examples)
        self.examples += [example for example, _ in zip(examples, range(room), strict=False)]


class Dropped(dict[Reason, Tally]):
    """A tally for each reason; one that nothing was dropped for is not there."""

    def add(self, reason: Reason, count: int, examples: Iterable[Example]) -> None:
        """Count further lines for one reason."""
        if count:
            self.setdefault(reason, Tally()).add(count, examples)

    def has_room(self, reason: Reason) -> bool:
        """Whether another example would be kept."""
        return reason not in self or len(self[reason].examples) < MOST_EXAMPLES

    def merge(self, later: "Dropped") -> None:
        """Add what was dropped behind all that is counted here."""
        for reason, tally in later.items():
            self.add(reason, tally.count, tally.examples)

    def count(self, reason: Reason) -> int:
        """How many lines were dropped for a reason."""
        return self[reason].count if reason in self else 0

    def in_order(self) -> list[tuple[Reason, Tally]]:
        """In the order in which the reasons are looked for."""
        return [(reason, self[reason]) for reason in REASONS if reason in self]


def refuse_bad(file: str, dropped: Dropped, lines_read: int) -> None:
    """Raise PairFileError when too many of the lines read from a file lack a tab, or have an empty side."""
    used = lines_read - dropped.count("blank line")
    for reason, advice in _ADVICE.items():
        count = dropped.count(reason)
        if count > MOST_BAD * used:
            first = dropped[reason].examples[0].line
            share = f"{count:,} of {used:,} lines are so, and at most {MOST_BAD:.0%} may be"
            raise PairFileError(f"{file}:{first}: the line {advice} ({share})")


def write_examples(path: Path, dropped: Dropped) -> None:
    """Write the examples as tab-separated values, with a header."""
    rows = [
        (reason, example.file, str(example.line), example.src, example.tgt)
        for reason, tally in dropped.in_order()
        for example in tally.examples
    ]
    path.write_bytes("".join("\t".join(row) + "\n" for row in [_COLUMNS, *rows]).encode("utf-8"))
