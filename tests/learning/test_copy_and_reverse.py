"""Each shipped model learns to copy and to reverse unseen sequences, and attends to the right symbols."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from seq2seq_cli.config.catalog import GROUPS, list_configs
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.decoding.translation import SentenceTranslation
from tests.corpora import prepared, reversed_words, symbol_sequences
from tests.learning.conftest import SMALL_BATCHES
from tests.tiny import trained

pytestmark = pytest.mark.slow

MODELS = [entry.name for entry in list_configs() if entry.group in GROUPS[1:5]]
SUMMARIES = ("no_attention", "no_attention_cho", "bilstm_linear", "state_free")
"""The models with the same summary of the source at every step, or none: a sentence has to fit into a fixed size."""
FOLLOWERS = [name for name in MODELS if name not in SUMMARIES]
# The window of local-m moves the other way.
POINTERS = [name for name in FOLLOWERS if name != "luong_local_m"]
# The location score predicts the position without the source, and spreads its weight over neighbours.
NEIGHBOURS = {"luong_location": 1}

# Its gradient comes from single draws: with longer steps, it confuses repeated symbols.
SHORTER_STEPS = {"hard": ["training.lr=5e-4", "training.epochs=12"]}

OPTIONS = {
    # Its first weights are flatter than the dot's, and need longer steps to become sharp.
    "scaled_dot": ("luong_dot", ["model.attention.score=scaled_dot", "training.lr=2e-3", "training.epochs=10"]),
    "deep": (
        "luong_general",
        [
            *("model.encoder.cell=gru", "model.encoder.directions=summed", "model.encoder.layers=3"),
            *("model.bridge=linear", "model.decoder.cell=gru", "model.decoder.layers=2"),
        ],
    ),
    "tied": ("luong_concat_paper", ["model.tied_embeddings=target"]),
    "scheduled": ("luong_general", ["training.scheduled_sampling=1000"]),
}
"""Options that no shipped model has, on a similar model."""

TASKS: dict[str, Callable[[str], str]] = {"copy": str, "reverse": reversed_words}
SETTINGS = [
    *SMALL_BATCHES,
    *("model.encoder.embedding_size=128", "model.encoder.hidden_size=64"),  # in each direction
    *("model.decoder.embedding_size=128", "model.decoder.hidden_size=128"),
    *("training.label_smoothing=0.0", "training.teacher_forcing=1.0"),
    # Longer steps learn sooner, but attend to the state of the word before as often as to the word's own.
    *("training.lr=1e-3", "training.schedule=cosine", "training.warmup_steps=100", "training.epochs=8"),
]


@pytest.fixture(scope="module", params=TASKS)
def task(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def long(task: str, tmp_path_factory: pytest.TempPathFactory) -> PreparedCorpus:
    return corpus(tmp_path_factory.mktemp("long"), task)


def corpus(folder: Path, task: str, *, longest: int = 10) -> PreparedCorpus:
    sequences = symbol_sequences(16_000, shortest=3, longest=longest)
    return prepared(folder, [(sequence, TASKS[task](sequence)) for sequence in sequences])


def learned(
    name: str, corpus: PreparedCorpus, folder: Path, options: Sequence[str] = ()
) -> tuple[list[SentenceTranslation], list[str]]:
    """Translations of the test split by the shipped model of that name, and the references."""
    translator = trained(folder / name, name, [*SETTINGS, *options], corpus)
    sources, targets = zip(*corpus.sentences("test"), strict=True)
    return [t.sentences[0] for t in translator.translate(sources)], list(targets)


def accuracy(translations: Sequence[SentenceTranslation], targets: Sequence[str]) -> float:
    assert len(targets) > 500
    right = [t.text.split() == target.split() for t, target in zip(translations, targets, strict=True)]
    return float(np.mean(right))


def alignment_accuracy(translations: Sequence[SentenceTranslation], task: str, *, within: int) -> float:
    """The fraction of symbols written with most attention at their own position, or `within` so many of it.

    <eos> is left out: the state at it also holds the last symbol, and may get the attention instead.
    """
    aligned: list[bool] = []
    for translation in translations:
        length = len(translation.src_tokens) - 1
        positions = range(length) if task == "copy" else range(length - 1, -1, -1)
        attended = translation.weights[:length, :length].argmax(axis=1)
        aligned += [abs(a - b) <= within for a, b in zip(positions, attended.tolist(), strict=False)]
    return float(np.mean(aligned))


@pytest.mark.parametrize("name", FOLLOWERS)
def test_learns_the_task_and_attends_to_the_symbol(name: str, task: str, long: PreparedCorpus, tmp_path: Path) -> None:
    translations, targets = learned(name, long, tmp_path, SHORTER_STEPS.get(name, []))
    assert accuracy(translations, targets) >= 0.99
    if name in POINTERS and task == "reverse":
        assert alignment_accuracy(translations, task, within=NEIGHBOURS.get(name, 0)) >= 0.95


@pytest.mark.parametrize("name", SUMMARIES)
def test_a_summary_is_enough_for_short_sequences(name: str, task: str, tmp_path: Path) -> None:
    translations, targets = learned(name, corpus(tmp_path, task, longest=6), tmp_path)
    assert accuracy(translations, targets) >= 0.9


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_learns_to_reverse(option: str, tmp_path: Path) -> None:
    name, options = OPTIONS[option]
    translations, targets = learned(name, corpus(tmp_path, "reverse"), tmp_path, options)
    assert accuracy(translations, targets) >= 0.99


def test_a_monotonic_window_smaller_than_the_sequence_is_enough_to_copy(tmp_path: Path) -> None:
    window = 2
    sequences = corpus(tmp_path, "copy")
    options = [f"model.attention.window={window}"]
    translations, targets = learned("luong_local_m", sequences, tmp_path, options)

    assert accuracy(translations, targets) >= 0.99
    assert alignment_accuracy(translations, "copy", within=0) >= 0.95
    for translation in translations:
        words, places = np.nonzero(translation.weights)
        assert (np.abs(words - places) <= window).all()
