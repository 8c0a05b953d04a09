"""What tests of pages share."""

from collections.abc import Iterator

import pytest

from tests.browser import Browser, running_browser


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
