"""The results of systems: what is trained, on what, and where its result is kept."""

import argparse
from pathlib import Path

import pytest

from benchmarks.results import __main__ as results
from benchmarks.results.table import Result, Score
from seq2seq_cli.corpus.prepared import PreparedCorpus

SCORE = Score(value=1.0, signature="")


class Trainings:
    """Stands in for the training of a config: notes the runs, and gives them all one result."""

    def __init__(self) -> None:
        self.runs: list[str] = []

    def __call__(
        self, system: str, seed: int, corpus: PreparedCorpus, run: Path, options: argparse.Namespace
    ) -> Result:
        self.runs.append(run.name)
        return Result(
            pairs=options.pairs.name,
            training_pairs=len(corpus.split("train")),
            system=system,
            settings=options.set,
            seed=seed,
            parameters=1,
            minutes=1.0,
            bleu=SCORE,
            lowercase_bleu=SCORE,
            chrf=SCORE,
            sentences_per_second=1.0,
            start_seconds=1.0,
            hardware="",
            torch="",
        )


@pytest.fixture
def trainings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trainings:
    trainings = Trainings()
    monkeypatch.setattr(results, "_own", trainings)
    monkeypatch.setattr(results, "prepare_environment", lambda: None)  # it would last for the other tests
    monkeypatch.chdir(tmp_path)
    Path("page.md").write_text("", encoding="utf-8")
    return trainings


def measure(monkeypatch: pytest.MonkeyPatch, *arguments: str, system: str = "quick") -> list[str]:
    """Measure a system; the names of all records."""
    command = [system, "--seeds", "1", "--results", "results", "--page", "page.md", "--summary", "page.md"]
    monkeypatch.setattr("sys.argv", ["benchmarks.results", *command, *arguments])
    results.main()
    return sorted(path.name for path in Path("results").iterdir())


def test_pairs_prepared_from_other_files_or_with_other_settings_are_not_trained_on(
    trainings: Trainings, pair_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = ("--pairs", str(pair_file))
    measure(monkeypatch, *pairs)
    test = Path("test.txt")
    test.write_text("We saw 7 dogs.\tWir sahen 7 Hunde.\n", encoding="utf-8")
    for others in (["--test", str(test)], ["--valid", str(test)], ["--set", "text.src.lowercase=false"]):
        with pytest.raises(SystemExit, match=r"^benchmarks\.results: .*: name another folder with --work$"):
            measure(monkeypatch, *pairs, "--seeds", "2", *others)
    assert len(trainings.runs) == 1
    # Settings of a training alone leave the pairs as they are.
    measure(monkeypatch, *pairs, "--set", "training.epochs=2")
    assert len(trainings.runs) == 2


def test_a_result_is_kept_for_each_number_of_cores_and_measured_once(
    trainings: Trainings, pair_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def on(cores: int) -> list[str]:
        monkeypatch.setattr(results, "usable_cores", lambda: cores)
        return measure(monkeypatch, "--pairs", str(pair_file))

    assert on(2) == ["deu-quick-2cores-seed1.json"]
    assert on(1) == on(2) == ["deu-quick-1core-seed1.json", "deu-quick-2cores-seed1.json"]
    assert trainings.runs == ["quick-2cores-seed1", "quick-1core-seed1"]


@pytest.mark.parametrize("system", ["joeynmt-rnn", "joeynmt-rnn:", "joeynmt-rnn:six", "joeynmt-rnn:-6"])
def test_a_system_of_joeynmt_without_its_minutes_is_refused(
    system: str, trainings: Trainings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        measure(monkeypatch, "--joeynmt", "joeynmt", system=system)
    assert f"error: {system}: give the minutes of its training, as in joeynmt-rnn:6\n" in capsys.readouterr().err
    assert not trainings.runs
