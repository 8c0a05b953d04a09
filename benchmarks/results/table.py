"""The results of systems, kept as JSON, and their table."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import TypeAlias

from benchmarks.figures import markdown_table, shown_mean, with_spread


@dataclass(frozen=True, kw_only=True)
class Score:
    """A score of the test split, with SacreBLEU's signature."""

    value: float
    signature: str


@dataclass(frozen=True, kw_only=True)
class Result:
    """The scores and costs of one system, trained with one seed."""

    pairs: str
    """Name of the pair file."""
    test: list[str]
    """Names of the files of test pairs; empty: they are held out from `pairs`."""
    training_pairs: int
    system: str
    settings: list[str]
    """KEY=VALUE, other than the config has them."""
    seed: int
    parameters: int | None
    """None for another toolkit, as are the two after the scores."""
    minutes: float
    """Minutes of training, validations included."""
    bleu: Score
    lowercase_bleu: Score
    chrf: Score
    sentences_per_second: float | None
    """Those of the test split, with the search of the config, in one process."""
    start_seconds: float | None
    """Seconds of a new process that translates one sentence."""
    hardware: str
    torch: str


Key: TypeAlias = tuple[str, tuple[str, ...], str, tuple[str, ...], str]
"""Pair file, test files, system, settings, hardware: what results of several seeds have in common."""


def read_results(folder: Path) -> list[Result]:
    """The results in a folder, in the order of their files' names."""
    results = []
    for path in sorted(folder.glob("*.json")):
        values = json.loads(path.read_text(encoding="utf-8"))
        values |= {name: Score(**values[name]) for name in ("bleu", "lowercase_bleu", "chrf")}
        results.append(Result(**values))
    return results


def results_table(results: Sequence[Result]) -> list[str]:
    """A row for each system on each pair file: means over the seeds, of the scores with their standard deviations."""
    titles = ["pairs", "system", "hardware", "training pairs", "parameters", "minutes", "seeds"]
    titles += ["BLEU", "lower-cased", "chrF2", "sentences/s", "start, s"]
    rows = [
        [
            ", tested on ".join((pairs, *test)),
            _in_words(system, settings),
            hardware,
            f"{several[0].training_pairs:,}",
            f"{several[0].parameters:,}" if several[0].parameters else "",
            f"{mean(each.minutes for each in several):.1f}",
            str(len(several)),
            *(
                with_spread([getattr(each, score).value for each in several])
                for score in ("bleu", "lowercase_bleu", "chrf")
            ),
            shown_mean([each.sentences_per_second for each in several], ",.0f"),
            shown_mean([each.start_seconds for each in several], ".2f"),
        ]
        for (pairs, test, system, settings, hardware), several in _by_system(results).items()
    ]
    signatures = dict.fromkeys(
        f"`{score.signature}`" for result in results for score in (result.bleu, result.lowercase_bleu, result.chrf)
    )
    return [*markdown_table(titles, rows, texts=3), "", f"Signatures: {', '.join(signatures)}."]


def summary_table(results: Sequence[Result]) -> list[str]:
    """The rows of `results_table` with minutes, BLEU and chrF alone."""
    rows = [
        [
            ", tested on ".join((pairs, *test)),
            _in_words(system, settings),
            hardware,
            f"{mean(each.minutes for each in several):.0f}",
            with_spread([each.bleu.value for each in several]),
            with_spread([each.chrf.value for each in several]),
        ]
        for (pairs, test, system, settings, hardware), several in _by_system(results).items()
    ]
    return markdown_table(["pairs", "system", "hardware", "minutes", "BLEU", "chrF2"], rows, texts=3)


def _by_system(results: Sequence[Result]) -> dict[Key, list[Result]]:
    """The results of the seeds together: by pair file and machine, the best one first."""
    groups: dict[Key, list[Result]] = {}
    for result in results:
        key = result.pairs, tuple(result.test), result.system, tuple(result.settings), result.hardware
        groups.setdefault(key, []).append(result)

    def place(key: Key) -> tuple[str, tuple[str, ...], str, float]:
        return key[0], key[1], key[4], -mean(each.bleu.value for each in groups[key])

    return {key: groups[key] for key in sorted(groups, key=place)}


def _in_words(system: str, settings: Sequence[str]) -> str:
    """A system with its settings, as code."""
    return " ".join(f"`{part}`" for part in (system, *settings))
