"""The table of results: one row per system and machine, over the seeds."""

import dataclasses
import json
from pathlib import Path

from benchmarks.results.table import Result, Score, read_results, results_table, summary_table


def result(system: str, seed: int, bleu: float) -> Result:
    return Result(
        pairs="deu.txt",
        test=[],
        training_pairs=162_268,
        system=system,
        settings=[],
        seed=seed,
        parameters=None if system.startswith("joeynmt") else 3_100_000,
        minutes=6.0,
        bleu=Score(value=bleu, signature="tok:13a"),
        lowercase_bleu=Score(value=bleu + 1, signature="case:lc"),
        chrf=Score(value=60.0, signature="nc:6"),
        sentences_per_second=None if system.startswith("joeynmt") else 800.0,
        start_seconds=None if system.startswith("joeynmt") else 0.25,
        hardware="2 cores (x86_64)",
        torch="2.13.0",
    )


def cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.split("|")[1:-1]]


def test_seeds_are_one_row_with_mean_and_spread_and_the_best_system_is_first(tmp_path: Path) -> None:
    results = [result("joeynmt-rnn:6", 1, 7.0), result("quick", 1, 39.0), result("quick", 2, 41.0)]
    for number, each in enumerate(results):
        (tmp_path / f"{number}.json").write_text(json.dumps(dataclasses.asdict(each)), encoding="utf-8")
    rows = [row.strip("| ") for row in results_table(read_results(tmp_path))[2:4]]
    machine = "2 cores (x86_64) | 162,268"
    quick = "3,100,000 | 6.0 | 2 | 40.0 ± 1.4 | 41.0 ± 1.4 | 60.0 ± 0.0 | 800 | 0.25"
    assert rows[0] == f"deu.txt | `quick` | {machine} | {quick}"
    assert rows[1].startswith(f"deu.txt | `joeynmt-rnn:6` | {machine} |  | 6.0 | 1 | 7.0 | 8.0 | 60.0")


def test_the_summary_has_a_column_per_pair_file_and_each_system_with_the_fewest_settings_and_most_seeds() -> None:
    results = [
        *(result("joeynmt-rnn:6", 1, 7.0), result("quick", 1, 39.0), result("quick", 2, 41.0)),
        dataclasses.replace(result("quick", 1, 42.0), hardware="1 core (x86_64)"),
        dataclasses.replace(result("quick", 1, 43.0), settings=["training.max_minutes=30"]),
        dataclasses.replace(result("few", 1, 13.5), pairs="deu-3000.txt", hardware="1 core (x86_64, AVX512)"),
    ]
    assert [cells(row) for row in summary_table(results) if "---" not in row] == [
        ["BLEU", "deu-3000.txt, 1 core", "deu.txt, 2 cores"],
        ["`quick`", "", "40.0 ± 1.4"],
        ["`few`", "13.5", ""],
        ["`joeynmt-rnn:6`", "", "7.0"],
    ]
