"""Measure the speed of s2s and print a table: ``make bench``, or ``python -m benchmarks.speed --help``.

prepare     seconds and peak memory of ``s2s prepare``: words, bpe 8,000, ten times the file
commands    seconds of ``s2s --help`` and, with --run, of ``s2s translate`` in a new process
training    target tokens/s beside those of the tutorials' loop, which takes turns with ours in the same process

Figures that are to be compared belong to one run on a machine that does nothing else. Linux and macOS only.
"""

import argparse
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path

from benchmarks.figures import Figure, table
from benchmarks.processes import measure_commands, measure_prepare
from seq2seq_cli.errors import S2SError

PARTS = ("prepare", "commands", "training")


def main() -> None:
    """Parse, measure, print."""
    options = _parse()
    # As s2s does it; read when torch is imported, which is after this.
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")
    try:
        figures = list(_measure(options))
    except (S2SError, RuntimeError) as error:
        sys.exit(f"benchmarks.speed: {error}")
    versions = ", ".join(f"{name} {version(name)}" for name in ("torch", "spacy"))
    print(f"{options.pairs}, {os.cpu_count()} cores ({platform.machine()}), {versions}\n")
    print("\n".join(table(figures)))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed", description="Measure the speed of s2s and print a table."
    )
    parser.add_argument("--pairs", type=Path, default=Path("data/sample.txt"), metavar="FILE", help="pair file")
    parser.add_argument("--config", default="tutorial", metavar="NAME", help="what to train; default tutorial")
    parser.add_argument("--run", type=Path, metavar="DIR", help="run to translate with; without it, none is measured")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="parts to measure; default all")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="times to measure; default 3")
    parser.add_argument(
        "--seconds", type=float, default=20.0, metavar="S", help="length of a round of training; default 20"
    )
    options = parser.parse_args()
    if options.rounds < 1 or options.seconds <= 0:
        parser.error("--rounds and --seconds are above 0")
    return options


def _measure(options: argparse.Namespace) -> list[Figure]:
    figures: list[Figure] = []
    # Processes come first: see run_s2s.
    if "prepare" in options.only:
        figures += measure_prepare(options.pairs, rounds=options.rounds)
    if "commands" in options.only:
        figures += measure_commands(options.run)
    if "training" in options.only:
        from benchmarks.training import measure_training

        figures += measure_training(options.pairs, options.config, seconds=options.seconds, rounds=options.rounds)
    return figures


if __name__ == "__main__":
    main()
