"""``s2s compare``: the same pairs, precision and seeds for each config, a table, and pictures."""

from pathlib import Path

import pytest

from seq2seq_cli.runs.listing import Run
from tests.commands import refused, s2s_here
from tests.corpora import write_reversals
from tests.unit.pages.test_page import Parsed

SMALL = [
    *("--set", "model.encoder.hidden_size=8", "--set", "model.decoder.hidden_size=8", "--set", "training.epochs=2"),
    *("--set", "model.encoder.embedding_size=8", "--set", "model.decoder.embedding_size=8"),
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    write_reversals(folder / "pairs.txt")
    return folder


def test_a_comparison_is_fair_and_can_be_extended(home: Path) -> None:
    command = ("compare", "tutorial", "tutorial_bahdanau", "--pairs", "pairs.txt", "--out", "both", *SMALL)
    done = s2s_here(home, *command, "--seeds", "1")
    assert done.returncode == 0, done.stderr
    weights = home / "both" / "runs" / "tutorial-1" / "best" / "model.safetensors"
    before = weights.read_bytes()

    done = s2s_here(home, *command, "--seeds", "2")
    assert done.returncode == 0, done.stderr
    titles, *rows = done.stdout.splitlines()
    assert titles.split() == ["config", "test", "bleu", "test", "chrf", "loss", "minutes", "parameters"]
    assert [row.split()[0] for row in rows] == ["tutorial", "tutorial_bahdanau"]
    assert weights.read_bytes() == before
    runs = [Run.read(path) for path in sorted((home / "both" / "runs").iterdir()) if path.is_dir()]
    assert [run.path.name for run in runs] == [
        *("tutorial-1", "tutorial-2", "tutorial_bahdanau-1", "tutorial_bahdanau-2")
    ]
    assert [run.config.training.seed for run in runs] == [1, 2, 1, 2]
    assert len({run.provenance.fingerprint for run in runs}) == 1
    assert {run.config.training.precision for run in runs} == {"fp32"}
    assert all(run.history.test for run in runs)  # though the configs hold nothing out
    assert (home / "both" / "curves.png").is_file()
    page = Parsed((home / "both" / "film.html").read_bytes()).data
    assert [film["name"] for film in page["films"]] == ["tutorial", "tutorial_bahdanau"]

    problem = refused(s2s_here(home, *command, "--set", "training.lr=0.5"))
    assert "tutorial-1: is there with other settings (training.lr: 0.005 -> 0.5)" in problem


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("tutorial", "tutorial"), "two configs or more"),
        (("tutorial", "tutoril"), "did you mean"),
        (("tutorial", "tutorial_dot", "--set", "training.epochs=0"), "training.epochs"),
        (("tutorial", "tutorial_dot", "--seeds", "0"), "--seeds"),
    ],
)
def test_a_mistake_is_told_before_anything_is_written(home: Path, arguments: tuple[str, ...], words: str) -> None:
    assert words in refused(s2s_here(home, "compare", *arguments, "--pairs", "pairs.txt", "--out", "none"))
    assert not (home / "none").exists()
