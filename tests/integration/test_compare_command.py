"""``s2s compare``: the same pairs, precision and seeds for each config, a table, and pictures."""

import signal
from pathlib import Path

import pytest

from seq2seq_cli import compare
from seq2seq_cli.errors import Interrupted, UsageError
from seq2seq_cli.runs.listing import Run
from seq2seq_cli.training.events import Validated
from tests.commands import SMALL, refused, s2s_here, settings, succeeded
from tests.corpora import write_reversals
from tests.unit.pages.test_page import Parsed

SHORT = [*SMALL, "training.epochs=2"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    write_reversals(folder / "pairs.txt")
    return folder


def test_a_comparison_goes_on_after_a_stop_is_fair_and_can_be_extended(home: Path) -> None:
    def stop(event: object) -> None:
        if isinstance(event, Validated):
            signal.raise_signal(signal.SIGINT)

    pair = ("tutorial", "tutorial_bahdanau")
    with pytest.raises(Interrupted, match=r"^interrupted; .*both is kept: give the same command again$") as stopped:
        compare(*pair, pairs=home / "pairs.txt", out=home / "both", seeds=1, overrides=SHORT, on_event=stop)
    assert stopped.value.exit_code == 130
    command = ("compare", *pair, "--pairs", "pairs.txt", "--out", "both", *settings(*SHORT))
    succeeded(s2s_here(home, *command, "--seeds", "1"))
    weights = home / "both" / "runs" / "tutorial-1" / "best" / "model.safetensors"
    before = weights.read_bytes()

    titles, *rows = succeeded(s2s_here(home, *command, "--seeds", "2")).stdout.splitlines()
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
    refused(s2s_here(home, *command, "--set", "data.max_tokens=7"), "both/prepared: holds another", "with --out")

    for file in (*weights.parent.iterdir(), *(weights.parents[1] / "last").iterdir()):  # killed before it was saved
        file.unlink()
    succeeded(s2s_here(home, *command, "--seeds", "1"))
    assert weights.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("tutorial",), "two configs or more"),
        (("tutorial", "a/tutorial.yaml"), "no two of the same name"),
        (("tutorial", "tutoril"), "did you mean"),
        (("tutorial", "tutorial_dot", "--set", "training.epochs=0"), "training.epochs"),
        (("tutorial", "tutorial_dot", "--seeds", "0"), "--seeds"),
        (("tutorial", "tutorial_dot", "--set", "training.seed=9"), "no training.seed"),
    ],
)
def test_a_mistake_is_told_before_anything_is_written(home: Path, arguments: tuple[str, ...], words: str) -> None:
    assert words in refused(s2s_here(home, "compare", *arguments, "--pairs", "pairs.txt", "--out", "none"))
    assert not (home / "none").exists()


def test_a_folder_of_something_else_is_left_alone(home: Path) -> None:
    (home / "mine").mkdir()
    (home / "mine" / "curves.png").write_bytes(b"mine")
    done = s2s_here(home, "compare", "tutorial", "tutorial_dot", "--pairs", "pairs.txt", "--out", "mine")
    refused(done, "mine: exists and is not the folder of a comparison", "--out")
    assert [path.read_bytes() for path in (home / "mine").iterdir()] == [b"mine"]


@pytest.mark.parametrize("variables", [{}, dict.fromkeys(("RANK", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT"), "0")])
def test_seeds_and_processes_are_checked_from_python_too(
    home: Path, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(UsageError, match="without torchrun" if variables else "1 or more"):
        compare("tutorial", "tutorial_dot", pairs=home / "pairs.txt", out=home / "none", seeds=0)
    assert not (home / "none").exists()
