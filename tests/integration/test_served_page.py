"""The page of a server in a real browser."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from seq2seq_cli.decoding.load import LoadedRun, load
from tests.browser import Browser, running_browser
from tests.servers import Server, running_server
from tests.untrained import make_run

pytestmark = pytest.mark.slow

HOSTILE = "<img src=x onerror=document.title='taken'> </script><script>document.title='taken'</script> \u2028 &lt;b&gt;"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> LoadedRun:
    return load(make_run(tmp_path_factory.mktemp("page") / "run").path)


@pytest.fixture
def server(run: LoadedRun, tmp_path: Path) -> Iterator[Server]:
    other = make_run(tmp_path / "other", languages=("de", "en"))
    with running_server("--model", run.path, "--model", other.path) as server:
        yield server


@pytest.fixture
def browser(server: Server, tmp_path: Path) -> Iterator[Browser]:
    with running_browser(tmp_path / "profile") as browser:
        browser.open(f"{server.address}/")
        yield browser
        assert {url.split("?")[0] for url in browser.requests} <= {f"{server.address}/", f"{server.address}/translate"}


def translation(browser: Browser, expected: str) -> str:
    """The translation that the page shows, once it is the expected one; the last one where it never is."""
    shown = ""
    for _ in range(300):
        shown = browser.run("document.querySelector('output').textContent")
        if shown == expected:
            break
        time.sleep(0.05)
    return shown


def test_what_is_typed_is_translated_and_its_attention_shown(browser: Browser, run: LoadedRun) -> None:
    text = "she kissed him ."
    browser.type(text)
    assert translation(browser, run.translate(text)) == run.translate(text)
    words = browser.run("[...document.querySelectorAll('.line')[0].children].map((word) => word.textContent)")
    assert words == [*text.split(), "<eos>"]
    browser.point_at(".line:nth-child(2) .word")
    weights = browser.run(
        "[...document.querySelectorAll('.line')[0].children].map((word) => Number(word.style.getPropertyValue('--w')))"
    )
    assert sum(weights) == pytest.approx(1, abs=0.02)
    assert browser.complaints == []


def test_a_text_with_scripts_stays_a_text(browser: Browser, run: LoadedRun) -> None:
    browser.type(HOSTILE)
    assert translation(browser, run.translate(HOSTILE)) == run.translate(HOSTILE)
    assert browser.run("document.title") == "s2s"
    assert browser.run("document.querySelectorAll('main img, main script').length") == 0
    assert browser.complaints == []


def test_a_server_that_is_gone_is_told(browser: Browser, server: Server) -> None:
    server.process.kill()
    server.process.wait()
    browser.type("she")
    for _ in range(300):
        told = browser.run("document.querySelector('main > [role=status]').textContent")
        if "does not answer" in told:
            break
        time.sleep(0.05)
    assert "does not answer" in told


def test_the_direction_is_chosen(browser: Browser) -> None:
    choices = browser.run("[...document.querySelector('main select').options].map((option) => option.textContent)")
    assert choices == ["English \u2192 German", "German \u2192 English"]
    browser.run(
        "(() => {const select = document.querySelector('main select'); select.value = 1;"
        " select.dispatchEvent(new Event('change'));})()"
    )
    assert browser.run("[document.querySelector('textarea').lang, document.querySelector('output').lang]") == [
        "de",
        "en",
    ]
