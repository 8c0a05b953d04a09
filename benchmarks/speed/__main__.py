"""Measure the speed of s2s and print a table: ``make bench``, or ``python -m benchmarks.speed --help``.

prepare      seconds and peak memory of ``s2s prepare``: subwords, words, ten times the file
help         seconds of ``s2s --help``
translation  with --run: seconds and memory of one sentence in a new process, sentences/s of 2,000 greedily and with
             beam 5, and, with --joeynmt-model, JoeyNMT's seconds for the same sentences
tutorial     seconds of the whole ``s2s train --config tutorial``
training     target tokens/s with three decoders, in turn with the tutorials' loop and, with --joeynmt, JoeyNMT
distributed  target tokens/s of two processes that train one model and of one
memory       largest memory of training the default model
limits       the most target tokens/s that the machine's products allow, and the per cent of it that training reached

Compare only figures of one run, on a machine that does nothing else. Linux and macOS only. More: benchmarks/README.md.
"""

import argparse
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path

from benchmarks import parser_of
from benchmarks.figures import Figure, table
from benchmarks.processes import cold_start
from benchmarks.speed.commands import measure_prepare, measure_tutorial
from seq2seq_cli.errors import S2SError

PARTS = ("prepare", "help", "translation", "tutorial", "training", "distributed", "memory", "limits")


def main() -> None:
    """Parse, measure, print."""
    options = _parse()
    try:
        figures = _measure(options)
    except (S2SError, RuntimeError, OSError) as error:
        sys.exit(f"benchmarks.speed: {error}")
    versions = ", ".join(f"{name} {version(name)}" for name in ("torch", "spacy"))
    print(f"{options.pairs}, {os.cpu_count()} cores ({platform.machine()}), {versions}\n")
    print("\n".join(table(figures)))


def _parse() -> argparse.Namespace:
    parser = parser_of("speed", "Measure the speed of s2s and print a table.")
    parser.add_argument("--pairs", type=Path, default=Path("data/sample.txt"), metavar="FILE", help="pair file")
    parser.add_argument("--run", type=Path, metavar="DIR", help="run to translate with; default none")
    parser.add_argument("--joeynmt", type=Path, metavar="DIR", help="folder whose venv has JoeyNMT; default none")
    parser.add_argument(
        "--joeynmt-model",
        type=Path,
        metavar="FILE",
        help="config of a trained model of JoeyNMT, beside its venv, to translate with; default none",
    )
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="parts to measure; default all")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="number of rounds; default 3")
    parser.add_argument(
        "--seconds", type=float, default=10.0, metavar="S", help="length of a round of training; default 10"
    )
    options = parser.parse_args()
    if set(options.only) == {"translation"} and not options.run:
        parser.error("--only translation: needs --run, a run to translate with")
    if options.rounds < 1 or options.seconds <= 0:
        parser.error("--rounds and --seconds must be above 0")
    return options


def _measure(options: argparse.Namespace) -> list[Figure]:
    pairs, rounds = options.pairs, options.rounds
    figures: list[Figure] = []
    # Commands are measured first, before torch is imported into this process: see run_s2s.
    if "prepare" in options.only:
        figures += measure_prepare(pairs, rounds=rounds)
    if "help" in options.only:
        figures.append(Figure(name="s2s --help", unit="s", values=cold_start("--help")[0]))
    if "translation" in options.only and options.run:
        from benchmarks.speed.translation import measure_translation

        figures += measure_translation(pairs, options.run, joeynmt=options.joeynmt_model, rounds=rounds)
    if "tutorial" in options.only:
        figures += measure_tutorial(pairs, rounds=rounds)
    if "memory" in options.only:
        from benchmarks.speed.training import measure_memory

        figures += measure_memory(pairs, seconds=options.seconds, rounds=rounds)
    if "distributed" in options.only:
        from benchmarks.speed.distributed import measure_distributed

        figures += measure_distributed(pairs, rounds=rounds)
    if "training" in options.only:
        from benchmarks.speed.training import measure_training

        figures += measure_training(pairs, joeynmt=options.joeynmt, seconds=options.seconds, rounds=rounds)
    if "limits" in options.only:
        from benchmarks.speed.limits import measure_limits

        speeds = {figure.name.removeprefix("training, "): figure.median for figure in figures}
        figures += measure_limits(pairs, speeds)
    return figures


if __name__ == "__main__":
    main()
