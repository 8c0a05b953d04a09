"""A prepared folder that is replaced, removed or written to while a training reads it."""

import logging
import os
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest
import torch

from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.errors import PreparedFolderError
from seq2seq_cli.preparation.prepare import prepare
from seq2seq_cli.training.events import Saved, Validated
from seq2seq_cli.training.session import Session
from tests.corpora import write_reversals
from tests.tiny import started, tiny_config


@pytest.fixture
def corpus(tmp_path: Path) -> PreparedCorpus:
    write_reversals(tmp_path / "pairs.txt")
    prepare(tmp_path / "pairs.txt", out=tmp_path / "prepared")
    return PreparedCorpus.open(tmp_path / "prepared")


def weights_after(session: Session, changes: Sequence[Callable[[], None]] = ()) -> dict[str, torch.Tensor]:
    """The weights after all epochs; each change is made at the beginning of another epoch."""
    made = iter(changes)
    for event in session.train():
        if isinstance(event, Saved) and (change := next(made, None)):
            change()
    return session.state.model.state_dict()


def replace_corpus(folder: Path) -> None:
    other = folder.with_name("other.txt")
    other.write_text("".join(f"{n} a b\tb a {n}\n" for n in range(1000)), encoding="utf-8")
    prepare(other, out=folder, overwrite=True)


def cut_every_file(folder: Path) -> None:
    for file in folder.glob("train.*"):
        os.truncate(file, 0)


def test_a_training_goes_on_with_the_corpus_that_it_opened_and_says_so(
    corpus: PreparedCorpus, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    config = tiny_config(corpus)
    undisturbed = weights_after(started(tmp_path / "undisturbed", config, corpus))
    assert not caplog.records
    changes = [partial(change, corpus.path) for change in (cut_every_file, replace_corpus, shutil.rmtree)]
    with caplog.at_level(logging.WARNING):
        disturbed = weights_after(started(tmp_path / "run", config, corpus), changes)
    assert all(torch.equal(disturbed[name], undisturbed[name]) for name in undisturbed)
    (told,) = caplog.messages
    assert str(corpus.path) in told
    assert "changed, replaced or removed" in told


def test_a_large_corpus_that_is_cut_under_a_training_ends_it_in_words(
    corpus: PreparedCorpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("seq2seq_cli.corpus.prepared.MOST_IN_MEMORY", 0)
    large = PreparedCorpus.open(corpus.path)
    session = started(tmp_path / "run", tiny_config(large), large)
    events = session.train()
    next(event for event in events if isinstance(event, Validated))
    cut_every_file(corpus.path)
    with pytest.raises(PreparedFolderError) as raised:
        list(events)
    assert "changed since it was opened: prepare the same corpus again" in str(raised.value)
    assert "last/training.pt is kept. Go on with: s2s train --resume --out" in str(raised.value)
    assert (session.state.progress.epoch, session.run.best_path.is_file()) == (1, True)
