"""``s2s evaluate``, with runs of small untrained models and translations made by hand."""

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from seq2seq_cli.runs.records import Provenance
from tests.commands import Done, output_of, refused, s2s_here, succeeded
from tests.corpora import prepared
from tests.unit.pages.test_page import Parsed
from tests.untrained import make_run

ROOT = Path(__file__).resolve().parents[2]
LINKS = ["0-0 1-1 2-2 3-3", "0-0 1-1 2-2 3-3 4-4", "0?0 1-1"]
PAIRS = [("She kissed him.", "sie küsste ihn."), ("He saw the dog.", "er sah den Hund."), ("Go.", "geh.")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evaluate")
    make_run(folder / "runs" / "plain", score="none")
    make_run(folder / "runs" / "newest")
    (folder / "pairs.align").write_text("".join(f"{line}\n" for line in LINKS), encoding="utf-8")
    (folder / "bad.align").write_text("0-0\n0-0 5-0\n0-0\n", encoding="utf-8")
    (folder / "short.align").write_text("0-0\n", encoding="utf-8")
    (folder / "pairs.tsv").write_text("".join(f"{src}\t{tgt}\n" for src, tgt in PAIRS), encoding="utf-8")
    (folder / "right.txt").write_text("".join(f"{tgt}\n" for _, tgt in PAIRS), encoding="utf-8")
    (folder / "wrong.txt").write_text("sie sah ihn.\ner sah den Hund.\nnein.\n", encoding="utf-8")
    return folder


def evaluated(folder: Path, *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(output_of(evaluate(folder, "--json", *arguments)))
    return found


def evaluate(folder: Path, *arguments: str) -> Done:
    return s2s_here(folder, "evaluate", *arguments)


def test_a_run_is_evaluated_on_pairs_of_the_users_own(folder: Path) -> None:
    found = evaluated(folder, "runs/newest", "--file", "pairs.tsv")
    assert found["test_set"] == {"name": "pairs.tsv", "pairs": 3, "sources": 3}
    [system] = found["systems"]
    assert system["trained_on"] is None
    assert {score["metric"] for score in system["scores"]} == {"BLEU", "chrF2++", "TER"}
    for score in system["scores"]:
        assert score["range"]["low"] <= score["value"] <= score["range"]["high"]
        assert "version:" in score["signature"]
    assert system["perplexity"] > 1
    assert system["sentences_per_second"] > 0


def test_sentences_that_are_translated_in_parts_are_counted_in_a_warning(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    succeeded(evaluate(folder, "--set", "decoding.max_source_length=4", "runs/newest", "--file", "pairs.tsv"))
    assert caplog.messages == ["runs/newest: 1 text with a sentence that is too long, translated in parts"]


def test_a_file_may_have_braces_in_its_name(folder: Path) -> None:
    shutil.copy(folder / "pairs.tsv", folder / "pairs{x}.tsv")
    output_of(evaluate(folder, "runs/newest", "--file", "pairs{x}.tsv"))


def test_sentences_of_other_languages_are_refused(folder: Path) -> None:
    pairs = [(f"ein wort {n}", f"a word {n}") for n in range(40)]
    prepared(folder / "crossed", pairs, ["text.src.language=de", "text.tgt.language=en"])
    done = evaluate(folder, "runs/newest", "--data", "crossed/prepared")
    refused(done, "de to en, but runs/newest translates en to de: give sentences in its languages")


def test_a_file_that_states_other_languages_is_told(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    shutil.copy(folder / "pairs.tsv", folder / "pairs.fr-de.tsv")
    for file in ("pairs.tsv", "pairs.fr-de.tsv"):
        succeeded(evaluate(folder, "runs/newest", "--file", file))
    told = "pairs.fr-de.tsv: says that its columns are fr-de; they are taken as en-de: give pairs of these languages"
    assert caplog.messages == [told]


@pytest.mark.parametrize("names", [("--file", "x.en", "--file", "x.zh"), ("--file", "x.tsv", "--columns", "en,zh")])
def test_the_languages_of_files_alone_are_those_of_their_names(folder: Path, names: tuple[str, ...]) -> None:
    lines = [("I like apples.", "我喜欢吃苹果和香蕉。"), ("He went.", "他昨天去了北京。")]
    for name, text in {
        "x.en": "".join(f"{en}\n" for en, _ in lines),
        "x.zh": "".join(f"{zh}\n" for _, zh in lines),
        "x.tsv": "en\tzh\n" + "".join(f"{en}\t{zh}\n" for en, zh in lines),
        "h.zh": "".join(f"{zh[:-1]}\n" for _, zh in lines),
    }.items():
        (folder / name).write_text(text, encoding="utf-8")
    assert "tok:zh" in succeeded(evaluate(folder, *names, "--hypotheses", "h.zh")).stdout


def test_attention_is_compared_with_gold_links(folder: Path) -> None:
    report = output_of(evaluate(folder, "runs/newest", "--file", "pairs.tsv", "--alignment", "pairs.align"))
    assert re.search(r"\nattention: entropy \d\.\d\d nats per token, words on marks \d+\.\d %\n", report)
    rates = r"alignment error rate 0\.\d{3}, precision [01]\.\d{3}, recall [01]\.\d{3} \(3 pairs with gold links\)\n"
    assert re.search(rates, report)


def test_bleu_of_a_part_with_short_references_alone_is_a_dash_that_is_explained(folder: Path) -> None:
    (folder / "short.tsv").write_text("Go.\tgeh.\n", encoding="utf-8")
    (folder / "short.txt").write_text("geh.\n", encoding="utf-8")
    done = evaluate(folder, "--file", "short.tsv", "--hypotheses", "short.txt")
    assert done.stdout.startswith("short.tsv: 1 pair, 1 source\n")
    assert re.search(r"\n1 to 4 +1 +-\n\n- no BLEU: ", done.stdout)


def test_the_report_and_the_page_have_a_verdict_with_the_words_that_it_misses(folder: Path) -> None:
    pairs = [(f"an umbrella {n}", f"ein Schirm {n}") for n in range(40)]
    corpus, run = prepared(folder / "umbrellas", pairs), make_run(folder / "runs" / "umbrellas")
    seen = len(corpus.split("train"))
    provenance = Provenance(folder=str(corpus.path), fingerprint=corpus.fingerprint, pairs={})
    (run.path / "corpus.json").write_bytes(provenance.content)
    (folder / "umbrellas.tsv").write_text("the umbrella\tder Schirm\nmy umbrella\tmein Schirm\n", encoding="utf-8")
    asked = ("runs/umbrellas", "--file", "umbrellas.tsv")
    done = evaluate(folder, *asked, "--html", "verdict.html")
    lines = done.stdout.splitlines()
    start = lines.index("runs/umbrellas:")
    assert lines[start + 1].startswith("Usable for nothing yet: ")
    named = f"Words that it misses most: schirm (missed 2 of 2 times, seen {seen} times in training)."
    assert lines[start + 3] == named
    assert lines[start + 4].startswith("What would help most: ")
    assert lines[start : start + 7] in Parsed((folder / "verdict.html").read_bytes()).data["report"]
    (corpus.path / "train.tgt.txt").write_text("damaged", encoding="utf-8")
    assert "Words that it misses most: schirm (missed 2 of 2 times).\n" in evaluate(folder, *asked).stdout


def test_a_corpus_out_of_reach_is_not_needed(folder: Path) -> None:
    run = make_run(folder / "runs" / "far")
    away = {"format": 1, "folder": "x" * 300, "fingerprint": "0", "pairs": {"train": 1}}  # no system has such a name
    (run.path / "corpus.json").write_text(json.dumps(away), encoding="utf-8")
    assert len(evaluated(folder, "runs/far", "--file", "pairs.tsv")["systems"]) == 1


def test_a_model_without_attention_has_no_alignment(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    report = output_of(evaluate(folder, "runs/plain", "--file", "pairs.tsv", "--alignment", "pairs.align"))
    assert caplog.messages == ["runs/plain: has no attention to compare with --alignment"]
    assert "\nno attention\n" in report
    assert "alignment" not in report


def test_translations_made_elsewhere_are_compared_with_the_first(folder: Path) -> None:
    files = ("--hypotheses", "right.txt", "--hypotheses", "wrong.txt")
    done = evaluate(folder, "--file", "pairs.tsv", *files, "--json", "--html", "both.html")
    found = json.loads(succeeded(done).stdout)
    assert found["systems"][0]["scores"][0]["value"] == pytest.approx(100)
    [comparison] = found["comparisons"]
    assert (comparison["system"], comparison["baseline"]) == ("wrong.txt", "right.txt")
    assert comparison["differences"]["BLEU"]["value"] < 0

    data = Parsed((folder / "both.html").read_bytes()).data
    assert [block["titles"][0] for block in data["report"] if "titles" in block][-1] == "wrong.txt less right.txt"
    assert [source["scores"][0] for source in data["sources"]] == [100, 100, 100]
    assert data["details"] == [{}, {}]


def test_a_line_without_a_reference_is_named_and_skipped_on_both_sides(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "e.en").write_text("Hi.\nNo.\nYes.\n", encoding="utf-8")
    (tmp_path / "e.de").write_text("Hallo.\n\nJa.\n", encoding="utf-8")
    (tmp_path / "hypotheses.txt").write_text("Hallo.\nNein.\nJa.\n", encoding="utf-8")
    done = evaluate(tmp_path, "--file", "e.en", "--file", "e.de", "--hypotheses", "hypotheses.txt", "--json")
    assert json.loads(done.stdout)["systems"][0]["scores"][1]["value"] == pytest.approx(100)
    assert caplog.messages[1:] == ["e.en + e.de: skips 1 line without a text on both sides: 2"]
    (tmp_path / "pairs.tsv").write_text("English\tGerman\nHi.\tHallo.\nNo.\t\nHi.\tHallo.\n", encoding="utf-8")
    (tmp_path / "hypotheses.txt").write_text("Hallo.\nNein.\nTag.\n", encoding="utf-8")
    refused(evaluate(tmp_path, "--file", "pairs.tsv", "--hypotheses", "hypotheses.txt"), "hypotheses.txt:3: another")
    assert caplog.messages[-1] == "pairs.tsv: skips 1 line without a text on both sides: 3"  # the header is line 1


def test_the_keys_for_programs_are_those_of_the_page_on_evaluation(folder: Path) -> None:
    files = ("--hypotheses", "right.txt", "--hypotheses", "wrong.txt")
    found = evaluated(folder, "runs/newest", "--file", "pairs.tsv", "--alignment", "pairs.align", *files)
    page = (ROOT / "docs" / "evaluation.md").read_text(encoding="utf-8")
    described = set(re.findall(r"`(\w+)`", page.split("## The figures for programs")[1].split("\n## ")[0]))
    assert keys(found) - {"BLEU", "TER", "chrF2++"} == described


def keys(value: Any) -> set[str]:
    """All keys of a JSON value."""
    if isinstance(value, list):
        return set().union(*map(keys, value))
    return set(value).union(*map(keys, value.values())) if isinstance(value, dict) else set()


def test_the_report_has_a_table_for_each_system_and_one_for_the_difference(folder: Path) -> None:
    done = evaluate(folder, "--file", "pairs.tsv", "--hypotheses", "right.txt", "--hypotheses", "right.txt")
    report = output_of(done)
    assert report.startswith("pairs.tsv: 3 pairs, 3 sources\n")
    assert "100.00 to 100.00" in report
    assert "not significant" in report
    assert "  significant" not in report


def test_a_page_has_all_figures_and_sentences_and_replaces_no_file_unasked(folder: Path) -> None:
    page = folder / "page.html"
    page.write_text("mine", encoding="utf-8")
    arguments = ("runs/newest", "--file", "pairs.tsv", "--json", "--html", "page.html")
    refused(evaluate(folder, *arguments), "page.html: exists already: --overwrite replaces it")
    assert page.read_text(encoding="utf-8") == "mine"

    done = evaluate(folder, *arguments, "--overwrite")
    assert (done.returncode, done.stderr) == (0, "s2s: page written to page.html\n")
    [system], data = json.loads(done.stdout)["systems"], Parsed(page.read_bytes()).data
    [scores] = [block for block in data["report"] if "titles" in block and block["titles"][0] == "runs/newest"]
    assert [row[1] for row in scores["rows"]] == [f"{score['value']:.2f}" for score in system["scores"]]
    assert [(source["source"], source["references"]) for source in data["sources"]] == [(a, [b]) for a, b in PAIRS]
    [details] = data["details"]
    for number, source in enumerate(data["sources"]):
        [sentence] = details[str(number)]["sentences"]
        assert sentence["translation"] == source["outputs"][0]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("runs/none --file pairs.tsv", "runs/none: no such run folder"),
        ("runs/newest", "the prepared folder of runs/newest is missing or has changed: name one with --data"),
        ("--file none.tsv --hypotheses right.txt", "none.tsv: "),
        ("runs/newest --file pairs.tsv --data x", "--file and --data: give one of them"),
        ("runs/newest --file pairs.tsv --split test", "--file and --split: give one of them"),
        ("--file pairs.tsv --hypotheses none.txt", "none.txt: no such file: check the name"),
        ("--file pairs.tsv --hypotheses right.txt --alignment pairs.align", "name a run"),
        ("runs/newest --file pairs.tsv --alignment none.align", "none.align: no such file: check the name"),
        ("runs/newest --file pairs.tsv --alignment short.align", "short.align: has 1 line, but the"),
        ("runs/newest --file pairs.tsv --alignment bad.align", "bad.align:2: no word 5: 'He saw"),
        ("runs/newest --file pairs.tsv --html a.png", "a.png: the page can be written as .html:"),
        ("runs/newest --file pairs.tsv --html no/a.html", "no/a.html: there is no folder no"),
        ("runs/newest --columns en,de", "--columns is for --file alone: give --file as well"),
        ("runs/newest --alignment pairs.align", "--alignment is for --file alone: give --file as well"),
        ("runs/newest --file pairs.tsv --columns ''", "columns:  must be two columns, by name or number"),
        ("runs/newest --file pairs.tsv --encoding ''", "encoding: unknown encoding ''"),
    ],
)
def test_what_cannot_be_evaluated_is_named(folder: Path, line: str, message: str) -> None:
    refused(evaluate(folder, *shlex.split(line)), message)
