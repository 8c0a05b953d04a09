"""What many unit tests begin with: a pair file, a small corpus, a config, a place for a run."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.training.events import Event
from seq2seq_cli.training.run import train_session
from seq2seq_cli.training.session import Session
from tests.corpora import pair_lines, prepared, reversed_words, symbol_sequences, write_lines
from tests.tiny import started, tiny_config


@pytest.fixture
def pair_file(tmp_path: Path) -> Path:
    """300 pairs."""
    return write_lines(tmp_path / "deu.txt", pair_lines(300))


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> PreparedCorpus:
    """Two hundred sequences and their reversals, some held out."""
    sequences = symbol_sequences(200, shortest=3, longest=6)
    return prepared(tmp_path_factory.mktemp("corpus"), [(s, reversed_words(s)) for s in sequences])


@pytest.fixture
def config(corpus: PreparedCorpus) -> Config:
    return tiny_config(corpus)


@dataclass(frozen=True)
class Whole:
    """A training from its start to its end."""

    session: Session
    events: Sequence[Event]


@pytest.fixture(scope="session")
def whole(corpus: PreparedCorpus, tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """That of the corpus with the config; its run is not to be changed."""
    session = started(tmp_path_factory.mktemp("whole") / "run", tiny_config(corpus), corpus)
    return Whole(session, list(train_session(session)))


@pytest.fixture
def origin(whole: Whole, tmp_path: Path) -> RunFolder:
    """A copy of its run, which may be changed."""
    return RunFolder(shutil.copytree(whole.session.run.path, tmp_path / "old"))


@pytest.fixture
def run_path(tmp_path: Path) -> Path:
    return tmp_path / "runs" / "tiny"
