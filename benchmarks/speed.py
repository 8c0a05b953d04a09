"""Measure the speed of s2s and print a table: ``make bench``, or ``python -m benchmarks.speed --help``.

prepare      seconds and peak memory of ``s2s prepare``: words, bpe 8,000, ten times the file
commands     seconds of ``s2s --help`` and, with --run, of ``s2s translate`` in a new process
tutorial     seconds of the whole ``s2s train --config tutorial``
training     target tokens/s with three decoders, in turn with the tutorials' loop and, with --joeynmt, JoeyNMT
distributed  target tokens/s of two processes that train one model, beside those of one, and how far the losses differ
memory       most memory that training the default model holds
floor        the most target tokens/s that the machine's products allow, and the share of it that training reached

Figures that are to be compared belong to one run on a machine that does nothing else. Linux and macOS only;
benchmarks/README.md has more.
"""

import argparse
import os
import platform
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from benchmarks.figures import Figure, table
from benchmarks.processes import measure_commands, measure_prepare, measure_tutorial
from seq2seq_cli.errors import S2SError

PARTS = ("prepare", "commands", "tutorial", "training", "distributed", "memory", "floor")


def main() -> None:
    """Parse, measure, print."""
    options = _parse()
    try:
        figures = _measure(options)
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
    parser.add_argument("--run", type=Path, metavar="DIR", help="run to translate with; without it, none is measured")
    parser.add_argument(
        "--joeynmt", type=Path, metavar="DIR", help="folder whose venv has JoeyNMT; without it, it is not measured"
    )
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="parts to measure; default all")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="times to measure; default 3")
    parser.add_argument(
        "--seconds", type=float, default=10.0, metavar="S", help="length of a round of training; default 10"
    )
    options = parser.parse_args()
    if options.rounds < 1 or options.seconds <= 0:
        parser.error("--rounds and --seconds are above 0")
    return options


def _measure(options: argparse.Namespace) -> list[Figure]:
    pairs, rounds = options.pairs, options.rounds
    figures: list[Figure] = []
    # Processes come first, and what imports torch here comes last: see run_s2s.
    if "prepare" in options.only:
        figures += measure_prepare(pairs, rounds=rounds)
    if "commands" in options.only:
        figures += measure_commands(options.run)
    if "tutorial" in options.only:
        figures += measure_tutorial(pairs, rounds=rounds)
    if "memory" in options.only:
        from benchmarks.training import measure_memory

        figures += measure_memory(pairs, seconds=options.seconds, rounds=rounds)
    if "distributed" in options.only:
        from benchmarks.distributed import measure_distributed

        figures += measure_distributed(pairs, rounds=rounds)
    if "training" in options.only:
        from benchmarks.training import measure_training

        figures += measure_training(pairs, joeynmt=options.joeynmt, seconds=options.seconds, rounds=rounds)
    if "floor" in options.only:
        from benchmarks.floor import measure_floor

        figures += measure_floor(pairs, _medians(figures))
    return figures


def _medians(figures: Sequence[Figure]) -> dict[str, float]:
    """The speed of each training that was measured, by its name."""
    return {figure.name.removeprefix("training, "): figure.median for figure in figures}


if __name__ == "__main__":
    main()
