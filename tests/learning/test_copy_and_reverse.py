"""Each shipped model learns to copy and to reverse sequences that it has never seen, and looks where it should."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
import torch

from seq2seq_cli.config.catalog import GROUPS, list_configs
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.decoding.load import load_translator
from seq2seq_cli.decoding.translator import Translation
from seq2seq_cli.training.resolve import resolve_config
from tests.corpora import prepared, reversed_words, symbol_sequences
from tests.tiny import started

pytestmark = pytest.mark.slow

MODELS = [entry.name for entry in list_configs() if entry.group in GROUPS[1:]]
SUMMARIES = ("no_attention", "no_attention_cho", "bilstm_linear", "state_free")
"""These see the same of the source at every step, if anything: all of a sentence is in vectors of fixed size."""
FOLLOWERS = [name for name in MODELS if name not in SUMMARIES]
# The window of local-m moves the other way.
POINTERS = [name for name in FOLLOWERS if name != "luong_local_m"]
# The location score must know the place without seeing the source, and spreads its weight over neighbours.
NEIGHBOURS = {"luong_location": 1}

# Its gradient is that of single draws: with longer steps, it takes one symbol of a run for the next.
SHORTER_STEPS = {"hard": ["training.lr=5e-4", "training.epochs=12"]}

OPTIONS = {
    "heads": ("luong_concat_paper", ["model.attention.score=additive", "model.attention.heads=4"]),
    # Its weights begin flatter than the dot's, and need longer steps to become sharp.
    "scaled_dot": ("luong_dot", ["model.attention.score=scaled_dot", "training.lr=2e-3", "training.epochs=10"]),
    "deep": (
        "luong_general",
        [
            *("model.encoder.cell=gru", "model.encoder.directions=summed", "model.encoder.layers=3"),
            *("model.encoder.residual=true", "model.bridge=linear", "model.decoder.cell=gru", "model.decoder.layers=2"),
        ],
    ),
    "tied": ("luong_concat_paper", ["model.tied_embeddings=target"]),
    "scheduled": (
        "luong_general",
        [
            "training.teacher_forcing_unit=token",
            *("training.teacher_forcing_decay=inverse_sigmoid", "training.teacher_forcing_half=1000"),
        ],
    ),
}
"""What no shipped model has, on one that comes near it."""

TASKS: dict[str, Callable[[str], str]] = {"copy": str, "reverse": reversed_words}
SETTINGS = [
    *(f"model.{side}.{size}=128" for side in ("encoder", "decoder") for size in ("hidden_size", "embedding_size")),
    *("training.batch_size=32", "training.batch_unit=sentence", "training.teacher_forcing=1.0"),
    # With longer steps all is learned sooner, but the state of the word before is looked at as often as its own.
    *("training.lr=1e-3", "training.schedule=cosine", "training.warmup_steps=100", "training.epochs=8"),
    "training.device=cpu",
]


@pytest.fixture(scope="module", params=TASKS)
def task(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def long(task: str, tmp_path_factory: pytest.TempPathFactory) -> PreparedCorpus:
    return corpus(tmp_path_factory.mktemp("long"), task, longest=10)


@pytest.fixture(scope="module")
def short(task: str, tmp_path_factory: pytest.TempPathFactory) -> PreparedCorpus:
    return corpus(tmp_path_factory.mktemp("short"), task, longest=6)


def corpus(folder: Path, task: str, *, longest: int) -> PreparedCorpus:
    sequences = symbol_sequences(16_000, shortest=3, longest=longest)
    return prepared(folder, [(sequence, TASKS[task](sequence)) for sequence in sequences])


def learned(
    name: str, corpus: PreparedCorpus, folder: Path, options: Sequence[str] = ()
) -> tuple[list[Translation], list[str]]:
    """Translations of the test split by the shipped model of that name, and what they should be."""
    config = resolve_config(load_config(name, [*SETTINGS, *options]), corpus)
    session = started(folder / name, config, corpus)
    for _ in session.train():
        pass
    sources, targets = zip(*corpus.sentences("test"), strict=True)
    return load_translator(session.run, torch.device("cpu")).translate(sources), list(targets)


def share_right(translations: Sequence[Translation], targets: Sequence[str]) -> float:
    assert len(targets) > 500
    right = [t.text.split() == target.split() for t, target in zip(translations, targets, strict=True)]
    return float(np.mean(right))


def share_of_looks_at_the_symbol(translations: Sequence[Translation], task: str, *, within: int) -> float:
    """How many symbols are written while looking at their own place more than at other symbols, or near it.

    <eos> is left out: when it is read, the last symbol is still fresh, and the state there serves for it as well.
    """
    looks: list[bool] = []
    for translation in translations:
        length = len(translation.src_tokens) - 1
        places = range(length) if task == "copy" else range(length - 1, -1, -1)
        where = translation.weights[:length, :length].argmax(axis=1)
        looks += [abs(place - looked) <= within for place, looked in zip(places, where.tolist(), strict=False)]
    return float(np.mean(looks))


@pytest.mark.parametrize("name", FOLLOWERS)
def test_learns_the_task_and_looks_where_the_symbol_is(
    name: str, task: str, long: PreparedCorpus, tmp_path: Path
) -> None:
    translations, targets = learned(name, long, tmp_path, SHORTER_STEPS.get(name, []))
    assert share_right(translations, targets) >= 0.99
    if name in POINTERS and task == "reverse":
        assert share_of_looks_at_the_symbol(translations, task, within=NEIGHBOURS.get(name, 0)) >= 0.95


@pytest.mark.parametrize("name", SUMMARIES)
def test_a_summary_is_enough_for_short_sequences(name: str, short: PreparedCorpus, tmp_path: Path) -> None:
    translations, targets = learned(name, short, tmp_path)
    assert share_right(translations, targets) >= 0.9


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_learns_to_reverse(option: str, tmp_path: Path) -> None:
    name, options = OPTIONS[option]
    translations, targets = learned(name, corpus(tmp_path, "reverse", longest=10), tmp_path, options)
    assert share_right(translations, targets) >= 0.99
