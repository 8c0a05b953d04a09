"""Commands side by side in one folder, and commands of which one call to the disk fails: nothing is lost.

``make schedules`` plays 1,000 schedules, ``make faults`` lets every call fail. The schedules here take an hour, or
``S2S_SCHEDULE_SECONDS``.
"""

import os
import sys
from pathlib import Path

import pytest

from tests.forks import Forked

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks processes, and reads /proc")

ROOT = Path(__file__).resolve().parents[2]
HOUR = "3600"


def run(module: str, *options: str) -> str:
    """What a program of benchmarks/reliability prints; it must find nothing wrong."""
    done = Forked(ROOT, *options, module=f"benchmarks.reliability.{module}").done(timeout=2 * float(HOUR))
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_nothing_is_lost_when_some_calls_fail() -> None:
    assert "none of them lost something" in run("faults", "--every", "601")


@pytest.mark.slow
def test_nothing_is_lost_side_by_side_in_an_hour() -> None:
    seconds = os.environ.get("S2S_SCHEDULE_SECONDS", HOUR)
    assert "none of them lost something" in run("schedules.__main__", "--schedules", "1000000", "--seconds", seconds)


@pytest.mark.slow
def test_nothing_is_lost_whichever_call_fails() -> None:
    assert "none of them lost something" in run("faults")
