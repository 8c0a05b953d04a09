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
    campaign = Campaign(tmp_path_factory.mktemp("fuzz"))
    campaign.prepare()
    return campaign


def cases(*numbers: int) -> list[Case]:
    return [Case(format=FORMATS[0], seed=1, number=number) for number in numbers]


def test_a_spoilt_file_is_read_or_refused_in_a_line(campaign: Campaign) -> None:
    outcomes = list(campaign.outcomes([Case(format=each, seed=1, number=n) for each in FORMATS for n in range(FILES)]))
    assert [outcome for outcome in outcomes if outcome.verdict.problem] == []
    assert [each for each in outcomes if each.case.number == 0 and each.verdict.code] == []
    assert {outcome.verdict.code for outcome in outcomes} >= {0, 2}


class Ending:
    """A command that writes a text to stderr and exits with a code."""

    def __init__(self, said: str, code: int) -> None:
        self.said, self.code = said, code

    def __call__(self, _: Sequence[str]) -> None:
        os.write(2, self.said.encode("utf-8"))  # below Python, as a library in C does
        sys.exit(self.code)


def raise_an_error(_: Sequence[str]) -> None:
    raise ValueError("a line of its own")


def take_memory(_: Sequence[str]) -> None:
    bytearray(b"x") * (MEGABYTES * 11 * 10**5)


def die(_: Sequence[str]) -> None:
    os.kill(os.getpid(), signal.SIGBUS)


@pytest.mark.parametrize(
    ("run", "problem"),
    [
        (Ending("s2s: error: pairs.txt: not text\n", 2), ""),
        (Ending("", 2), "exit code 2 without a message"),
        (Ending("s2s: error: pairs.txt: not text\n", 3), "exit code 3"),
        (Ending("s2s: error: \x1b[31mpairs.txt\n", 2), "on stderr"),
        (Ending("a library in C\n", 0), "on stderr: 'a library in C'"),
        (raise_an_error, "ValueError"),
        (take_memory, "took 5"),
        (die, "SIGBUS"),
    ],
)
def test_what_a_command_may_not_do_is_found(
    campaign: Campaign, run: Callable[[Sequence[str]], None], problem: str
) -> None:
    for outcome in campaign.outcomes(cases(0, 1), run):
        assert outcome.verdict.problem.startswith(problem)
        assert bool(outcome.verdict.problem) == bool(problem)


def test_a_failure_is_kept_as_it_was_read(campaign: Campaign, tmp_path: Path) -> None:
    spoilt = set()
    for outcome in campaign.outcomes(cases(1, 2, 3), raise_an_error):
        read = (campaign.work / outcome.path).read_bytes()
        assert (campaign.keep(outcome, tmp_path) / outcome.path).read_bytes() == read
        spoilt.add(read)
    assert len(spoilt) == 3


def test_no_process_is_left_when_a_campaign_is_given_up(campaign: Campaign) -> None:
    outcomes = campaign.outcomes(cases(*range(9)), Ending("", 2))
    next(outcomes)
    outcomes.close()
    assert multiprocessing.active_children() == []
