"""Spoil files of every format that s2s reads, and print the outcomes of the commands that read them.

    python -m tests.fuzz --files 10000
    python -m tests.fuzz checkpoint ids --files 500 --seed 2

Each failure is kept in a folder: the files, and in case.json the command to run there and what was wrong.
"""

import argparse
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.campaign import Campaign, Case, Outcome
from tests.fuzz.formats import FORMATS, Format

_KEPT_ALIKE = 3
"""Failures with like problems that are kept."""
_ALIKE = 60
"""Characters with which like problems begin, whatever their numbers."""


@dataclass(kw_only=True)
class Row:
    """The outcomes of a format."""

    format: Format
    codes: Counter[int | None] = field(default_factory=Counter)
    seconds: float = 0.0
    longest: float = 0.0
    megabytes: float = 0.0
    problems: dict[str, list[Outcome]] = field(default_factory=dict)
    """The failures by what was wrong."""

    def add(self, outcome: Outcome) -> None:
        """Count an outcome."""
        verdict = outcome.verdict
        self.codes[verdict.code] += 1
        self.seconds += verdict.seconds
        self.longest = max(self.longest, verdict.seconds)
        self.megabytes = max(self.megabytes, verdict.megabytes)
        if verdict.problem:
            self.problems.setdefault(_kind(verdict.problem), []).append(outcome)

    def cells(self) -> list[str]:
        """The columns of the table."""
        failures = sum(map(len, self.problems.values()))
        counts = [self.codes.total(), *(self.codes[code] for code in (0, 1, 2)), failures]
        return [
            self.format.name,
            *(f"{count:,}" for count in counts),
            f"{self.seconds:,.0f}",
            f"{self.longest:.1f}",
            f"{self.megabytes:,.0f}",
        ]


def _kind(problem: str) -> str:
    """What problems that are alike have in common."""
    return re.sub(r"\d+", "0", problem)[:_ALIKE]


def table(rows: Sequence[Row]) -> Iterator[str]:
    """The lines of the table; the seconds are those of the processor, the memory is beyond that of the start."""
    titles = ["format", "files", "exit 0", "exit 1", "exit 2", "failures", "seconds", "longest", "MB"]
    for first, *others in (titles, *(row.cells() for row in rows)):
        yield f"{first:<22}" + "".join(f"{cell:>10}" for cell in others)


def fuzz(campaign: Campaign, format_: Format, numbers: range, *, seconds: float, kept: Path) -> Row:
    """Judge the cases of a format until the time is over; keep some of each failure, and print them."""
    row, end = Row(format=format_), time.monotonic() + seconds
    cases = [Case(format=format_, seed=campaign.seed, number=number) for number in numbers]
    outcomes = campaign.outcomes(cases)
    for outcome in outcomes:
        row.add(outcome)
        problem = outcome.verdict.problem
        if problem and len(row.problems[_kind(problem)]) <= _KEPT_ALIKE:
            folder = campaign.keep(outcome, kept)
            print(f"{folder}: {outcome.path}: s2s {outcome.command}\n    {problem}", flush=True)
        if time.monotonic() > end:
            break
    outcomes.close()
    return row


def main() -> int:
    """Fuzz the formats that are named, or all; returns 1 when anything failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help="; ".join(format_.name for format_ in FORMATS))
    parser.add_argument("--files", type=int, default=100, help="files per format; default 100")
    parser.add_argument("--first", type=int, default=0, help="the number of the first one; default 0, the valid file")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="most seconds per format")
    parser.add_argument("--seed", type=int, default=1, help="seed of the mutations; default 1")
    parser.add_argument("--kept", type=Path, default=Path("fuzz-failures"), help="folder of the failures")
    options = parser.parse_args()
    chosen = [format_ for format_ in FORMATS if not options.formats or format_.name in options.formats]
    if unknown := set(options.formats) - {format_.name for format_ in chosen}:
        parser.error(f"no such format: {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(folder=Path(folder), seed=options.seed)
        campaign.prepare()
        numbers = range(options.first, options.first + options.files)
        rows = []
        for format_ in chosen:
            rows.append(fuzz(campaign, format_, numbers, seconds=options.seconds, kept=options.kept))
            print(*list(table(rows))[-1:], flush=True)
    print("", *table(rows), sep="\n")
    return int(any(row.problems for row in rows))


if __name__ == "__main__":
    sys.exit(main())
