"""A training with what helps: each epoch has a share of it."""

import math
from pathlib import Path

import pytest

from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.errors import UsageError
from seq2seq_cli.preparation.pipeline import prepare
from seq2seq_cli.training.events import Step
from seq2seq_cli.training.run import train_session
from tests.corpora import reversed_words, symbol_sequences
from tests.tiny import check_resumed, resumed, started, stop_after, tiny_config

ANY_HELP = "training.help.least_covered=0"
FIVE_EPOCHS = (ANY_HELP, "training.epochs=5", "training.help.own_share=0.5")


@pytest.fixture(scope="module")
def helped(tmp_path_factory: pytest.TempPathFactory) -> PreparedCorpus:
    """Sixty sequences and their reversals, four hundred of a related language, and as many of the target's."""
    folder = tmp_path_factory.mktemp("helped")
    sequences = symbol_sequences(860, shortest=3, longest=6)
    lines = {
        "own.txt": [f"{each}\t{reversed_words(each)}" for each in sequences[:60]],
        "related.txt": [f"{each}\t{reversed_words(each)}" for each in sequences[60:460]],
        "text.txt": sequences[460:],
    }
    for name, texts in lines.items():
        (folder / name).write_text("\n".join(texts), encoding="utf-8")
    report = prepare(
        folder / "own.txt",
        out=folder / "prepared",
        languages="en-de",
        related=[f"{folder / 'related.txt'}:fr-de"],
        tgt_only=[folder / "text.txt"],
        overrides=["text.unit=word", "text.shared_vocabulary=true"],
    )
    return PreparedCorpus.open(report.out)


def test_each_epoch_has_a_share_of_what_helps(helped: PreparedCorpus, tmp_path: Path) -> None:
    session = started(tmp_path / "run", tiny_config(helped, *FIVE_EPOCHS), helped)
    progress = session.state.progress
    steps = (event for event in train_session(session) if isinstance(event, Step))
    batches = {step.epoch: progress.batches for step in steps}
    both = math.ceil(2 * len(helped.split("train")) / 16)
    assert len(batches) == 5
    assert {*batches.values()} <= {both - 1, both}  # what helps is of whole pairs, and ends below its share


@pytest.mark.parametrize("stop", [5, 17])
def test_a_training_with_help_is_resumed_bit_for_bit(helped: PreparedCorpus, tmp_path: Path, stop: int) -> None:
    check_resumed(tmp_path, tiny_config(helped, *FIVE_EPOCHS), helped, stop)


def test_each_token_of_a_source_that_helps_has_a_place(tmp_path: Path) -> None:
    lines = {"own.txt": [f"a b {n}\tc d {n}" for n in range(40)], "related.txt": ["a " * 30 + "\t" + "c " * 30]}
    for name, texts in lines.items():
        (tmp_path / name).write_text("\n".join(texts), encoding="utf-8")
    related, overrides = [f"{tmp_path / 'related.txt'}:fr-de"], ["text.unit=word", "data.valid_sources=0"]
    report = prepare(
        tmp_path / "own.txt", out=tmp_path / "out", languages="en-de", related=related, overrides=overrides
    )
    corpus = PreparedCorpus.open(report.out)
    with pytest.raises(UsageError, match="whose longest source has 31 tokens"):
        tiny_config(corpus, "model.attention.score=location", "model.attention.max_length=5")


@pytest.mark.parametrize("change", ["own_share=0.25", "least_covered=1"])
def test_another_choice_of_pairs_begins_the_epoch_anew(helped: PreparedCorpus, tmp_path: Path, change: str) -> None:
    session = started(tmp_path / "run", tiny_config(helped, *FIVE_EPOCHS), helped)
    stop_after(session, 2)
    other = tiny_config(helped, *FIVE_EPOCHS, f"training.help.{change}")
    session = resumed(session.run, other, helped)
    assert any(isinstance(event, Step) for event in train_session(session))
    assert session.state.progress.position == 1
