"""Spoilt files of every format that s2s reads: a few of each here, ten thousand with ``make fuzz``."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.fuzz.campaign import Campaign, Case
from tests.fuzz.formats import FORMATS
from tests.fuzz.oracle import MEGABYTES

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks processes")

FILES = 2
"""Files per format, the valid one included."""


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    campaign = Campaign(folder=tmp_path_factory.mktemp("fuzz"))
    campaign.prepare()
    return campaign


def test_a_spoilt_file_is_read_or_refused_in_a_line(campaign: Campaign) -> None:
    cases = [Case(format=format_, seed=1, number=number) for format_ in FORMATS for number in range(FILES)]
    outcomes = list(campaign.outcomes(cases))
    assert [outcome for outcome in outcomes if outcome.verdict.problem] == []
    assert {outcome.verdict.code for outcome in outcomes if outcome.case.number == 0} == {0}
    assert {outcome.verdict.code for outcome in outcomes} >= {0, 2}


def refuse(_: Sequence[str]) -> None:
    sys.stderr.write("s2s: error: pairs.txt: not text\n")
    sys.exit(2)


def raise_an_error(_: Sequence[str]) -> None:
    raise ValueError("a line of its own")


def refuse_in_silence(_: Sequence[str]) -> None:
    sys.exit(2)


def exit_with_another_code(_: Sequence[str]) -> None:
    sys.stderr.write("s2s: error: pairs.txt: not text\n")
    sys.exit(3)


def colour_the_terminal(_: Sequence[str]) -> None:
    sys.stderr.write("s2s: error: \x1b[31mpairs.txt\n")
    sys.exit(2)


def print_below_python(_: Sequence[str]) -> None:
    os.write(2, b"a library in C\n")


def take_memory(_: Sequence[str]) -> None:
    bytearray(b"x") * (MEGABYTES * 11 * 10**5)


def die(_: Sequence[str]) -> None:
    os.kill(os.getpid(), signal.SIGBUS)


@pytest.mark.parametrize(
    ("run", "problem"),
    [
        (refuse, ""),
        (raise_an_error, "ValueError"),
        (refuse_in_silence, "exit code 2 without a message"),
        (exit_with_another_code, "exit code 3"),
        (colour_the_terminal, "on stderr"),
        (print_below_python, "on stderr: 'a library in C'"),
        (take_memory, "took 5"),
        (die, "SIGBUS"),
    ],
)
def test_what_a_command_may_not_do_is_found(
    campaign: Campaign, run: Callable[[Sequence[str]], None], problem: str
) -> None:
    outcome, after = campaign.outcomes([Case(format=FORMATS[0], seed=1, number=number) for number in (0, 1)], run)
    assert outcome.verdict.problem.startswith(problem)
    assert bool(outcome.verdict.problem) == bool(problem)
    assert after.verdict.problem.startswith(problem)
    assert bool(after.verdict.problem) == bool(problem)


def test_a_failure_is_kept_as_it_was_read(campaign: Campaign, tmp_path: Path) -> None:
    cases = [Case(format=FORMATS[0], seed=1, number=number) for number in range(1, 4)]
    spoilt = set()
    for outcome in campaign.outcomes(cases, raise_an_error):
        read = (campaign.work / outcome.path).read_bytes()
        assert (campaign.keep(outcome, tmp_path) / outcome.path).read_bytes() == read
        spoilt.add(read)
    assert len(spoilt) == 3


def test_no_process_is_left_when_a_campaign_is_given_up(campaign: Campaign) -> None:
    outcomes = campaign.outcomes([Case(format=FORMATS[0], seed=1, number=number) for number in range(9)], refuse)
    next(outcomes)
    outcomes.close()
    assert multiprocessing.active_children() == []
