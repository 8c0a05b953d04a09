"""What these tests share: a browser, and a dial that takes a moment."""

from collections.abc import Iterator

import pytest

from seq2seq_cli.training import speed
from tests.browser import Browser, running_browser


@pytest.fixture(scope="module", autouse=True)
def _few_updates_are_timed() -> Iterator[None]:
    """The dial measures this machine by one update after one, not by nine after three: any speed will do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(speed, "_WARM_UP", 1)
        patch.setattr(speed, "_TIMED", 1)
        yield


@pytest.fixture(scope="session")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for all tests."""
    with running_browser(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture
def browser(tab: Browser) -> Iterator[Browser]:
    """The browser, which must have nothing to complain about."""
    tab.requests.clear()
    tab.complaints.clear()
    yield tab
    assert tab.complaints == []
