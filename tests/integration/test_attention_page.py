"""The page of ``translate --draw FILE.html``: what it holds, and what it does in a real browser."""

import json
from pathlib import Path
from typing import Any

import pytest

import seq2seq_cli
from tests.browser import Browser
from tests.commands import Done, s2s_here, succeeded
from tests.unit.pages.test_page import HOSTILE, Parsed
from tests.untrained import make_run

TEXTS = ["She kissed him.", "He saw the dog?", "", "She saw \"Zoë\" & <b onclick='document.title=1'>him</b>."]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    make_run(folder / "runs" / "first")
    return folder


def translate(folder: Path, *arguments: str) -> Done:
    return succeeded(s2s_here(folder, "translate", "--device", "cpu", *arguments))


def translated(folder: Path, *arguments: str) -> list[dict[str, Any]]:
    """The objects of the same translations."""
    return list(map(json.loads, translate(folder, *arguments, "--format", "json", "--attention").stdout.splitlines()))


def test_a_page_holds_each_text_as_the_run_translates_it(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = translate(folder, f"--draw={page}", *TEXTS)
    assert done.stderr.startswith(f"s2s: attention written to {page}\n")
    assert done.stdout == translate(folder, *TEXTS).stdout  # though its searches are traced
    data = Parsed(page.read_bytes()).data
    assert (data["title"], data["languages"]) == ("s2s translate: first", ["en", "de"])
    assert [text["source"] for text in data["texts"]] == list(filter(None, TEXTS))
    for found, expected in zip(data["texts"], translated(folder, *filter(None, TEXTS)), strict=True):
        assert found["translation"] == expected["translation"]
        assert found["score"] == pytest.approx(expected["score"], abs=0.001)
        assert found["n_best"] == []
        for sentence, of_object in zip(found["sentences"], expected["sentences"], strict=True):
            for row, weights in zip(sentence["weights"], of_object["weights"], strict=True):
                assert row == pytest.approx(weights, abs=0.001)
            assert sentence["tgt_tokens"] == of_object["tgt_tokens"]
            assert sentence["tree"]["nodes"]


@pytest.mark.parametrize("line", ["nonsense\n" * 2, '{"format": 99}\n'])
def test_damaged_records_leave_out_the_film_alone(tmp_path: Path, line: str) -> None:
    run = make_run(tmp_path / "run")
    (run.path / "metrics.jsonl").write_text(line, encoding="utf-8")
    assert translate(tmp_path, "--model=run", "--draw=page.html", TEXTS[0]).stdout
    data = Parsed((tmp_path / "page.html").read_bytes()).data
    assert data["films"] == []
    assert len(data["texts"]) == 1


def test_n_best_are_those_that_are_asked_for(folder: Path, tmp_path: Path) -> None:
    done = translate(folder, "--nbest", "3", f"--draw={tmp_path / 'a.html'}", TEXTS[0])
    [text] = Parsed((tmp_path / "a.html").read_bytes()).data["texts"]
    assert [text for text, _ in text["n_best"]] == done.stdout.splitlines()


def test_a_notebook_shows_a_translation_as_its_page(folder: Path) -> None:
    run = seq2seq_cli.load(folder / "runs" / "first", device="cpu")
    hostile = f"She saw {HOSTILE[0]}"
    [(tag, attributes)] = Parsed(run.explain(hostile)._repr_html_().encode("utf-8")).elements
    assert (tag, attributes["sandbox"]) == ("iframe", "allow-scripts")
    [text] = Parsed((attributes["srcdoc"] or "").encode("utf-8")).data["texts"]
    assert text["source"] == hostile
    assert text["sentences"][0]["tree"]["nodes"]


@pytest.mark.slow
def test_pointing_at_a_word_lights_up_those_that_it_attends_to(folder: Path, tmp_path: Path, browser: Browser) -> None:
    page = tmp_path / "page.html"
    translate(folder, f"--draw={page}", TEXTS[0])
    browser.open(page)
    [sentence] = translated(folder, TEXTS[0])[0]["sentences"]
    for number, weights in enumerate(sentence["weights"]):
        browser.point_at(f".line[aria-label=Translation] .word:nth-child({number + 1})")
        lit = browser.lit(".line[aria-label=Source] .word")
        assert [word for word, _ in lit] == sentence["src_tokens"]
        assert [weight for _, weight in lit] == pytest.approx(weights, abs=0.001)
    for number, weights in enumerate(zip(*sentence["weights"], strict=True)):
        browser.point_at(f".line[aria-label=Source] .word:nth-child({number + 1})")
        lit = browser.lit(".line[aria-label=Translation] .word")
        assert [weight for _, weight in lit] == pytest.approx(weights, abs=0.001)


@pytest.mark.slow
def test_keys_step_through_a_translation(folder: Path, tmp_path: Path, browser: Browser) -> None:
    page = tmp_path / "page.html"
    translate(folder, f"--draw={page}", TEXTS[0])
    browser.open(page)
    [sentence] = Parsed(page.read_bytes()).data["texts"][0]["sentences"]
    browser.run("document.querySelector('.attention ~ details summary').click()")
    browser.run("document.querySelector('.stepper button').focus()")
    cells = "[...document.querySelectorAll('.vectors tbody tr')].map((row) => row.querySelectorAll('td').length)"
    assert browser.run(cells) == [len(sentence["src_tokens"]) + 1]
    end = len(sentence["tgt_tokens"])
    for key, step in {"ArrowRight": 1, "End": end, "ArrowLeft": end - 1}.items():
        browser.press(key)
        assert browser.run("document.querySelector('.now').textContent") == sentence["tgt_tokens"][step - 1]
        weights = [weight for _, weight in browser.lit(".weight")]
        assert weights == pytest.approx(sentence["weights"][step - 1], abs=0.001)
        scores = browser.run("[...document.querySelectorAll('.vectors tr')][2].textContent").replace("\u2212", "-")
        assert "".join(f"{score:.1f}" for score in sentence["steps"][step - 1]["scores"]) in scores
        assert len(browser.run(cells)) == 4
        assert browser.run("document.querySelector('.stepper .told').textContent").startswith(f"Step {step} of ")
    browser.press("Home")
    assert browser.run("document.querySelector('.stepper .told').textContent").startswith("Step 0 of ")
    assert browser.run("document.querySelectorAll('.stepper .word').length") == 0  # no engine, no what-if
    assert browser.run("document.activeElement.textContent") == "\u2190 back"


@pytest.mark.slow
def test_what_strangers_wrote_stays_a_text(folder: Path, tmp_path: Path, browser: Browser) -> None:
    page = tmp_path / "page.html"
    texts = [f"She saw {text} him." for text in HOSTILE]
    translate(folder, f"--draw={page}", *texts)
    browser.open(page)
    browser.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    shown = browser.run("[...document.querySelectorAll('.summary b')].map((each) => each.textContent)")
    assert shown == texts
    assert browser.run("document.querySelectorAll('img, [onerror], [onclick], script:not(#data)').length") == 1
    assert browser.run("document.querySelectorAll('.word').length") > 100
    assert browser.requests == [page.as_uri()]
