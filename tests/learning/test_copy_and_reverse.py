"""Each shipped model learns to copy and to reverse sequences that it has never seen."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from seq2seq_cli.config.loader import load_config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.decoding.translator import Translation
from seq2seq_cli.training.resolve import resolve_config
from seq2seq_cli.training.session import Session
from tests.corpora import prepared, reversed_words, symbol_sequences

pytestmark = pytest.mark.slow

MODELS = ("bahdanau", "luong_concat", "luong_dot", "luong_general")
TASKS: dict[str, Callable[[str], str]] = {"copy": str, "reverse": reversed_words}
SETTINGS = [
    *(f"model.{side}.{size}=128" for side in ("encoder", "decoder") for size in ("hidden_size", "embedding_size")),
    "training.epochs=14",
    "training.batch_size=32",
    "training.lr=2e-3",
    "training.device=cpu",
]


@pytest.fixture(scope="module", params=TASKS)
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> PreparedCorpus:
    task = TASKS[request.param]
    sequences = symbol_sequences(16_000, shortest=3, longest=10)
    return prepared(tmp_path_factory.mktemp(request.param), [(s, task(s)) for s in sequences])


def learned(name: str, corpus: PreparedCorpus, folder: Path) -> tuple[list[Translation], list[str]]:
    """Translations of the test split by the shipped model of that name, and what they should be."""
    config = resolve_config(load_config(name, SETTINGS), corpus)
    session = Session.start(folder / name, config, corpus, torch.device("cpu"))
    for _ in session.train():
        pass
    sources, targets = zip(*corpus.sentences("test"), strict=True)
    return session.run.load_translator(torch.device("cpu")).translate(sources), list(targets)


@pytest.mark.parametrize("name", MODELS)
def test_learns_the_task(name: str, corpus: PreparedCorpus, tmp_path: Path) -> None:
    translations, targets = learned(name, corpus, tmp_path)
    assert len(targets) > 500
    right = [t.text.split() == target.split() for t, target in zip(translations, targets, strict=True)]
    assert np.mean(right) >= 0.99
