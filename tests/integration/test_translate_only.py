"""A fresh environment with the packages of examples/translate_only alone: neither torch nor spaCy."""

import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from seq2seq_cli.decoding.load import load_translator
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.training.run import train_session
from tests.commands import Done, succeeded
from tests.corpora import prepared
from tests.folders import contents
from tests.tiny import started, tiny_config

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SENTENCES = ["She kissed him.", "he saw the dog", "THE DOGS SAW HER!", "Don't go to example.com, Dr. Who."]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "-c", str(ROOT / "constraints.txt"), str(ROOT / "examples" / "translate_only")], check=True)
    return folder / "bin"


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Path]:
    """A trained run, moved away from where it was made and read-only."""
    words = [
        ("she", "sie"),
        ("kissed", "küsste"),
        ("him", "ihn"),
        ("don't", "nicht"),
        ("dogs", "Hunde"),
        ("saw", "sah"),
    ]
    pairs = [(f"{a} {b} .", f"{c} {d} .") for a, c in words for b, d in words]
    corpus = prepared(tmp_path / "prepared", pairs)
    list(train_session(started(tmp_path / "made", tiny_config(corpus), corpus)))
    moved = tmp_path / "moved" / "run"
    shutil.copytree(tmp_path / "made", moved)
    shutil.rmtree(tmp_path / "made")
    paths = [moved, *moved.rglob("*")]
    for path in paths:
        path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
    yield moved
    for path in paths:
        path.chmod(path.stat().st_mode | stat.S_IWUSR)


def s2s(environment: Path, folder: Path, *arguments: str | Path, text: str = "") -> Done:
    """A command of the environment, which finds none of our modules."""
    command: list[str | Path] = [environment / "s2s", *arguments]
    variables = os.environ | {"PYTHONPATH": ""}
    return subprocess.run(
        command, cwd=folder, env=variables, input=text, capture_output=True, encoding="utf-8", check=False
    )


def test_a_moved_read_only_run_translates_without_torch_and_spacy(environment: Path, run: Path, tmp_path: Path) -> None:
    for package in ("torch", "spacy"):
        assert subprocess.run([environment / "python", "-c", f"import {package}"], capture_output=True).returncode
    before = contents(run)

    text = "".join(f"{sentence}\n" for sentence in SENTENCES)
    done = succeeded(s2s(environment, tmp_path, "translate", "--model", run, text=text))

    ours = load_translator(RunFolder(run), overrides=["decoding.engine=torch"]).translate(SENTENCES)
    assert done.stdout.splitlines() == [translation.text for translation in ours]
    assert contents(run) == before


def test_runs_are_listed_there(environment: Path, run: Path, tmp_path: Path) -> None:
    done = s2s(environment, tmp_path, "runs", "--in", run.parent)
    assert (done.returncode, done.stderr) == (0, "")
    assert "run" in done.stdout


@pytest.mark.parametrize(
    "command", [["train", "--data", "corpus/prepared"], ["prepare", str(ROOT / "data" / "sample.txt")]]
)
def test_training_there_names_what_is_missing(environment: Path, tmp_path: Path, command: list[str]) -> None:
    prepared(tmp_path / "corpus", [(f"word {i} .", f"Wort {i} .") for i in range(40)])  # else its lack is told first
    done = s2s(environment, tmp_path, *command)
    assert (done.returncode, done.stdout) == (1, ""), done.stderr
    told = r"s2s: error: the package .* is not installed: install the full s2s package \(README, Install\)\n"
    assert re.fullmatch(told, done.stderr)
