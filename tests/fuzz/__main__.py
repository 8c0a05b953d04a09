"""Spoil files of every format that s2s reads, and print the outcomes of the commands that read them.

    python -m tests.fuzz --files 10000
    python -m tests.fuzz checkpoint ids --files 500 --seed 2

Each failure is kept in a folder: the files, and in case.json the command to run there and what was wrong.
"""

import argparse
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.fuzz.campaign import Campaign, Case
from tests.fuzz.formats import FORMATS, Format

_KEPT_ALIKE = 3
"""Failures with like problems that are kept."""


def fuzz(campaign: Campaign, format_: Format, numbers: range, kept: Path) -> bool:
    """Judge the cases of a format, keep some of each failure, and print all; returns whether there was a failure.

    The seconds are the processor's, the memory is beyond what the program held at its start.
    """
    codes: Counter[int | None] = Counter()
    problems: Counter[str] = Counter()
    longest = megabytes = 0.0
    for outcome in campaign.outcomes([Case(format=format_, seed=campaign.seed, number=n) for n in numbers]):
        verdict = outcome.verdict
        codes[verdict.code] += 1
        longest, megabytes = max(longest, verdict.seconds), max(megabytes, verdict.megabytes)
        if verdict.problem:
            kind = re.sub(r"\d+", "0", verdict.problem)[:60]
            problems[kind] += 1
            if problems[kind] <= _KEPT_ALIKE:
                folder = campaign.keep(outcome, kept)
                print(f"{folder}: {outcome.path}: s2s {outcome.command}\n    {verdict.problem}", flush=True)
    exits = "".join(f"{codes[code]:>9,} exit {code}" for code in (0, 1, 2))
    print(f"{format_.name:<22}{exits}{problems.total():>9,} failures{longest:>8.1f} s{megabytes:>8,.0f} MB", flush=True)
    return bool(problems)


def main() -> int:
    """Fuzz the formats that are named, or all; returns 1 when anything failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help="; ".join(format_.name for format_ in FORMATS))
    parser.add_argument("--files", type=int, default=100, help="files per format; default 100")
    parser.add_argument("--first", type=int, default=0, help="the number of the first one; default 0, the valid file")
    parser.add_argument("--seed", type=int, default=1, help="seed of the mutations; default 1")
    parser.add_argument("--kept", type=Path, default=Path("fuzz-failures"), help="folder of the failures")
    options = parser.parse_args()
    chosen = [format_ for format_ in FORMATS if not options.formats or format_.name in options.formats]
    if unknown := set(options.formats) - {format_.name for format_ in chosen}:
        parser.error(f"no such format: {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(Path(folder), options.seed)
        campaign.prepare()
        numbers = range(options.first, options.first + options.files)
        failed = [fuzz(campaign, format_, numbers, options.kept) for format_ in chosen]
    return int(any(failed))


if __name__ == "__main__":
    sys.exit(main())
