"""``make bench`` with tiny settings: every figure is printed and is plausible."""

import re
import sys
from pathlib import Path

import pytest

from benchmarks.models import DECODERS
from benchmarks.speed.training import LOOP
from tests.forks import Done, Forked

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="measures processes by wait4")

ROOT = Path(__file__).resolve().parents[2]


PREPARED = (
    *(
        name + figure
        for name in ("s2s prepare", "s2s prepare, words", "s2s prepare, 10 times the file")
        for figure in ("", ", CPU", ", largest process")
    ),
    "time for 10 times the file",
    "memory for 10 times the file",
)
TRAINED = (
    *(f"training, {name}" for name in (*DECODERS, LOOP)),
    *(f"{name} over {LOOP}" for name in DECODERS),
    *(f"training, {name}, memory" for name in (*DECODERS, LOOP)),
)


def figures(printed: str) -> dict[str, float]:
    """The medians of the table by their names."""
    rows = (re.fullmatch(r" *(.+?)  +([\d.,e+]+)(?: .*)?", line) for line in printed.splitlines()[3:])
    return {row[1]: float(row[2].replace(",", "")) for row in rows if row}


def speed(*arguments: str) -> Done:
    return Forked(ROOT, *arguments, module="benchmarks.speed.__main__").done(timeout=3600)


@pytest.mark.slow
def test_it_measures_preparing_and_training(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.txt"
    pairs.write_text("".join(f"Tom saw {n} cats.\tTom sah {n} Katzen.\n" for n in range(100)), encoding="utf-8")
    arguments = ("--pairs", str(pairs), "--rounds", "1", "--seconds", "0.1")
    done = speed(*arguments, "--only", "prepare", "training")

    assert done.returncode == 0, done.stderr
    values = figures(done.stdout)
    assert list(values) == [*PREPARED, *TRAINED]
    assert all(value > 0 for value in values.values())
    assert "missed" in done.stdout  # so small a training reaches no goal
    assert list(tmp_path.iterdir()) == [pairs]
