"""A killed and resumed training ends like one that was never killed; ``make kills`` tries it fifty times."""

import sys
from pathlib import Path

import pytest

from tests.forks import Forked

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks processes")

ROOT = Path(__file__).resolve().parents[2]


def test_killed_and_resumed_equals_never_killed(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.txt"
    lines = (ROOT / "data" / "sample.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    pairs.write_text("".join(lines[:150]), encoding="utf-8")
    done = Forked(ROOT, "--kills", "3", "--pairs", str(pairs), module="benchmarks.reliability.kills").done()
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith("3 kills, ")
    assert done.stderr == ""
