"""The page of a server in a real browser."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from seq2seq_cli.decoding.load import LoadedRun, load
from tests.browser import Browser
from tests.servers import Server, running_server
from tests.untrained import make_run
from tests.waiting import wait_until

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
    asked = {url.removeprefix(server.address) for url in browser.requests if not url.startswith("data:")}
    assert asked <= {"/", "/translate", "/manifest.webmanifest"}


def shown(page: Browser, selector: str, expected: str) -> str:
    """The text of an element, once it has the expected one; the last one where it never has."""
    text = ""
    for _ in range(300):
        text = page.run(f"document.querySelector({selector!r})?.textContent ?? ''")
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


def test_another_translation_takes_the_place_of_a_sentence(page: Browser, run: LoadedRun) -> None:
    first, second = map(run.translate, ("She kissed him.", "He saw the dog."))
    page.type("She kissed him. He saw the dog.")
    assert shown(page, "output", second) == f"{first} {second}"
    assert page.run("document.querySelector('output .chosen').textContent") == first
    page.click("output span:nth-child(2)")
    ranked = run.translator.with_n_best(6).translate(["He saw the dog."])[0].alternatives
    expected = list(dict.fromkeys([second, *(each.text for each in ranked)]))
    shown(page, ".others", expected[-1])
    assert page.run("[...document.querySelectorAll('.others button')].map((each) => each.textContent)") == expected
    page.click(".others button:nth-child(2)")
    assert page.run("document.querySelector('output').textContent") == f"{first} {expected[1]}"
    assert page.run("document.activeElement.getAttribute('aria-pressed') + document.activeElement.textContent") == (
        f"true{expected[1]}"
    )
    words = page.run("[...document.querySelectorAll('.line')[1].children].map((word) => word.textContent)")
    assert words == ranked[1].sentences[0].tgt_tokens
    page.run("document.querySelector('output span').focus()")
    page.press("Enter", 13)
    assert shown(page, ".others button", first) == first
    assert page.run("document.querySelector('output .chosen').textContent") == first


def test_a_term_of_the_glossary_is_translated_so(page: Browser, run: LoadedRun) -> None:
    page.type("she saw the dog .")
    assert "ihn" not in shown(page, "output", run.translate("she saw the dog ."))
    page.click("main > details summary")
    wait_until(lambda: page.run("document.querySelector('main > details textarea') !== null"))
    page.run("document.querySelector('main > details textarea').focus()")
    page.type("dog = ihn")
    page.click("#source")  # the field is left
    assert "ihn" in shown(page, "output", "ihn")
    page.run("document.querySelector('main > details textarea').focus()")
    page.type("\ndog")
    page.click("#source")
    assert "glossary:2" in shown(page, "main > [role=status]", "glossary:2")
    page.complaints.clear()  # that the server refused it


def test_what_a_text_suffers_from_is_told_below_it(page: Browser) -> None:
    page.type("Xa Xe Xi Xo")
    told = "Warning: 4 of 4 words are not known to the model: is the text English?"
    assert told in shown(page, "main > [role=status]", "Warning")


def test_a_better_translation_is_sent_where_suggestions_are_on(browser: Browser, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run").path
    with running_server("--model", run, "--suggestions") as server:
        browser.open(f"{server.address}/")
        browser.type("she saw the dog .")
        shown(browser, "output", load(run).translate("she saw the dog ."))
        browser.click("output span")
        shown(browser, ".others button:last-child", "Correct")
        browser.run(
            "document.querySelector('.others input').value = ''; document.querySelector('.others input').focus()"
        )
        browser.type("sie sah den Hund.")
        browser.click(".others form button")
        assert "once the owner" in shown(browser, "main > [role=status]", "once the owner")
    assert (run / "suggestions.tsv").read_text(encoding="utf-8") == "she saw the dog .\tsie sah den Hund.\n"


def test_a_matrix_that_is_too_wide_says_that_it_scrolls(page: Browser, run: LoadedRun) -> None:
    page.type("she kissed him .")
    shown(page, "output", run.translate("she kissed him ."))
    assert page.run("document.querySelector('.attention .note').hidden")
    page.type(" and he saw the dog" * 20)
    shown(page, ".line", "anddog")
    page.run("new Promise(requestAnimationFrame)")
    assert "scrolls" in page.run("document.querySelector('.attention .note').innerText")


def test_chromium_can_install_it(page: Browser) -> None:
    assert page.send("Page.getAppManifest")["errors"] == []
    assert page.send("Page.getInstallabilityErrors") == {"installabilityErrors": []}


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


def test_of_two_what_ifs_the_last_one_is_shown(page: Browser, run: LoadedRun) -> None:
    page.type("she kissed him .")
    shown(page, "output", run.translate("she kissed him ."))
    page.run("[...document.querySelectorAll('summary')].at(-1).click()")
    shown(page, ".stepper .told", "Step 0 of")
    page.click(".stepper .controls button:nth-child(2)")
    page.run(
        "(() => { const [ask, late] = [fetch, new Promise((done) => setTimeout(done, 500))]; let asked = 0;"
        " window.fetch = (...all) => asked++ ? ask(...all) : late.then(() => ask(...all)); })()"
    )
    other = page.run(
        "[...document.querySelectorAll('.next button[aria-pressed=false]')].slice(0, 2).map((each) => {"
        " each.click(); return each.querySelector('bdi').textContent; })[1]"
    )
    assert shown(page, ".stepper .now", other) == other
    page.run("new Promise((done) => setTimeout(done, 1000))")  # the answer to the first has come, too
    assert page.run("document.querySelector('.stepper .now').textContent") == other


def test_a_model_without_attention_shows_its_steps(browser: Browser, tmp_path: Path) -> None:
    with running_server("--model", make_run(tmp_path / "none", score="none").path) as server:
        browser.open(f"{server.address}/")
        browser.type("she kissed him .")
        assert "no attention to show" in shown(browser, "main > [role=status]", "no attention")
        browser.click("[aria-label=Attention] summary")
        assert "Step 0 of" in shown(browser, ".stepper .told", "Step 0 of")
        browser.click(".stepper .controls button:nth-child(2)")
        assert "this model has no attention" in shown(browser, ".stepper .told", "Step 1 of")
        assert browser.run("document.querySelectorAll('.next button').length") > 1
        assert browser.run("document.querySelectorAll('.line').length") == 0


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


def test_a_dropped_document_is_translated_and_downloaded(browser: Browser, server: Server, tmp_path: Path) -> None:
    browser.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    browser.open(f"{server.address}/")
    browser.run(
        "(() => { const dataTransfer = new DataTransfer();"
        " dataTransfer.items.add(new File(['# she kissed him\\n'], 'a ü.md'));"
        " document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true })); })()"
    )
    assert shown(browser, "main > [role=status] a", "a ü.md") == "a ü.md, translated"
    wait_until((tmp_path / "a ü_de.md").exists)
    assert (tmp_path / "a ü_de.md").read_text(encoding="utf-8").startswith("# ")
    assert browser.run("document.querySelector('input[type=file]').accept").startswith(".docx,")


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
