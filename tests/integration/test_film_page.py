"""The film of runs in a real browser: its slider, its keys, and its size."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from seq2seq_cli.pages.data import FilmData
from seq2seq_cli.pages.page import film_page
from tests.browser import Browser
from tests.unit.pages.test_page import HOSTILE

pytestmark = pytest.mark.slow

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'


def film(name: str, epochs: list[float]) -> FilmData:
    """At each validation, a word more is attended to by its own word, and none by the other."""
    return {
        "name": name,
        "frames": [
            {
                "epochs": each,
                "told": f"training loss {9 - each:.1f}",
                "sentences": [
                    {
                        "source": "kis sed",
                        "translation": HOSTILE[0],
                        "src_tokens": ["kis", "sed", "<eos>"],
                        "tgt_tokens": [HOSTILE[0], "<eos>"],
                        "weights": [[each / 10, 0, 1 - each / 10], [0, 0, 1]],
                    }
                ],
            }
            for each in epochs
        ],
    }


@pytest.fixture(autouse=True)
def _window(browser: Browser) -> Iterator[None]:
    yield
    browser.send("Emulation.clearDeviceMetricsOverride")
    assert all(url.startswith(("file:", "data:image/svg+xml")) for url in browser.requests)


def opened(browser: Browser, folder: Path, *films: FilmData, width: int = 1280) -> None:
    browser.send("Emulation.setDeviceMetricsOverride", width=width, height=720, deviceScaleFactor=1, mobile=False)
    page = folder / "film.html"
    page.write_bytes(film_page("films", films, SVG))
    browser.open(page)


def shown(browser: Browser) -> list[list[str]]:
    """Of each film the epoch that is told, and the number in its first cell."""
    script = (
        "[...document.querySelectorAll('.films section')].map((film) =>"
        " [film.querySelector('.note').textContent, film.querySelector('tbody td').textContent])"
    )
    found: list[list[str]] = browser.run(script)
    return found


def test_the_runs_move_in_step_by_their_epochs(tmp_path: Path, browser: Browser) -> None:
    opened(browser, tmp_path, film("often", [1, 2, 3]), film("seldom", [1.5, 3]))
    assert [first for _, first in shown(browser)] == ["30", "30"]
    browser.run("document.querySelector('input[type=range]').focus()")
    for expected in (["20", "15"], ["10", "15"], ["10", "15"]):  # before its first validation, a run shows that one
        browser.press("ArrowLeft", 37)
        assert [first for _, first in shown(browser)] == expected
    assert [told for told, _ in shown(browser)] == [
        "after epoch 1: training loss 8.0",
        "after epoch 1.5: training loss 7.5",
    ]
    label = browser.run("document.querySelector('input[type=range]').getAttribute('aria-valuetext')")
    assert label == "after epoch 1"


@pytest.mark.parametrize(("number", "width", "columns"), [(1, 1280, 1), (3, 1280, 3), (4, 1280, 2), (4, 390, 1)])
def test_films_stand_side_by_side(tmp_path: Path, browser: Browser, number: int, width: int, columns: int) -> None:
    opened(browser, tmp_path, *(film(f"run {place}", [1, 2]) for place in range(number)), width=width)
    lefts = (
        "new Set([...document.querySelectorAll('.films section')].map((each) => each.getBoundingClientRect().x)).size"
    )
    assert browser.run(lefts) == columns
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")


def test_the_page_becomes_larger_at_a_button(tmp_path: Path, browser: Browser) -> None:
    opened(browser, tmp_path, film("run", [1, 2]))
    size = "document.querySelector('tbody td').getBoundingClientRect().width"
    before = browser.run(size)
    browser.click("[aria-label=Larger]")
    assert browser.run(size) > 1.1 * before
    browser.click("[aria-label=Smaller]")
    assert browser.run(size) == pytest.approx(before, rel=0.02)
    assert browser.run("document.title") == "films"
