"""``make bench`` in small: each figure is there, and is one that could be true."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.figures import Figure, table

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="measures processes by wait4")

ROOT = Path(__file__).resolve().parents[2]


def speed(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "benchmarks.speed", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)


def test_it_measures_preparing_and_training(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.txt"
    pairs.write_text("".join(f"Tom saw {n} cats.\tTom sah {n} Katzen.\n" for n in range(100)), encoding="utf-8")
    arguments = ("--pairs", str(pairs), "--rounds", "1", "--seconds", "0.1")
    done = speed(*arguments, "--only", "prepare", "training")

    assert done.returncode == 0, done.stderr
    lines = dict(line.rsplit("  ", 1)[0].rsplit(maxsplit=1) for line in done.stdout.splitlines()[3:])
    values = {name.strip(): float(number.replace(",", "")) for name, number in lines.items()}
    assert list(values) == [
        *(
            name + figure
            for name in ("s2s prepare", "s2s prepare, bpe 8,000", "s2s prepare, 10 times the file")
            for figure in ("", ", CPU", ", largest process")
        ),
        "time for 10 times the file",
        "memory for 10 times the file",
        "training, tutorial",
        "training, the tutorials' loop",
        "ratio",
    ]
    assert all(value > 0 for value in values.values())
    assert list(tmp_path.iterdir()) == [pairs]


def test_a_command_that_fails_is_told_and_not_timed() -> None:
    done = speed("--pairs", "no_such.txt", "--only", "prepare")
    assert done.returncode == 1
    assert done.stdout == ""
    assert "no_such.txt: no such file" in done.stderr


def test_the_table_shows_median_and_range() -> None:
    figures = [
        Figure(name="s2s prepare", unit="s", values=[3.0, 1.234, 1.5]),
        Figure(name="ratio", unit="times", values=[1234.4]),
    ]
    assert list(table(figures)) == [
        "               median    lowest   highest  unit",
        "s2s prepare       1.5      1.23         3  s",
        "ratio           1,234                      times",
    ]
