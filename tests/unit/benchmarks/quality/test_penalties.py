"""The table of length penalties."""

from pathlib import Path

from benchmarks.quality.penalties import lines


def test_the_best_penalty_is_marked_and_greedy_search_is_none() -> None:
    table = list(lines(Path("runs/quick"), {"greedy": 40.0, "none": 37.0, "average": 38.5}))
    assert table == ["quick", "  greedy     40.00", "  none       37.00", "  average    38.50 *"]
