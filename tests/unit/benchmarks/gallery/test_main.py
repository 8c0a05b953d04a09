"""The gallery of runs that are there: nothing is trained for its page."""

import dataclasses
from pathlib import Path

import pytest

from benchmarks.gallery import __main__ as gallery
from benchmarks.gallery import runs
from benchmarks.gallery.runs import LENGTHS, GalleryRuns, Result
from seq2seq_cli.files.writing import write_json
from seq2seq_cli.training.session import Session


def result(name: str, seed: int, threads: int) -> Result:
    return Result(
        name=name,
        seed=seed,
        threads=threads,
        parameters=1000,
        bleu=40.0,
        bleu_by_length=dict.fromkeys(LENGTHS, 40.0),
        signature="",
        error_rate=None,
        entropy=None,
        words_on_marks=None,
    )


@pytest.fixture
def work(tmp_path: Path, pair_file: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of runs without results."""

    def never(*_arguments: object) -> None:
        pytest.fail("a model is trained")

    monkeypatch.setattr(runs, "_endless", never)
    monkeypatch.setattr(Session, "start", never)
    monkeypatch.setattr(gallery, "prepare_environment", lambda: None)  # it would last for the other tests
    GalleryRuns.open(tmp_path / "work", pair_file, [], alignment=None)
    return tmp_path / "work"


def show(work: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    """The page of the results that are there."""
    page = work.parent / "page.md"
    page.write_text("", encoding="utf-8")
    command = ["--pairs", str(work.parent / "deu.txt"), "--work", str(work), "--page", str(page), "--no-pictures"]
    monkeypatch.setattr("sys.argv", ["benchmarks.gallery", "--no-training", *command, *arguments])
    gallery.main()
    return page.read_text(encoding="utf-8")


def test_known_results_and_speeds_are_shown_and_nothing_is_trained(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for each in (result("luong_dot", 1, threads=2), result("luong_general", 1, 2)):
        write_json(work / each.name / f"seed{each.seed}.json", dataclasses.asdict(each))
    page = show(work, monkeypatch)
    assert "`deu.txt`, 2 threads: `python" in page
    assert "tokens/s" not in page

    write_json(work / "luong_general" / "seed2.json", dataclasses.asdict(result("luong_general", 2, 1)))
    write_json(work / "speeds.json", {"luong_dot": 12345.6, "no_attention": 1.0})
    page = show(work, monkeypatch, "--seeds", "2")
    assert "`deu.txt`, 1 or 2 threads: `python" in page
    rows = [row.split("|")[1:5] for row in page.splitlines() if row.startswith(("| config", "| `"))]
    assert [[cell.strip() for cell in row] for row in rows] == [
        ["config", "parameters", "tokens/s", "seeds"],
        ["`luong_dot`", "1,000", "12,346", "1"],
        ["`luong_general`", "1,000", "", "2"],
    ]
    assert "tokens/s" not in show(work, monkeypatch, "--only", "luong_general")
    assert "tokens/s" not in show(work, monkeypatch, "--seconds", "0")


def test_without_results_it_says_so(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit, match=r"^benchmarks\.gallery: .*work: no results of these models: leave out"):
        show(work, monkeypatch, "--only", "luong_dot")


def test_a_misspelt_name_is_refused(
    work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        show(work, monkeypatch, "--only", "luong_dto")
    assert "argument --only: invalid choice: 'luong_dto' (choose from " in capsys.readouterr().err
