"""The sentences that translating is measured with, and the table of length penalties."""

from pathlib import Path

from benchmarks.penalties import lines
from benchmarks.translation import different_sources


def test_sources_are_different_and_from_the_whole_file(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.txt"
    pairs.write_text("".join(f"{number // 2}\tx{number}\n" for number in range(100)), encoding="utf-8")
    assert different_sources(pairs, 5) == ["0", "10", "20", "30", "40"]
    assert len(different_sources(pairs, 1000)) == 50


def test_the_best_penalty_is_marked_and_greedy_search_is_none() -> None:
    table = list(lines(Path("runs/quick"), {"greedy": 40.0, "none": 37.0, "average": 38.5}))
    assert table == ["quick", "  greedy     40.00", "  none       37.00", "  average    38.50 *"]
