"""The sentences that translating is measured with."""

from pathlib import Path

from benchmarks.speed.translation import different_sources


def test_sources_are_different_and_from_the_whole_file(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.txt"
    pairs.write_text("".join(f"{number // 2}\tx{number}\n" for number in range(100)), encoding="utf-8")
    assert different_sources(pairs, 5) == ["0", "10", "20", "30", "40"]
    assert len(different_sources(pairs, 1000)) == 50
