"""What holds for all tests: threads, signals, deadlines, and shapes in signatures, checked while the tests run.

The checks take as long as what they check. By default they are on in the unit tests of the subpackages that compute
with arrays, and in all tests where the slow ones run as well: ``make test-all``.
"""

import os
import signal
import sys
from pathlib import Path

import jaxtyping
import pytest
from hypothesis import HealthCheck, settings
from jaxtyping import install_import_hook

# Torch reads this when it is imported, in the commands that tests start as well. The models of the tests are too small
# to share, and threads that wait for each other beside another busy program take ten times as long.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A shell lets what it starts in the background ignore Ctrl-C, and so would the commands that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The fuzzer limits memory and time, and the browser is driven, by ways that Windows has not.
if sys.platform == "win32":
    collect_ignore_glob = ["fuzz/*", "integration/test_*_page.py"]

# How long an example takes depends on what else the machine does.
_SLOW = [HealthCheck.too_slow]
settings.register_profile("quick", deadline=None, max_examples=50, suppress_health_check=_SLOW)
settings.register_profile("thorough", deadline=None, max_examples=200, suppress_health_check=_SLOW)

install_import_hook(
    [f"seq2seq_cli.{room}" for room in ("model", "learning", "training", "decoding", "evaluation", "compute")],
    "beartype.beartype",
)

_CHECKED = tuple(
    Path(__file__).parent / "unit" / room for room in ("model", "learning", "decoding/search", "evaluation")
)
_QUICK = "not slow"
"""The default selection of tests, that of pyproject.toml."""


def pytest_configure(config: pytest.Config) -> None:
    """Let hypothesis draw more where the slow tests run as well."""
    settings.load_profile("quick" if config.option.markexpr == _QUICK else "thorough")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Check the signatures, or not, in a test and in the fixtures that it is the first to use."""
    is_checked = item.config.option.markexpr != _QUICK or any(map(item.path.is_relative_to, _CHECKED))
    jaxtyping.config.update("jaxtyping_disable", not is_checked)
