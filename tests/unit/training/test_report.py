"""What a run holds at its end, and what it holds when the end fails."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.counts import duration
from seq2seq_cli.errors import ModelFileError, TrainingError
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.writer import RunWriter
from seq2seq_cli.training.report import finish, make_ready, model_card
from seq2seq_cli.training.run import train_session
from seq2seq_cli.training.session import Session
from tests.tiny import resumed


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0 s"), (41.7, "42 s"), (99.0, "99 s"), (150.0, "2.5 minutes")])
def test_a_duration_is_told_in_the_unit_that_reads_best(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.fixture
def session(origin: RunFolder, config: Config, corpus: PreparedCorpus) -> Session:
    """A run that is trained, but for its report."""
    return resumed(origin, config, corpus)


def test_best_weights_and_card_are_there_when_the_test_fails_and_it_can_be_repeated(session: Session) -> None:
    card, codec = session.run.path / "README.md", session.run.path / "codec" / "src.json"
    before = codec.read_bytes()
    os.truncate(codec, 5)
    with pytest.raises(TrainingError) as raised:
        finish(*make_ready(session))
    for words in ("its best weights are saved", "src.json: damaged", "s2s train --resume --out"):
        assert words in str(raised.value)
    assert session.run.read_best()
    assert "BLEU on the test split: not scored yet" in card.read_text(encoding="utf-8")
    assert "3 epochs, " in card.read_text(encoding="utf-8")

    codec.write_bytes(before)
    again = resumed(session.run, session.config, session.corpus)
    list(train_session(again))
    assert finish(*make_ready(again)).test
    assert "BLEU on the test split, beam" in card.read_text(encoding="utf-8")


def test_the_verdict_does_not_need_the_corpus_any_more(session: Session, tmp_path: Path) -> None:
    corpus = PreparedCorpus.open(shutil.copytree(session.corpus.path, tmp_path / "prepared"))
    session = replace(session, corpus=corpus)
    with_counts = finish(*make_ready(session)).verdict
    (corpus.path / "train.tgt.txt").unlink()
    without = finish(*make_ready(session)).verdict
    assert with_counts
    assert without
    assert with_counts[0] == without[0]
    assert (" in training)" in str(with_counts), " in training)" in str(without)) == (True, False)


def test_what_the_end_needs_is_checked_when_a_run_is_resumed(session: Session) -> None:
    session.run.best_path.unlink()
    with pytest.raises(ModelFileError, match=r"model\.safetensors: missing: the weights of epoch [123]: restore them"):
        resumed(session.run, session.config, session.corpus)


def test_the_card_of_the_working_directory_has_its_name(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(session.run.path)
    card = model_card(replace(session, run=RunWriter(Path())))
    assert "# old: " in card


def test_the_card_of_a_model_without_attention_does_not_claim_one(session: Session) -> None:
    plan = replace(session.plan, config=session.config.with_value("model.attention.score", "none"))
    assert "translator with attention, trained" in model_card(session)
    assert "translator, trained" in model_card(replace(session, plan=plan))
