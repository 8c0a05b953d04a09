"""The page of a server in a real browser."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from seq2seq_cli.decoding.load import LoadedRun, load
from tests.browser import Browser
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
def page(browser: Browser, server: Server) -> Iterator[Browser]:
    """The browser with the page."""
    browser.open(f"{server.address}/")
    yield browser
    assert {url.split("?")[0] for url in browser.requests} <= {f"{server.address}/", f"{server.address}/translate"}


def shown(page: Browser, selector: str, expected: str) -> str:
    """The text of an element, once it has the expected one; the last one where it never has."""
    text = ""
    for _ in range(300):
        text = page.run(f"document.querySelector({selector!r}).textContent")
        if expected in text:
            break
        time.sleep(0.05)
    return text


def test_what_is_typed_is_translated_and_its_attention_shown(page: Browser, run: LoadedRun) -> None:
    text = "she kissed him ."
    assert page.run("document.querySelector('#source').placeholder") == "Type English"
    page.type(text)
    assert shown(page, "output", run.translate(text)) == run.translate(text)
    words = page.run("[...document.querySelectorAll('.line')[0].children].map((word) => word.textContent)")
    assert words == [*text.split(), "<eos>"]
    page.point_at(".line:nth-child(2) .word")
    weights = page.run(
        "[...document.querySelectorAll('.line')[0].children].map((word) => Number(word.style.getPropertyValue('--w')))"
    )
    assert sum(weights) == pytest.approx(1, abs=0.02)


def test_what_if_another_word_followed(page: Browser, run: LoadedRun) -> None:
    page.type("she kissed him .")
    shown(page, "output", run.translate("she kissed him ."))
    page.run("[...document.querySelectorAll('summary')].at(-1).click()")
    written = " ".join(run.explain("she kissed him .").sentences[0].tgt_tokens)
    assert shown(page, ".stepper .written", written).strip() == written
    page.run("document.querySelector('.stepper button').focus()")
    page.press("ArrowRight", 39)
    other = page.run("document.querySelector('.next button[aria-pressed=false] bdi').textContent")
    page.click(".next button[aria-pressed=false]")
    assert shown(page, ".stepper .now", other) == other
    assert page.run("document.querySelector('.written').textContent").split()[0] == other != written.split()[0]
    assert page.run("document.querySelector('.stepper .told').textContent").startswith("Step 1 of")
    assert page.run("document.activeElement.textContent").startswith("next word")
    page.click(".stepper .controls button:nth-child(3)")
    assert shown(page, ".stepper .written", written).strip() == written


def test_the_languages_are_swapped_and_the_text_is_cleared(page: Browser, run: LoadedRun) -> None:
    page.type("she kissed him .")
    translation = run.translate("she kissed him .")
    assert shown(page, "output", translation) == translation
    page.click(".controls button")
    assert page.run("document.querySelector('main select').selectedOptions[0].textContent") == "German \u2192 English"
    assert page.run("document.querySelector('textarea').value") == translation
    page.click(".pane button")
    assert shown(page, "main > [role=status]", "Type a text.") == "Type a text."
    assert page.run("document.querySelector('textarea').value + document.querySelector('output').textContent") == ""
    assert page.run("document.activeElement.id") == "source"
    assert page.run("document.querySelector('.pane button').disabled")


def test_both_fields_are_of_the_same_height_and_long_texts_scroll_in_them(page: Browser, run: LoadedRun) -> None:
    text = "she kissed him . " * 60
    page.type(text)
    assert shown(page, "output", run.translate(text)) == run.translate(text)
    heights = page.run("['textarea', 'output'].map((name) => document.querySelector(name).clientHeight)")
    assert heights[0] == heights[1] <= page.run("0.6 * innerHeight")


def test_a_text_with_scripts_stays_a_text(page: Browser, run: LoadedRun) -> None:
    page.type(HOSTILE)
    assert shown(page, "output", run.translate(HOSTILE)) == run.translate(HOSTILE)
    assert page.run("document.title") == "s2s"
    assert page.run("document.querySelectorAll('main img, main script').length") == 0


def test_the_direction_is_chosen_and_a_server_that_is_gone_is_told(page: Browser, server: Server) -> None:
    choices = page.run("[...document.querySelector('main select').options].map((option) => option.textContent)")
    assert choices == ["English \u2192 German", "German \u2192 English"]
    page.run(
        "(() => {const select = document.querySelector('main select'); select.value = 1;"
        " select.dispatchEvent(new Event('change'));})()"
    )
    languages = page.run("[document.querySelector('textarea').lang, document.querySelector('output').lang]")
    assert languages == ["de", "en"]

    server.process.kill()
    server.process.wait()
    page.run("document.querySelector('textarea').focus()")
    page.type("she")
    assert "does not answer" in shown(page, "main > [role=status]", "does not answer")
    page.complaints.clear()
