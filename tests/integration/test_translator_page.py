"""The page of a translator in a real browser, opened from the disk: it translates as Python does."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from seq2seq_cli.config.schema.model import ModelConfig, ScoreName
from seq2seq_cli.decoding.load import load
from seq2seq_cli.decoding.names import staying_names
from seq2seq_cli.decoding.page.graph_data import graph_data
from seq2seq_cli.decoding.page.text_data import codec_data, conventions_data, expressions_data, tables_data
from seq2seq_cli.pages.translator import known_operators, rounded
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import DECODER, ENCODER
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.conventions import Conventions
from seq2seq_cli.text.numbers import number_forms
from seq2seq_cli.text.options import SideOptions
from seq2seq_cli.text.segmenter import get_segmenter
from seq2seq_cli.text.sides import load_codecs, save_codecs
from seq2seq_cli.text.vocabulary import BOS
from tests.browser import Browser, running_browser
from tests.commands import s2s_here
from tests.unit.decoding.engines.runs import VOCABULARY, opened, random_sources
from tests.unit.decoding.engines.test_onnx_engine import EVERY, OTHER_CELLS, SHIPPED, exported
from tests.unit.model.conftest import COMBINATIONS, name_of
from tests.untrained import TGT_UNITS, make_run

pytestmark = pytest.mark.slow

TEXTS = [
    "she kissed him .",
    "He saw the dog? She saw him.",
    "",
    "  \n ",
    "HE SAW HER",
    "she kissed 3,500 dogs at 7:30",
    "See https://example.org/a_(b). she saw the dog .",
    "<b>she</b> saw <i>the dog</i>.<br>he kissed **her**.\n\n- he\n- `she` saw",
    "she &amp; he saw&nbsp;the d&eacute;g &foo; <!-- he --> &#39;",
    "Tom &copyright; Ann &region; &semi;",
    '3. Mai: he <a href="room2.html">saw</a> 2 dogs',
    "</script><script>document.title = 'taken'</script><img src=x onerror=document.title='taken'> he saw",
    'he saw "her" \u2028 ${she} \\u003c constructor __proto__ 😀 👨‍👩‍👧',
    "the dog . " * 40,
]
SAMPLE = Path(__file__).parents[2] / "data" / "sample.txt"
NUMBERS = [
    "12 12 7",
    "he 12.50-15.00 or 500-1,000 she 2,000,000,000",
    "he 12.50 she 1,000 and 1,299.50",
    "he 1 2 3 4 5 6 7 8 9 10 11 she",
    "he ٣ and ３ dogs, 10–12 or 1.000",
]
GERMAN_NUMBERS = ["▁12,50", "▁12,50-15,00", "▁1000", "▁1.000", "▁1.299,50"]
NAMES = [
    "he saw Anna Kowalski .",
    "She kissed O'Brien's dog. Anna saw Éva, I'll 12 3.",
    "he" + " Anna" * 9,
    "Eva saw her, but can't. Eva\u2019s dog saw? Jean-Luc Nowak, Don't saw Don",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("page")


@pytest.fixture(scope="module")
def tab(folder: Path) -> Iterator[Browser]:
    """A browser for all tests of this file."""
    with running_browser(folder / "profile") as browser:
        yield browser


@pytest.fixture
def browser(tab: Browser) -> Iterator[Browser]:
    """The browser, which must not have asked for anything but pages, nor complained."""
    tab.requests.clear()
    yield tab
    assert all(request.startswith("file:") for request in tab.requests)
    assert tab.complaints == []


def with_rounded_weights(run: RunFolder) -> RunFolder:
    """The run with weights that the page has as they are."""
    in_steps = {name: rounded(weight) for name, weight in run.read_best().items()}
    run.save_best({name: (number * step).astype(np.float32) for name, (number, step) in in_steps.items()})
    return run


def with_conventions(run: RunFolder) -> RunFolder:
    """The run with the conventions of pairs whose names stay, and whose numbers have the separators of German."""
    src, tgt = load_codecs(run.path)
    known_words, number_forms = ("he", "she", "saw", "kissed", "dog"), {"1.5": "1,5", "1,000": "1.000|1000"}
    conventions = Conventions(
        language="en", suffixes=("n't",), cased_words=("Eva",), known_words=known_words, number_forms=number_forms
    )
    save_codecs(run.path, (replace(src, conventions=conventions), tgt))
    return run


def open_page(browser: Browser, run: RunFolder) -> Path:
    """Export a run and open the page, ready to translate."""
    page = run.path.with_suffix(".html")
    done = s2s_here(run.path.parent, "export", str(run.path), str(page), "--overwrite")
    assert (done.returncode, done.stderr) == (0, "")
    browser.open(page)
    browser.run("translatorOpened.then(() => true)")
    return page


def translated(browser: Browser, texts: list[str]) -> list[Any]:
    """The translations of the page, with their sentences."""
    found: list[Any] = browser.run(
        "(async () => { const translator = await translatorOpened; const all = [];"
        f" for (const text of {json.dumps(texts)}) all.push(await translator.translate(text)); return all; }})()"
    )
    return found


@pytest.mark.parametrize("score", ["general", "additive", "none"])
@pytest.mark.parametrize("copies", [False, True])
def test_its_translations_and_weights_are_those_of_python(
    browser: Browser, tmp_path: Path, score: ScoreName, copies: bool
) -> None:
    run = make_run(tmp_path / "run", score=score, copies=copies, tgt_units=[*TGT_UNITS, *GERMAN_NUMBERS])
    run = with_conventions(with_rounded_weights(run))
    open_page(browser, run)
    expected = load(run.path).translator.translate([*TEXTS, *NUMBERS, *NAMES])
    found = translated(browser, [*TEXTS, *NUMBERS, *NAMES])
    assert [each["text"] for each in found] == [each.text for each in expected]
    assert any(each.text.strip() for each in expected)
    assert copies or any("12,50" in each.text for each in expected)  # which the source has as 12.50
    assert browser.run("document.title") == "en - de"
    for ours, theirs in zip(found, expected, strict=True):
        for sentence, reference in zip(ours["sentences"], theirs.sentences, strict=True):
            assert sentence["src_tokens"] == reference.src_tokens
            assert sentence["tgt_tokens"] == reference.tgt_tokens
            np.testing.assert_allclose(
                sentence["log_probabilities"], reference.token_log_probabilities, rtol=0, atol=1e-4
            )
            if score != "none":
                np.testing.assert_allclose(sentence["weights"], reference.weights, rtol=0, atol=1e-5)


COMPUTE = """
(({encoder, decoder, weights, sources, steps}) => {
  const all = Object.values(weights);
  const count = sumOf(all.map(({values}) => values.length));
  const memory = new WeightMemory(2 * count, 64);
  const known = Object.fromEntries(Object.entries(weights).map(([name, {shape, values}]) =>
    [name, tensor(shape, memory.keep(Float32Array.from(values)))]));
  const engine = new Engine(new Graph(encoder, known, memory), new Graph(decoder, known, memory), 0);
  return sources.map((source) => {
    let state = engine.start(source);
    return steps.map(({tokens, rows, k, asked}) => {
      const [found, after] = engine.step(tokens, state, k, asked);
      state = engine.select(after, rows);
      const plain = Object.entries(found).map(([name, of]) => [name, of.map((row) => Array.from(row, String))]);
      return Object.fromEntries(plain);
    });
  });
})
"""
STEPS: list[dict[str, Any]] = [
    {"tokens": [BOS], "rows": [0, 0, 0], "k": 4, "asked": [[]]},
    {"tokens": [5, 7, 9], "rows": [2, 0, 1, 1, 0], "k": 3, "asked": [[4], [1], [0]]},
    {"tokens": [4, 6, 8, 3, 1], "rows": [0], "k": VOCABULARY - 2, "asked": [[2, 5]] * 5},
]
MECHANISMS = list(SHIPPED)


@pytest.mark.parametrize("config", [*MECHANISMS, *COMBINATIONS[::EVERY], *OTHER_CELLS], ids=name_of)
def test_every_mechanism_gives_what_python_computes(
    browser: Browser, folder: Path, tmp_path: Path, config: ModelConfig
) -> None:
    if not (folder / "any.html").exists():
        open_page(browser, make_run(folder / "any"))
    run = exported(tmp_path, config)
    data = {
        "encoder": graph_of(run.path / ENCODER),
        "decoder": graph_of(run.path / DECODER),
        "weights": {
            name: {"shape": weight.shape, "values": weight.ravel().tolist()} for name, weight in run.read_best().items()
        },
        "sources": random_sources(3, longest=7),
        "steps": STEPS,
    }
    found = browser.run(f"{COMPUTE}({json.dumps(data)})")
    engine = opened(run)
    for source, of_source in zip(data["sources"], found, strict=True):
        state = engine.start([source])
        for step, ours in zip(STEPS, of_source, strict=True):
            tokens, asked = np.array(step["tokens"]), np.array(step["asked"], dtype=np.int64)
            expected, state = engine.step(tokens, state, k=step["k"], asked=asked.reshape(len(tokens), -1))
            state = state.select(np.array(step["rows"]))
            shared = {
                "tokens": expected.tokens,
                "logProbabilities": expected.log_probabilities,
                "asked": expected.asked,
                "weights": expected.weights,
            }
            for name, theirs in shared.items():
                np.testing.assert_allclose(np.array(ours[name], dtype=np.float64), theirs, rtol=0, atol=1e-5)


def graph_of(path: Path) -> Any:
    return graph_data(onnx.load(path, load_external_data=False).graph, known_operators())


SAID = [
    'She said: "Don\'t go!" (e.g. on Sunday, at 5 p.m.)',
    "he's 1.80m tall , isn't he ?",
    "GO HOME, TOM!",
    "is mr. smith here? i don´t know 's'. so do i. he can't. wo\u00adman",
    "Sgt. Pepper and Mrs Jones met on Dec. 5 in Main str. 4. I am. Tom and I. She saw him.",
    "1,250,000.75 12.50 0.5 7:30 1,299 3,14 १२.५० on 31.12.2024 at 192.168.100.200",
    "L'été dernier , qu' est-ce que c'était ?",
    "Weißt du, was 3,5 % von 20 $ sind? http://a.b/c?d=1 x@y.org",
    "İSTANBUL'DA IŞIK VAR",
    "Σίσυφος ΣΊΣΥΦΟΣ",
    "გამარჯობა. როგორ ხარ?",
    "ﬁne ǆep ŉ ßtraße naïve nai\u0308ve",
    "你好。世界 hello",
    "a" * 1001,
    "😀 :-) :)) C++ U.S.A. o.k. ... -- x-ray 10km/h",
    "constructor __proto__ toString",
    "My name is  Anna O'Brien. Nowak saw Dr. Łódź-Müller, Kowalski's dog, African-American NATO, Covid-19.",
    "\ufeffa\x00b\u00adc\x85d\u2028e \u2581f\u258fg \ufdd0",
]


@pytest.mark.parametrize("unit", ["word", "bpe", "character"])
@pytest.mark.parametrize("language", ["en", "de", "fr", "tr", "ka", "el"])
@pytest.mark.parametrize("plain", [False, True])
def test_texts_are_read_and_written_as_in_python(
    browser: Browser, folder: Path, language: str, unit: Any, plain: bool
) -> None:
    if not (folder / "any.html").exists():
        open_page(browser, make_run(folder / "any"))
    options = SideOptions(language=language, lowercase=plain, spacing=not plain, min_count=1, max_size=90)
    counts = dict.fromkeys(get_segmenter(options, unit).tokens(" ".join(SAID[:-5])), 2)
    codec = Codec.fit(options, unit, counts)
    conventions = Conventions(
        language=language,
        before="!,.?",
        after="(",
        apart_before="%",
        apart_after="!,.?",
        quotes='"',
        suffixes=("n't", "'s"),
        prefixes=("l'", "qu'"),
        apostrophe="'",
        final_marks=".?!",
        final_mark=".",
        openings={"weißt": "?", "isn't": "?"},
        endings={"he": "?"},
        lower_case=True,
        capital_start=True,
        capital_after=".?!",
        cased_words=("Tom", "Sunday", "Istanbul", "weiß"),
        known_words=("my", "name", "dr", "american"),
        number_forms={"1,000": "1000|1.000", "1.5": "1,5", "1:5": "1.5|1:5"},
    )
    data = {
        "codec": codec_data(codec),
        "conventions": conventions_data(conventions),
        "expressions": expressions_data(),
        "tables": tables_data(language),
        "texts": SAID,
    }
    found = browser.run(
        f"(({{codec, conventions, expressions, tables, texts}}) => {{ setTables(expressions, tables);"
        " const side = new Codec(codec); const written = new Conventions(conventions);"
        " return texts.map((text) => { const {ids, parts} = side.read(text);"
        " const names = Translator.prototype.stayingNames.call({src: side, conventions: written}, text);"
        " const places = names.map((span) => text.slice(...span));"
        " const forms = text.split(' ').map((word) => written.numberForms(word));"
        " return [ids, parts, side.write(ids).text, side.write(ids).units, written.apply(text), places, forms]; });"
        f" }})({json.dumps(data)})"
    )
    for text, ours in zip(SAID, found, strict=True):
        reading = codec.read(text)
        writing = codec.write(reading.ids)
        names = [text[start:end] for start, end in staying_names(text, replace(codec, conventions=conventions))]
        assert ("Anna" in names) == (text[:7] == "My name")
        forms = [number_forms(word, conventions.number_forms) for word in text.split(" ")]
        written = conventions.apply(text)
        assert ours == [reading.ids, reading.parts, writing.text, writing.units, written, names, forms]


def test_it_translates_what_is_typed_and_shows_its_attention(browser: Browser, tmp_path: Path) -> None:
    run = with_rounded_weights(make_run(tmp_path / "run"))
    open_page(browser, run)
    assert browser.run("document.activeElement.id") == "source"
    browser.type("she kissed him .")
    wait = "new Promise((done) => { const look = () => document.querySelector({0}) ? done(true) : setTimeout(look, 20);"
    assert browser.run(f"{wait.replace('{0}', json.dumps('.matrix'))} look(); }})")
    text = load(run.path).translate("she kissed him .")
    assert browser.run("document.querySelector('output').textContent") == text
    assert browser.run("document.querySelectorAll('.line')[0].textContent") == "shekissedhim.<eos>"
    assert browser.run("document.querySelector('h1').textContent") == "English → German"


def test_it_translates_500_sentences_with_a_trained_model_as_python_does(browser: Browser, tmp_path: Path) -> None:
    options = ("--config", "luong_general", "--set", "training.epochs=2")
    for command in (("prepare", str(SAMPLE), "--out", "data"), ("train", "--data", "data", *options, "--out", "run")):
        done = s2s_here(tmp_path, *command)
        assert done.returncode == 0, done.stderr
    run = RunFolder(tmp_path / "run")
    texts = list(dict.fromkeys(line.split("\t")[0] for line in SAMPLE.read_text(encoding="utf-8").splitlines()))[:500]
    assert len(texts) == 500
    exact = load(run.path).translate(texts)
    open_page(browser, with_rounded_weights(run))
    found = [each["text"] for each in translated(browser, texts)]
    assert found == load(run.path).translate(texts)
    # Rounding may decide between two translations that are as good as each other.
    assert sum(ours != theirs for ours, theirs in zip(found, exact, strict=True)) <= 1
