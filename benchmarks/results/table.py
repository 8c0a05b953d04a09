"""The results of systems, kept as JSON, and their table."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import TypeAlias

from benchmarks.figures import markdown_table, shown_mean, with_spread
from benchmarks.robustness.figures import Figures, table


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
    parameters: int | None = None
    """None for another toolkit, as are the two after the scores."""
    minutes: float
    """Minutes of training, validations included."""
    bleu: Score
    lowercase_bleu: Score
    chrf: Score
    sentences_per_second: float | None = None
    """Of the test split, with the search of the config, in one process."""
    start_seconds: float | None = None
    """Seconds of a new process that translates one sentence."""
    hardware: str
    torch: str
    tokens_per_second: float | None = None
    """The speed that the dial has measured; None for another system."""
    members: int = 1
    """Models that translate together."""
    robustness: dict[str, Figures] = field(default_factory=dict)
    """By the dress of the test split; none for another toolkit."""


Key: TypeAlias = tuple[str, tuple[str, ...], str, tuple[str, ...], str]
"""Pair file, test files, system, settings, hardware: what results of several seeds have in common."""


def read_results(folder: Path) -> list[Result]:
    """The results in a folder, in the order of their files' names."""
    results = []
    for path in sorted(folder.glob("*.json")):
        values = json.loads(path.read_text(encoding="utf-8"))
        values |= {name: Score(**values[name]) for name in ("bleu", "lowercase_bleu", "chrf")}
        values["robustness"] = {dress: Figures(**found) for dress, found in values.get("robustness", {}).items()}
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
        for (pairs, test, system, settings, hardware), several in by_system(results).items()
    ]
    signatures = dict.fromkeys(
        f"`{score.signature}`" for result in results for score in (result.bleu, result.lowercase_bleu, result.chrf)
    )
    return [*markdown_table(titles, rows, texts=3), "", f"Signatures: {', '.join(signatures)}."]


def robustness_tables(results: Sequence[Result]) -> list[str]:
    """A table for each system on each pair file, a row for each dress of the test split: means over the seeds."""
    lines = []
    for (pairs, test, system, settings, hardware), several in by_system(results).items():
        measured = [result.robustness for result in several if result.robustness]
        if measured:
            title = f"{_in_words(system, settings)}, {', tested on '.join((pairs, *test))}, {hardware}"
            figures = {dress: [of_seed[dress] for of_seed in measured] for dress in measured[0]}
            lines += [f"{title}, seeds: {len(measured)}", "", *table(figures), ""]
    return lines[:-1]


def summary_table(results: Sequence[Result]) -> list[str]:
    """BLEU, a row for each system, the best one first, and a column for each pair file.

    A system that was measured several times on the same pairs is there with the fewest settings of its own, of these on
    the machine with the most seeds, and of these with the highest score. A title names the cores of the machines.
    """
    groups = by_system(results)
    test_sets = Counter(pairs for pairs, _ in {key[:2] for key in groups})
    cells: dict[str, dict[str, list[Result]]] = {}  # by system and pairs
    for key in sorted(groups, key=lambda key: (len(key[3]), -len(groups[key]), -mean(_bleu(groups[key])))):
        pairs, test, system, *_ = key
        name = pairs if test_sets[pairs] == 1 else ", tested on ".join((pairs, *test))
        cells.setdefault(system, {}).setdefault(name, groups[key])
    columns = sorted({pairs for of_system in cells.values() for pairs in of_system}, key=_natural)
    cores = {
        pairs: sorted({_cores(of_system[pairs][0]) for of_system in cells.values() if pairs in of_system})
        for pairs in columns
    }
    systems = sorted(cells, key=lambda system: -max(mean(_bleu(several)) for several in cells[system].values()))
    rows = [
        [f"`{system}`", *(with_spread(_bleu(cells[system].get(pairs, []))) for pairs in columns)] for system in systems
    ]
    titles = ["BLEU", *(f"{pairs}, {' or '.join(cores[pairs])}" for pairs in columns)]
    return markdown_table(titles, rows)


def _bleu(results: Sequence[Result]) -> list[float]:
    return [result.bleu.value for result in results]


def _cores(result: Result) -> str:
    """The hardware without the instruction set in its parentheses."""
    return result.hardware.partition(" (")[0]


def _natural(name: str) -> list[str | int]:
    """The parts of a name by which it is sorted, numbers by their value."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def by_system(results: Sequence[Result]) -> dict[Key, list[Result]]:
    """The results of the seeds together: by pair file and machine, the best one first."""
    groups: dict[Key, list[Result]] = {}
    for result in results:
        key = result.pairs, tuple(result.test), result.system, tuple(result.settings), result.hardware
        groups.setdefault(key, []).append(result)

    def place(key: Key) -> tuple[str, tuple[str, ...], str, float]:
        return key[0], key[1], key[4], -mean(_bleu(groups[key]))

    return {key: groups[key] for key in sorted(groups, key=place)}


def _in_words(system: str, settings: Sequence[str]) -> str:
    """A system with its settings, as code."""
    return " ".join(f"`{part}`" for part in (system, *settings))
