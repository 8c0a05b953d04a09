"""The page of a translator in a real browser, opened from the disk: it translates as Python does."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from seq2seq_cli.compute.ragged import Ragged
from seq2seq_cli.config.choices import Unit
from seq2seq_cli.config.schema.decoding import DecodingConfig
from seq2seq_cli.config.schema.model import ModelConfig, ScoreName
from seq2seq_cli.config.schema.text import SideConfig
from seq2seq_cli.decoding.demands import Demands
from seq2seq_cli.decoding.load import load
from seq2seq_cli.decoding.page.export_page import codec_data, graph_data, rounded
from seq2seq_cli.decoding.similar.pairs import SimilarPairs
from seq2seq_cli.runs.layout import DECODER, ENCODER
from seq2seq_cli.runs.writer import RunWriter
from seq2seq_cli.text.characters import capitalise, lower, small_first, upper
from seq2seq_cli.text.languages import name_of as language_name
from seq2seq_cli.text.segmenter import get_segmenter
from seq2seq_cli.text.sides import fit_codec, load_codecs
from seq2seq_cli.text.vocabulary import BOS, EOS, UNK
from tests.browser import Browser
from tests.commands import s2s_here, succeeded
from tests.unit.decoding.engines.runs import VOCABULARY, opened, random_sources
from tests.unit.decoding.engines.test_onnx_engine import EVERY, OTHER_CELLS, SHIPPED, exported
from tests.unit.model.conftest import COMBINATIONS, name_of
from tests.untrained import make_run

pytestmark = pytest.mark.slow

TEXTS = [
    "she kissed him .",
    "He saw the dog? She saw him.",
    "",
    "  \n ",
    "HE SAW HER",
    "See https://example.org/a_(b). she saw the dog at 7:30.",
    "<b>she</b> saw <i>the dog</i>.<br>he kissed **her**.\n\n- he\n- `she` saw",
    "she &amp; he saw&nbsp;the d&eacute;g &foo; <!-- he --> &#39; &copyright; &region; &semi;&shy;",
    "<p>She said &quot;he saw her&quot;</p> he saw the caf&eacute;",
    '3. Mai: he <a href="room2.html">saw</a> 2 dogs',
    "</script><script>document.title = 'taken'</script><img src=x onerror=document.title='taken'> he saw",
    'he saw "her" \u2028 ${she} \\u003c constructor __proto__ toString 😀 👨‍👩‍👧',
    "the dog . " * 40,
    "she saw 😀😀 the d𝐨g " * 40,
    "She And Tom Saw Her And It Is She",
    "He saw 😀 her 👍🏽. 🇩🇪 She (kissed) ❤️ him →1️⃣",
    "Move %s to $2 and {host}{path}z, or $1! ▁ ${x} she@he.com",
    "<p>He\nsaw <b>her</b>.\r\n\r\nShe\tkissed\vhim</p>",
    "HE SAW %s AND O´BRIEN AT 'HTTP://A.ORG/B', `the dog`, ΟΔΟΣ ΣΟΦΙΑΣ. don´t",
    'She said: "Don\'t go!" (e.g. on Sunday, at 5 p.m.)',
    "he's 1.80m tall , isn't he ?",
    "is mr. smith here? i don´t know 's'. so do i. he can't. wo\u00adman",
    "Sgt. Pepper and Mrs Jones met on Dec. 5 in Main str. 4. I am. Tom and I. She saw him.",
    "1,250,000.75 12.50 0.5 1,299 3,14 १२.५० on 31.12.2024 at 192.168.100.200",
    "L'été dernier , qu' est-ce que c'était ?",
    "Weißt du, was 3,5 % von 20 $ sind? http://a.b/c?d=1 x@y.org",
    "İSTANBUL'DA IŞIK VAR. WEIẞ, STRAẞE UND İĞNE #1",
    "Σίσυφος ΣΊΣΥΦΟΣ",
    "გამარჯობა. როგორ ხარ? 你好。世界 hello",
    "ﬁne ǆep ŉ ßtraße naïve nai\u0308ve",
    "a" * 1001,
    "<i>[he](u_v) *saw* _a</i> ~~b~~ C++ U.S.A. o.k. ... -- :-) x-ray 10km/h",
    "<b>He</b> 👩‍👧 ($2).\n<br>1. don´t `f(x)` rock ’n’ roll‘s <pre>x\n</pre> <code>y</code>",
    'He <b translate="no">rock</b> \\*rock\\* {% if y %}.',
    "\ufeffa\x00b\u00adc\x85d\u2028e \u2581f\u258fg \ufdd0",
]
SAMPLE = Path(__file__).parents[2] / "data" / "sample.txt"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("page")


@pytest.fixture(autouse=True)
def from_the_disk(browser: Browser) -> Iterator[None]:
    """Nothing is asked for but pages."""
    yield
    assert all(request.startswith("file:") for request in browser.requests)


def open_page(browser: Browser, run: RunWriter) -> None:
    """Export a run and open the page, ready to translate; the run gets the weights of the page, which are rounded."""
    in_steps = {name: rounded(weight) for name, weight in run.read_best().items()}
    run.save_best({name: (number * step).astype(np.float32) for name, (number, step) in in_steps.items()})
    page = run.path.with_suffix(".html")
    done = s2s_here(run.path.parent, "export", str(run.path), str(page), "--overwrite", "--with-pairs")
    assert (done.returncode, done.stderr) == (0, "")
    browser.open(page)
    browser.run("pageOpened.then(() => true)")


def translated(browser: Browser, texts: list[str]) -> list[Any]:
    """The translations of the page, with their sentences."""
    found: list[Any] = browser.run(
        "(async () => { const translator = await pageOpened; const all = [];"
        f" for (const text of {json.dumps(texts)}) all.push(await translator.translate(text)); return all; }})()"
    )
    return found


@pytest.mark.parametrize(
    ("score", "unit", "languages"),
    [
        ("general", "word", ("en", "de")),
        ("additive", "bpe", ("fr", "tr")),
        ("none", "character", ("tr", "el")),
        ("general", "bpe", ("ka", "fr")),
        ("dot", "word", ("el", "en")),
    ],
)
def test_its_translations_and_weights_are_those_of_python(
    browser: Browser, tmp_path: Path, score: ScoreName, unit: Unit, languages: tuple[str, str]
) -> None:
    run = make_run(tmp_path / "run", score=score, unit=unit, languages=languages, copies=True)
    open_page(browser, run)
    expected = load(run.path).translator.translate(TEXTS)
    found = translated(browser, TEXTS)
    assert [each["text"] for each in found] == [each.text for each in expected]
    assert any(each.text.strip() for each in expected)
    assert browser.run("document.title") == " - ".join(map(language_name, languages))
    for ours, theirs in zip(found, expected, strict=True):
        for sentence, reference in zip(ours["sentences"], theirs.sentences, strict=True):
            assert sentence["src_tokens"] == reference.src_tokens
            assert sentence["tgt_tokens"] == reference.tgt_tokens
            if reference.source == reference.reading.text:  # without marks
                assert sentence["translation"] == reference.text
            np.testing.assert_allclose(
                sentence["log_probabilities"], reference.token_log_probabilities, rtol=0, atol=1e-4
            )
            if score != "none":
                np.testing.assert_allclose(sentence["weights"], reference.weights, rtol=0, atol=1e-5)


KNOWN = ("She saw her, and she saw Tom.", "Tom and she saw IJsland.", "He is he.", "Ist es İstanbul?", "Er ist es. A b")
READ = """
((codec, texts) => texts.map((text) => {
  const {ids, parts, letters} = codec.read(text);
  return {ids, parts, letters, ...codec.write(ids, new Map(), letters)};
}))
"""


@pytest.mark.parametrize("language", ["en", "tr", "nl"])
def test_its_subwords_keep_the_case_of_letters_as_those_of_python(
    browser: Browser, tmp_path: Path, language: str
) -> None:
    side = SideConfig(language=language, min_count=1)
    counts = Counter(token for text in KNOWN for token in get_segmenter(side, "bpe").tokens(text))
    codec = fit_codec(side, "bpe", counts)
    assert codec.small_words
    texts = [each(text, language) for text in (*KNOWN, *TEXTS) for each in (lower, upper, small_first, capitalise)]
    open_page(browser, make_run(tmp_path / "run", languages=("en", "de"), copies=True))
    found = browser.run(f"{READ}(new Codec({json.dumps(codec_data(codec))}), {json.dumps(texts)})")
    for text, ours in zip(texts, found, strict=True):
        reading = codec.read(text)
        written = codec.write(reading.ids, case=reading.case)
        read = {"ids": reading.ids, "parts": reading.parts, "letters": reading.case}
        assert ours == read | {"text": written.text, "units": written.units}


def test_its_penalties_are_those_of_python(browser: Browser, tmp_path: Path) -> None:
    penalties = DecodingConfig(prune=None, length_penalty="gnmt", length_penalty_alpha=2.0, coverage_penalty=0.5)
    run = make_run(tmp_path / "run", decoding=penalties)
    open_page(browser, run)
    expected = load(run.path).translate(TEXTS)
    assert [each["text"] for each in translated(browser, TEXTS)] == expected
    for other in ("length_penalty=none", "length_penalty_alpha=1", "coverage_penalty=0"):
        assert load(run.path, overrides=[f"decoding.{other}"]).translate(TEXTS) != expected


COMPUTE = """
(({encoder, decoder, weights, sources, steps}) => {
  const known = Object.fromEntries(Object.entries(weights).map(([name, {shape, values}]) =>
    [name, tensor(shape, values)]));
  const engine = new Engine(new Graph(encoder, known), new Graph(decoder, known), 0);
  return sources.map((source) => {
    let state = engine.start(source);
    return steps.map(({tokens, rows, k}) => {
      const [found, after] = engine.step(tokens, state, k);
      state = engine.select(after, rows);
      const plain = Object.entries(found).map(([name, of]) => [name, of.map((row) => Array.from(row, String))]);
      return Object.fromEntries(plain);
    });
  });
})
"""
STEPS: list[dict[str, Any]] = [
    {"tokens": [BOS], "rows": [0, 0, 0], "k": 4},
    {"tokens": [5, 7, 9], "rows": [2, 0, 1, 1, 0], "k": 3},
    {"tokens": [4, 6, 8, 3, 1], "rows": [0], "k": VOCABULARY - 2},
]


def random_ids(random: np.random.Generator, lengths: list[int], vocabulary: int) -> Ragged:
    return Ragged.of([random.integers(UNK, vocabulary, size=length).tolist() for length in lengths])


@pytest.mark.parametrize(
    ("score", "unit", "lengths"),
    [
        ("general", "bpe", []),
        ("additive", "word", [1022, 1023, 1024, 5, 600, 500]),  # more steps than are consulted
        ("location", "word", []),  # it has a longest source
        ("none", "character", []),
    ],
)
def test_it_consults_the_similar_pairs_that_python_consults(
    browser: Browser, tmp_path: Path, score: ScoreName, unit: Unit, lengths: list[int]
) -> None:
    search = DecodingConfig(similar_pairs=8, similar_pairs_weight=0.9, beam_size=40, min_length=2)
    run = make_run(tmp_path / "run", score=score, unit=unit, decoding=search)
    random = np.random.default_rng(1)
    src, tgt = (len(codec.vocabulary) for codec in load_codecs(run.path))
    # Every other pair is there twice: of equally similar ones, the first are consulted.
    lengths = [*lengths, *random.integers(12, size=30).tolist()]
    sources, targets = random_ids(random, lengths, src), random_ids(random, 2 * lengths[::-1], tgt)
    run.save_pairs(SimilarPairs.of(Ragged.joined([sources, sources]), targets).arrays())
    open_page(browser, run)
    expected = load(run.path).translator.translate(TEXTS)
    found = translated(browser, TEXTS)
    assert [each["text"] for each in found] == [each.text for each in expected]
    assert [each.text for each in expected] != load(run.path, overrides=["decoding.similar_pairs=0"]).translate(TEXTS)
    for ours, theirs in zip(found, expected, strict=True):
        for sentence, reference in zip(ours["sentences"], theirs.sentences, strict=True):
            np.testing.assert_allclose(
                sentence["log_probabilities"], reference.token_log_probabilities, rtol=0, atol=1e-4
            )


@pytest.mark.parametrize("config", [*SHIPPED, *COMBINATIONS[::EVERY], *OTHER_CELLS], ids=name_of)
def test_every_mechanism_gives_what_python_computes(
    browser: Browser, folder: Path, tmp_path: Path, config: ModelConfig
) -> None:
    if not (folder / "any.html").exists():
        open_page(browser, make_run(folder / "any"))
    run = exported(tmp_path, config)
    data: dict[str, Any] = {
        "encoder": graph_data(run.path / ENCODER),
        "decoder": graph_data(run.path / DECODER),
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
            tokens = np.array(step["tokens"])
            asked = np.zeros((len(tokens), 0), dtype=np.int64)
            expected, state = engine.step(tokens, state, k=step["k"], asked=asked)
            state = state.select(np.array(step["rows"]))
            shared = {
                "best_tokens": expected.tokens,
                "best_log_probabilities": expected.log_probabilities,
                "weights": expected.weights,
            }
            for name, theirs in shared.items():
                np.testing.assert_allclose(np.array(ours[name], dtype=np.float64), theirs, rtol=0, atol=1e-5)


@pytest.mark.parametrize("score", ["general", "none"])
def test_its_steps_and_its_searches_are_those_of_python(browser: Browser, tmp_path: Path, score: ScoreName) -> None:
    run = make_run(tmp_path / "run", score=score, unit="bpe")
    open_page(browser, run)
    translator = load(run.path).translator.with_traces(steps=True)
    text = "she kissed the dog ."
    ids = translator.translate([text])[0].sentences[0].ids
    for prefix in ((), ids[:1], (9, 4), (5, EOS)):
        expected = translator.with_demands(Demands(prefix=prefix)).translate([text])[0].sentences[0].data
        sentence = f"(await it.translate({json.dumps(text)})).sentences[0]"
        found = browser.run(f"pageOpened.then(async (it) => it.stepsOf({sentence}, {json.dumps(prefix)}))")
        assert found["tgt_tokens"] == expected["tgt_tokens"]
        np.testing.assert_allclose(found["states"], expected["states"], rtol=0, atol=1e-3)
        for ours, theirs in zip(found["steps"], expected["steps"], strict=True):
            for name in ("query", "scores"):
                np.testing.assert_allclose(ours[name], theirs[name], rtol=0, atol=1e-3)
            assert [token[:2] for token in ours["next"]] == [list(token[:2]) for token in theirs["next"]]
        for ours, theirs in zip(*map(paths, (found["tree"], expected["tree"])), strict=True):
            assert ours[:-1] == theirs[:-1]
            assert ours[-1] == pytest.approx(theirs[-1], abs=0.01)


@pytest.mark.parametrize("others", [1, 6])
def test_its_alternatives_are_those_of_python(browser: Browser, tmp_path: Path, others: int) -> None:
    run = make_run(tmp_path / "run", unit="bpe")
    open_page(browser, run)
    translator = load(run.path).translator.with_n_best(1 + others)
    for text in ("she kissed the dog .", "<b>he</b> saw", "Tom saw him ?"):
        expected = translator.translate([text])[0].alternatives
        sentence = f"(await it.translate({json.dumps(text)})).sentences[0]"
        found = browser.run(f"pageOpened.then(async (it) => it.alternativesOf({sentence}, {others}))")
        assert [each["translation"] for each in found] == [each.text for each in expected]
        assert [each["tgt_tokens"] for each in found] == [each.sentences[0].tgt_tokens for each in expected]


def paths(tree: Any) -> list[tuple[Any, ...]]:
    """The hypotheses of a tree in a fixed order: ids, fate, score."""
    found: list[tuple[Any, ...]] = []
    for parent, _, _, fate, score, id_ in tree["nodes"]:
        found.append(((*(found[parent][0] if parent >= 0 else ()), id_), fate, score or 0.0))
    return sorted(found)


def test_it_translates_what_is_typed_and_shows_its_attention(browser: Browser, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    open_page(browser, run)
    assert browser.run("document.activeElement.id") == "source"
    browser.type("she kissed him .")
    wait = "new Promise((done) => { const look = () => document.querySelector({0}) ? done(true) : setTimeout(look, 20);"
    assert browser.run(f"{wait.replace('{0}', json.dumps('.matrix'))} look(); }})")
    text = load(run.path).translate("she kissed him .")
    assert browser.run("document.querySelector('output').textContent") == text
    assert browser.run("document.querySelectorAll('.line')[0].textContent") == "shekissedhim.<eos>"
    assert browser.run("document.querySelector('h1').textContent") == "English → German"
    browser.click("output span")
    assert browser.run(f"{wait.replace('{0}', json.dumps('.others button'))} look(); }})")
    browser.click(".others button:nth-child(2)")
    other = load(run.path).translator.with_n_best(6).translate(["she kissed him ."])[0].alternatives[1].text
    assert browser.run("document.querySelector('output').textContent") == other


DRESSES = [
    "{0} {1}",
    "<b>{0}</b> {1}",
    "{0} <i>{1}</i>",
    "<p>{0} <img src='i'> **{1}**</p>",
    "{0} &amp; %s <a href='u'>{1}</a> 😀",
]
"""What is around the first word of a sentence and the others."""


def test_it_translates_500_sentences_with_a_trained_model_as_python_does(browser: Browser, tmp_path: Path) -> None:
    options = ("--config", "luong_general", "--set", "training.epochs=2")
    for command in (("prepare", str(SAMPLE), "--out", "data"), ("train", "--data", "data", *options, "--out", "run")):
        succeeded(s2s_here(tmp_path, *command))
    run = RunWriter(tmp_path / "run")
    sources = dict.fromkeys(line.split("\t")[0] for line in SAMPLE.read_text(encoding="utf-8").splitlines())
    texts = [DRESSES[i % len(DRESSES)].format(*source.split(" ", 1), "") for i, source in enumerate(sources)][:500]
    assert len(texts) == 500
    exact = load(run.path).translator.translate(texts)
    open_page(browser, run)
    found = [each["text"] for each in translated(browser, texts)]
    rounded = load(run.path).translator.translate(texts)
    assert found == [each.text for each in rounded]
    pairs = zip(rounded, exact, strict=True)
    scores = [(ours.score, theirs.score) for ours, theirs in pairs if ours.text == theirs.text]
    assert [score for score, _ in scores] == pytest.approx([score for _, score in scores], abs=5e-3)
    # Rounding may decide between two hypotheses that are as good as each other, also where the search drops one.
    assert len(scores) >= 495
