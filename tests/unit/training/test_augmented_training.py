"""Training on changed pairs: stopped and resumed equals never stopped."""

from pathlib import Path

import pytest

from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.errors import UsageError
from seq2seq_cli.training.events import Step
from seq2seq_cli.training.run import train_session
from tests.corpora import prepared, reversed_words, symbol_sequences
from tests.tiny import EXACT, check_resumed, started, tiny_config

NOISE = ("training.augmentation.joined=0.5", "training.bpe_dropout=0.3")


@pytest.fixture(scope="module")
def subwords(tmp_path_factory: pytest.TempPathFactory) -> PreparedCorpus:
    """A corpus with subwords in which both sides have the same words, of four letters."""
    sequences = [" ".join(f"{s}o{s}e" for s in each.split()) for each in symbol_sequences(120, shortest=2, longest=4)]
    folder = tmp_path_factory.mktemp("subwords")
    return prepared(folder, [(s, reversed_words(s)) for s in sequences], ["text.unit=bpe"])


def test_stopped_and_resumed_equals_never_stopped(subwords: PreparedCorpus, tmp_path: Path) -> None:
    check_resumed(tmp_path, tiny_config(subwords, *NOISE, "training.epochs=2"), subwords, 5)


def test_training_pairs_change(subwords: PreparedCorpus, tmp_path: Path) -> None:
    plain = started(tmp_path / "plain", tiny_config(subwords, *EXACT, "training.augmentation.enabled=false"), subwords)
    noisy = started(tmp_path / "noisy", tiny_config(subwords, *EXACT, *NOISE), subwords)
    first, other = (next(event.loss for event in train_session(s) if isinstance(event, Step)) for s in (plain, noisy))
    assert first != other


def test_bpe_dropout_without_subwords_is_refused(corpus: PreparedCorpus) -> None:
    with pytest.raises(UsageError, match=r"training\.bpe_dropout is 0\.1, .* text\.unit word: .*text\.unit=bpe"):
        tiny_config(corpus, "training.bpe_dropout=0.1")
