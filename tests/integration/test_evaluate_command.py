"""``s2s evaluate``, with runs of small untrained models and translations made by hand."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.commands import Done, s2s_here
from tests.untrained import make_run

PAIRS = [("She kissed him.", "sie küsste ihn."), ("He saw the dog.", "er sah den Hund."), ("Go.", "geh.")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evaluate")
    make_run(folder / "runs" / "newest")
    (folder / "pairs.tsv").write_text("".join(f"{src}\t{tgt}\n" for src, tgt in PAIRS), encoding="utf-8")
    (folder / "right.txt").write_text("".join(f"{tgt}\n" for _, tgt in PAIRS), encoding="utf-8")
    (folder / "wrong.txt").write_text("sie sah ihn.\ner sah den Hund.\nnein.\n", encoding="utf-8")
    return folder


def evaluated(folder: Path, *arguments: str) -> dict[str, Any]:
    done = evaluate(folder, "--json", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    found: dict[str, Any] = json.loads(done.stdout)
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


def test_translations_made_elsewhere_are_compared_with_the_first(folder: Path) -> None:
    found = evaluated(folder, "--file", "pairs.tsv", "--hypotheses", "right.txt", "--hypotheses", "wrong.txt")
    assert found["systems"][0]["scores"][0]["value"] == pytest.approx(100)
    [comparison] = found["comparisons"]
    assert (comparison["system"], comparison["baseline"]) == ("wrong.txt", "right.txt")
    assert comparison["differences"]["BLEU"]["value"] < 0
    assert {contrast["source"] for contrast in comparison["worse"]} == {"She kissed him.", "Go."}
    assert comparison["better"] == []


def test_the_report_has_a_table_for_each_system_and_one_for_the_difference(folder: Path) -> None:
    done = evaluate(folder, "--file", "pairs.tsv", "--hypotheses", "right.txt", "--hypotheses", "right.txt")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("pairs.tsv: 3 pairs, 3 sources\n")
    assert "100.00 to 100.00" in done.stdout
    assert "within chance" in done.stdout
    assert "different" not in done.stdout


def test_a_page_has_all_figures_and_sentences_and_replaces_none_unasked(folder: Path) -> None:
    arguments = ("runs/newest", "--file", "pairs.tsv", "--hypotheses", "right.txt", "--html", "page.html")
    done = evaluate(folder, *arguments)
    assert (done.returncode, done.stderr) == (0, "s2s: page written to page.html\n")
    data = data_of(folder / "page.html")
    assert data["systems"] == ["runs/newest", "right.txt"]
    assert [line for line in done.stdout.splitlines() if "p, bootstrap" in line]
    assert {tuple(row["titles"][2:5]) for row in data["report"] if "titles" in row} >= {
        ("95 % range", "signature"),
        ("95 % range", "p, bootstrap", "p, randomisation"),
    }
    assert [source["source"] for source in data["sources"]] == [source for source, _ in PAIRS]
    assert all(source["scores"][1] == 100 > source["scores"][0] for source in data["sources"])
    assert {view["name"] for view in data["views"]} >= {"worst of runs/newest", "most different: right.txt"}
    of_run, of_file = data["details"]
    assert (len(of_run), of_file) == (len(PAIRS), {})
    for number, source in enumerate(data["sources"]):
        [sentence] = of_run[str(number)]["sentences"]
        assert sentence["translation"] == source["outputs"][0]

    before = (folder / "page.html").read_bytes()
    refused = evaluate(folder, *arguments)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "page.html: is there already: --overwrite replaces it" in refused.stderr
    assert (folder / "page.html").read_bytes() == before
    (folder / "page.html").write_text("old", encoding="utf-8")
    assert evaluate(folder, *arguments, "--overwrite", "--json").returncode == 0
    assert data_of(folder / "page.html")["sources"] == data["sources"]


def data_of(page: Path) -> dict[str, Any]:
    [content] = re.findall('<script type="application/json" id="data">(.*?)</script>', page.read_text(encoding="utf-8"))
    data: dict[str, Any] = json.loads(content)
    return data


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["runs/none", "--file", "pairs.tsv"], "runs/none: no such run folder"),
        (["runs/newest"], "the prepared folder of runs/newest is missing or has changed: name one with --data"),
        (["--file", "none.tsv", "--hypotheses", "right.txt"], "none.tsv: "),
        (["--file", "pairs.tsv", "--data", "x"], "--file and --data: give one of them"),
        (["--file", "pairs.tsv", "--hypotheses", "none.txt"], "none.txt: cannot be read: No such file"),
        (["runs/newest", "--file", "pairs.tsv", "--html", "a.png"], "a.png: the page can be written as .html or .htm"),
        (["runs/newest", "--file", "pairs.tsv", "--html", "no/a.html"], "no/a.html: there is no folder no"),
    ],
)
def test_what_cannot_be_evaluated_is_named(folder: Path, arguments: list[str], message: str) -> None:
    done = evaluate(folder, *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
