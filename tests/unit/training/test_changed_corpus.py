"""A prepared folder that is replaced, removed or written to while a training reads it."""

import os
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest
import torch

from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.files.whole_folder import is_held
from seq2seq_cli.preparation.pipeline import prepare
from seq2seq_cli.runs.layout import LOCK
from seq2seq_cli.training.events import Started, Validated
from seq2seq_cli.training.run import train_session
from seq2seq_cli.training.session import Session
from tests.commands import s2s_here
from tests.corpora import write_reversals
from tests.tiny import created, started, tiny_config


@pytest.fixture
def corpus(tmp_path: Path) -> PreparedCorpus:
    write_reversals(tmp_path / "pairs.txt")
    prepare(tmp_path / "pairs.txt", out=tmp_path / "prepared")
    return PreparedCorpus.open(tmp_path / "prepared")


def weights_after(session: Session, changes: Sequence[Callable[[], None]] = ()) -> dict[str, torch.Tensor]:
    """The weights after all epochs; each change is made at the beginning of another epoch."""
    made = iter(changes)
    for event in train_session(session):
        if isinstance(event, Started | Validated) and (change := next(made, None)):
            change()
    return session.state.model.state_dict()


def replace_corpus(folder: Path) -> None:
    other = folder.with_name("other.txt")
    other.write_text("".join(f"{n} a b\tb a {n}\n" for n in range(1000)), encoding="utf-8")
    prepare(other, out=folder, overwrite=True)


def cut_every_file(folder: Path) -> None:
    for file in folder.glob("train.*"):
        os.truncate(file, 0)


def test_a_training_goes_on_with_the_corpus_that_it_opened(corpus: PreparedCorpus, tmp_path: Path) -> None:
    config = tiny_config(corpus)
    undisturbed = weights_after(started(tmp_path / "undisturbed", config, corpus))
    changes = [partial(change, corpus.path) for change in (cut_every_file, replace_corpus, shutil.rmtree)]
    disturbed = weights_after(started(tmp_path / "run", config, corpus), changes)
    assert all(torch.equal(disturbed[name], undisturbed[name]) for name in undisturbed)


def test_a_damaged_test_split_is_refused_before_anything_is_trained(corpus: PreparedCorpus, tmp_path: Path) -> None:
    texts = corpus.path / "test.src.txt"
    texts.write_bytes(b"\xff" + texts.read_bytes()[1:])
    done = s2s_here(tmp_path, "train", "--data", "prepared", "--set", "training.epochs=1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "s2s: error: prepared/test.src.txt: damaged: prepare again with --overwrite\n"
    assert not (tmp_path / "runs").exists()


def test_a_run_is_not_resumed_with_another_corpus_or_what_replaced_its_own(
    corpus: PreparedCorpus, tmp_path: Path
) -> None:
    run, another = created(tmp_path / "run", tiny_config(corpus), corpus), tmp_path / "another"
    resume = ["train", "--resume", "--out", "run"]
    for folder, command in ((another, [*resume, "--data", str(another)]), (corpus.path, resume)):
        replace_corpus(folder)  # the run's own corpus is as it was in the first case
        done = s2s_here(tmp_path, *command)
        assert done.returncode == 2
        assert f"{folder}: not the corpus that {run.path.name} was trained on" in done.stderr
        assert "prepare that corpus again, or train a new run with --out" in done.stderr
        assert not is_held(run.path / LOCK)
