"""Differences between two trainings that ``benchmarks.reliability.kills`` reports, and those that it does not."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file

from benchmarks.reliability.kills import differences
from seq2seq_cli.runs.checkpoint import load_checkpoint, save_checkpoint
from seq2seq_cli.training.run import train_session
from tests.corpora import prepared, reversed_words, symbol_sequences
from tests.tiny import started, tiny_config


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished training."""
    folder = tmp_path_factory.mktemp("kills")
    corpus = prepared(folder, [(s, reversed_words(s)) for s in symbol_sequences(40, shortest=2, longest=4)])
    list(train_session(started(folder / "run", tiny_config(corpus, "training.keep=1"), corpus)))
    return folder / "run"


def another_clock(run: Path) -> None:
    captured = load_checkpoint(run / "last" / "training.pt")
    captured["progress"]["seconds"] += 1
    save_checkpoint(run / "last" / "training.pt", captured)
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    text = "".join(json.dumps({**line, "seconds": 99.9}) + "\n" for line in lines)
    (run / "metrics.jsonl").write_text(text, encoding="utf-8")


def another_weight(path: Path) -> None:
    weights = load_file(path)
    next(iter(weights.values())).view(-1)[0] += 1e-6
    save_file(weights, path)


def another_moment(run: Path) -> None:
    captured = load_checkpoint(run / "last" / "training.pt")
    captured["optimiser"]["parts"][0][0]["exp_avg"].view(-1)[0] += 1e-9
    save_checkpoint(run / "last" / "training.pt", captured)


def one_line_twice(run: Path) -> None:
    path = run / "metrics.jsonl"
    path.write_text(path.read_text(encoding="utf-8") * 2, encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (another_clock, []),
        (lambda run: another_weight(run / "best/model.safetensors"), ["best/model.safetensors"]),
        (lambda run: (run / "epochs/0003.safetensors").unlink(), ["epochs/0003.safetensors"]),
        (another_moment, ["last/training.pt"]),
        (one_line_twice, ["metrics.jsonl"]),
        (lambda run: (run / "best/.model.safetensors.0.unfinished").touch(), [".model.safetensors.0.unfinished"]),
    ],
)
def test_everything_but_times_and_memory_is_compared(
    finished: Path, tmp_path: Path, change: Callable[[Path], None], found: list[str]
) -> None:
    other = shutil.copytree(finished, tmp_path / "other")
    change(other)
    assert differences(other, finished) == found
