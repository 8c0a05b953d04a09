"""The page of an evaluation in a real browser, opened from the disk."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from seq2seq_cli.pages.data import Details, EvaluationData
from seq2seq_cli.pages.page import evaluation_page
from tests.browser import Browser
from tests.unit.pages.evaluations import attention_of, evaluation_of
from tests.waiting import wait_until

pytestmark = pytest.mark.slow

CUT: Details = {
    "sentences": [
        {
            "source": "She kissed him.",
            "translation": "Sie küsste ihn.",
            "src_tokens": ["She", "kis", "sed", "him", ".", "<eos>"],
            "tgt_tokens": ["Sie", "küss", "te", "ihn", ".", "<eos>"],
            "weights": [
                [0.9, 0.1, 0, 0, 0, 0],
                [0.1, 0.6, 0.3, 0, 0, 0],
                [0.1, 0.2, 0.5, 0.2, 0, 0],
                [0, 0, 0.1, 0.9, 0, 0],
                [0, 0, 0, 0, 1, 0],
                [0, 0, 0, 0, 0, 1],
            ],
            "log_probabilities": [-0.1, -0.2, -0.01, -0.3, -0.05, -0.02],
        }
    ],
    "n_best": [("Sie küsste ihn.", -0.1), ("Sie hat ihn geküsst.", -0.4)],
}
HOSTILE = "</script><script>document.title = 'taken'</script> <img src=x onerror=document.title='taken'> &lt;b&gt;"


def many() -> EvaluationData:
    data = evaluation_of("She kissed him.", "Sie küsste ihn.", details=CUT)
    for number in range(1, 200):
        text = f"{HOSTILE} number {number}"
        data["sources"].append({"source": text, "references": [text], "outputs": [text], "scores": [number / 2]})
        data["details"][0][str(number)] = {"sentences": [attention_of(text, text)], "n_best": [(text, -0.1)]}
    return data


@pytest.fixture(autouse=True)
def opened(browser: Browser, tmp_path: Path) -> Iterator[None]:
    """The page is open in the browser, and asks for nothing."""
    page = tmp_path / "page.html"
    page.write_bytes(evaluation_page(many()))
    browser.open(page)
    yield
    assert browser.requests == [page.as_uri()]


def lit(browser: Browser, side: str) -> dict[str, float]:
    """The words of a side that are lit, with their weights."""
    return {word: weight for word, weight in browser.lit(f".line[aria-label={side}] .word") if weight}


def word(side: str, number: int) -> str:
    return f".line[aria-label={side}] .word:nth-child({number})"


def search(browser: Browser, words: str) -> str:
    """Search for words; the number of sentences that have them, as the page tells it."""
    browser.click("#search")
    browser.run("document.querySelector('#search').select()")
    browser.type(words)
    told: str = browser.run("document.querySelector('.count').textContent")
    return told


def open_first(browser: Browser) -> None:
    """Open the first sentence of the list, by the keyboard, and all that is folded in it."""
    browser.run("document.querySelector('.sentence summary').focus()")
    browser.press("Enter", 13, "\r")
    wait_until(lambda: browser.run("document.querySelector('.line') !== null"))


def test_a_sentence_is_found_and_its_words_light_each_other_up(browser: Browser) -> None:
    assert search(browser, "number 3") == "38 of 200 sentences"
    assert search(browser, "KÜSSTE she") == "1 of 200 sentences"
    open_first(browser)

    browser.point_at(word("Translation", 2))
    assert lit(browser, "Source") == {"She": 0.1, "kissed": 0.8, "him": 0.1}
    assert browser.run("document.querySelector('.told').textContent") == "küsste ← kissed 80 %, She 10 %, him 10 %"
    browser.point_at(word("Source", 3))
    assert lit(browser, "Translation") == {"küsste": 0.1, "ihn": 0.9}
    browser.point_at(".matrix tbody tr:nth-child(1) td:nth-child(2)")
    assert lit(browser, "Source") == {"She": 0.9, "kissed": 0.1}
    browser.point_at("h1")
    assert lit(browser, "Source") == {}

    browser.click(".attention > button")  # subwords
    browser.click(word("Translation", 3))
    browser.point_at("h1")
    assert lit(browser, "Source") == {"She": 0.1, "kis": 0.2, "sed": 0.5, "him": 0.2}


def test_the_keyboard_reaches_everything(browser: Browser) -> None:
    search(browser, "küsste")
    open_first(browser)
    browser.press("Tab", 9)
    browser.press("Tab", 9)
    assert browser.run("document.activeElement.textContent") == "She"
    browser.press("Tab", 9)
    assert lit(browser, "Translation") == {"Sie": 0.1, "küsste": 0.8, "ihn": 0.1}
    browser.press("Enter", 13, "\r")
    browser.run("document.activeElement.blur()")
    assert lit(browser, "Translation") == {"Sie": 0.1, "küsste": 0.8, "ihn": 0.1}


def test_sentences_are_ordered(browser: Browser) -> None:
    scores = "[...document.querySelectorAll('.sentence dd + dt b')].map((each) => Number(each.textContent))"
    assert browser.run(scores) == [*(number / 2 for number in range(1, 200)), 100]
    browser.run("document.querySelector('.controls select').value = 1")  # best first
    browser.run("document.querySelector('.controls select').dispatchEvent(new Event('change'))")
    assert browser.run(scores) == [100, *(number / 2 for number in range(199, 0, -1))]


def test_the_largest_difference_is_the_one_from_any_other_system(browser: Browser) -> None:
    data = many()
    data["systems"], data["details"] = ["a", "b", "c"], [{}, {}, {}]
    data["sources"] = [
        {"source": str(last), "references": ["r"], "outputs": ["o"] * 3, "scores": [50.0, 50.0, last]}
        for last in (40, 0, 20)
    ]
    browser.run(f"document.body.replaceChildren(); evaluationPage({json.dumps(data)})")
    browser.run("document.querySelector('.controls select').value = 3")  # largest difference first
    browser.run("document.querySelector('.controls select').dispatchEvent(new Event('change'))")
    sources = "[...document.querySelectorAll('.sentence .source')].map((each) => each.textContent)"
    assert browser.run(sources) == ["0", "20", "40"]


WORDS = [
    (["kis", "sed", "him", "."], "Kissed him.", ["kissed", "him", "."]),
    (["I", "▁", "a", "m", "▁", "5", "0", "."], "I am 50.", ["I", "am", "50", "."]),
    (["本", "を", "読", "む", "。"], "本を読む。", ["本", "を", "読", "む", "。"]),
    (["ספ", "ר", "ישן"], "ספר ישן", ["ספר", "ישן"]),
    (["cafe", "\u0301", "s"], "cafe\u0301s", ["cafe\u0301s"]),
    (["", "lost", "word", "<eos>"], "word", ["lost", "word", "<eos>"]),
    (["un", "believ", "able", "!"], "unbelievable!", ["unbelievable", "!"]),
    (["at", "", "1", "2", ".", "5", "0"], "at 12.50", ["at", "12", ".", "50"]),
    (["", "GO", "IN"], "GO IN", ["GO", "IN"]),
]


def test_tokens_without_a_space_between_are_one_word(browser: Browser) -> None:
    for tokens, text, words in WORDS:
        found = f"sideOf({json.dumps(tokens)}, wordsOf({json.dumps(tokens)}, {json.dumps(text)}))"
        assert browser.run(f"{found}.map((word) => word.text)") == words


def test_the_tree_shows_what_was_kept_and_on_request_what_was_pruned(browser: Browser) -> None:
    open_first(browser)
    browser.run("document.querySelectorAll('.sentence:first-child details').forEach((each) => { each.open = true; })")
    best = [*f"{HOSTILE} number 1".split(), "<eos>"]
    assert browser.run("document.querySelectorAll('.tokens tbody tr').length") == len(best)
    labels = "[...document.querySelectorAll('.nodes span')].map((each) => each.firstChild.textContent)"
    assert browser.run(f"{labels}.sort()") == sorted(["<bos>", *best, f"{HOSTILE} number 1"])
    browser.click(".tree button")
    assert browser.run(labels) == ["<bos>", *best]
    assert browser.run("document.querySelectorAll('img').length") == 0
    assert browser.run("document.title") == "s2s evaluate: She kissed him."
    assert browser.run("document.querySelector('.nodes span:last-child').textContent") == "<eos> 90 % ● -0.10"
