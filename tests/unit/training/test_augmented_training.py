"""Training on changed pairs: stopped and resumed equals never stopped, and what is held out stays as it is."""

from pathlib import Path

import pytest
import torch

from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.errors import UsageError
from seq2seq_cli.evaluation.held_out import read_references
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.training.events import Step
from seq2seq_cli.training.run import train_session
from seq2seq_cli.training.session import Session
from tests.corpora import prepared, reversed_words, symbol_sequences
from tests.tiny import resumed, started, tiny_config

NOISE = ("training.augmentation.joined=0.5", "training.bpe_dropout=0.3")


def words(sequence: str) -> str:
    """A word of four letters for each symbol."""
    return " ".join(f"{symbol}o{symbol}e" for symbol in sequence.split())


@pytest.fixture(scope="module")
def subwords(tmp_path_factory: pytest.TempPathFactory) -> PreparedCorpus:
    """A corpus with subwords in which both sides have the same words."""
    sequences = [words(sequence) for sequence in symbol_sequences(120, shortest=2, longest=4)]
    folder = tmp_path_factory.mktemp("subwords")
    return prepared(folder, [(s, reversed_words(s)) for s in sequences], ["text.unit=bpe"])


def losses(session: Session) -> list[float]:
    return [event.loss for event in train_session(session) if isinstance(event, Step)]


def test_stopped_and_resumed_equals_never_stopped(subwords: PreparedCorpus, tmp_path: Path) -> None:
    config = tiny_config(subwords, *NOISE, "training.epochs=2")
    whole = losses(started(tmp_path / "whole", config, subwords))
    session = started(tmp_path / "parts", config, subwords)
    for event in train_session(session):
        if isinstance(event, Step) and event.step == len(whole) // 2 - 1:
            session.run.save_last(session.state.checkpoint())
            break
    torch.manual_seed(999)  # another process starts from anywhere
    rest = losses(resumed(RunFolder(tmp_path / "parts"), config, subwords))
    assert rest == whole[len(whole) // 2 - 1 :]
    whole_weights, parts_weights = (
        (tmp_path / name / "best" / "model.safetensors").read_bytes() for name in ("whole", "parts")
    )
    assert parts_weights == whole_weights


def test_training_pairs_change_and_held_out_ones_do_not(subwords: PreparedCorpus, tmp_path: Path) -> None:
    off = tiny_config(subwords, "training.epochs=1", "training.augmentation.enabled=false")
    plain = started(tmp_path / "plain", off, subwords)
    noisy = started(tmp_path / "noisy", tiny_config(subwords, "training.epochs=1", *NOISE), subwords)
    before = [read_references(session.state.model, subwords, "valid")[0] for session in (plain, noisy)]
    assert before[0] == before[1]
    first, other = (next(event.loss for event in train_session(s) if isinstance(event, Step)) for s in (plain, noisy))
    assert first != other


def test_bpe_dropout_without_subwords_is_refused(corpus: PreparedCorpus) -> None:
    with pytest.raises(UsageError, match=r"training\.bpe_dropout is 0\.1, .* text\.unit word: .*text\.unit=bpe"):
        tiny_config(corpus, "training.bpe_dropout=0.1")
