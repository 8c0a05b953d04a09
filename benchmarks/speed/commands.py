"""Time and memory of ``s2s prepare`` and the training of the tutorial's config."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.figures import Figure, Goal
from benchmarks.processes import Cost, run_s2s

TIMES = 10
WORDS = ("--set=text.unit=word",)


def measure_prepare(pairs: Path, *, rounds: int) -> list[Figure]:
    """``s2s prepare`` of a whole pair file: with subwords, with words, and with the file ten times over.

    Raises RuntimeError when there is no such file, or when a command fails.
    """
    if not pairs.is_file():
        raise RuntimeError(f"{pairs}: no such file")
    with tempfile.TemporaryDirectory() as folder:
        longer = Path(folder) / pairs.name
        _repeat(pairs, longer)
        jobs = {
            "s2s prepare": (str(pairs),),
            "s2s prepare, words": (str(pairs), *WORDS),
            f"s2s prepare, {TIMES} times the file": (str(longer),),
        }
        costs: dict[str, list[Cost]] = {name: [] for name in jobs}
        # In turns, so that other load on the machine affects all of them.
        for number in range(rounds):
            for name, arguments in jobs.items():
                costs[name].append(run_s2s("prepare", *arguments, "--out", f"{folder}/{name}-{number}"))
    figures = [figure for name in jobs for figure in _cost_figures(name, costs[name])]
    one, many = costs["s2s prepare"], costs[f"s2s prepare, {TIMES} times the file"]
    seconds = [ten.seconds / once.seconds for once, ten in zip(one, many, strict=True)]
    peaks = [ten.peak / once.peak for once, ten in zip(one, many, strict=True)]
    return [
        *figures,
        Figure(name=f"time for {TIMES} times the file", unit="times", values=seconds),
        Figure(name=f"memory for {TIMES} times the file", unit="times", values=peaks),
    ]


def _cost_figures(name: str, costs: Sequence[Cost]) -> list[Figure]:
    return [
        Figure(name=name, unit="s", values=[cost.seconds for cost in costs]),
        Figure(name=f"{name}, CPU", unit="s", values=[cost.cpu for cost in costs]),
        Figure(name=f"{name}, largest process", unit="MB", values=[cost.peak for cost in costs]),
    ]


def _repeat(pairs: Path, longer: Path) -> None:
    """Write a pair file `TIMES` times over, each time with another number behind the sentences of both sides."""
    lines = [line.split("\t") for line in pairs.read_text(encoding="utf-8").removesuffix("\n").split("\n")]
    with longer.open("w", encoding="utf-8") as file:
        for number in range(TIMES):
            for columns in lines:
                sentences = [f"{sentence} {number}" for sentence in columns[:2]]
                file.write("\t".join([*sentences, *columns[2:]]) + "\n")


def measure_tutorial(pairs: Path, *, rounds: int) -> list[Figure]:
    """The whole of ``s2s train --config tutorial``: its pairs are the first 10,000 of the file."""
    with tempfile.TemporaryDirectory() as folder:
        prepared = f"{folder}/prepared"
        run_s2s("prepare", str(pairs), "--config", "tutorial", "--out", prepared)
        command = ("train", "--config", "tutorial", "--data", prepared, "--overwrite", "--out", f"{folder}/run")
        costs = [run_s2s(*command) for _ in range(rounds)]
    name = "s2s train --config tutorial"
    return [
        Figure(name=name, unit="s", values=[cost.seconds for cost in costs], goal=Goal(value=20, at_most=True)),
        Figure(name=f"{name}, memory", unit="MB", values=[cost.peak for cost in costs]),
    ]
