"""Every shipped model, in small, goes the whole way: trained, kept, loaded, translating."""

import math
from pathlib import Path

import pytest
import torch

from seq2seq_cli.config.catalog import GROUPS, list_configs
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.decoding.load import load_translator
from seq2seq_cli.preparation.pipeline import prepare
from seq2seq_cli.training.events import Step
from seq2seq_cli.training.report import model_card, report
from seq2seq_cli.training.resolve import resolve_config
from seq2seq_cli.training.run import train_session
from tests.corpora import write_reversals
from tests.tiny import TINY, started, tiny_sizes

# The others have data or text of their own.
NAMES = [entry.name for entry in list_configs() if entry.group in GROUPS[1:5] or entry.name == "sample"]
PAPERS = [entry.name for entry in list_configs() if entry.name.startswith("papers/")]
WHOLE_JOBS = [
    "quick",
    *(pytest.param(name, marks=pytest.mark.slow if "cho2014" not in name else ()) for name in PAPERS),
]


def settings(name: str) -> list[str]:
    return [*TINY, *tiny_sizes(name), "training.epochs=1", "training.batch_size=64"]


def check(name: str, corpus: PreparedCorpus, folder: Path) -> None:
    """A run of the config can be trained, described, loaded and used to translate."""
    config = resolve_config(load_config(name, settings(name)), corpus)
    session = started(folder / "run", config, corpus)
    losses = [event.loss for event in train_session(session) if isinstance(event, Step)]
    assert torch.tensor(losses).isfinite().all()
    assert config.model.in_words in model_card(session, report(session))
    sentence = load_translator(session.run).translate(["a b c"])[0].sentences[0]
    assert math.isfinite(sentence.log_probability)
    assert sentence.weights.shape == (len(sentence.tgt_tokens), len(sentence.src_tokens))


@pytest.mark.parametrize("name", NAMES)
def test_each_shipped_config_trains_and_translates(name: str, corpus: PreparedCorpus, tmp_path: Path) -> None:
    check(name, corpus, tmp_path)


@pytest.mark.parametrize("name", WHOLE_JOBS)
def test_jobs_with_data_and_text_of_their_own_train_on_what_they_have_prepared(name: str, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.txt"
    write_reversals(pairs)
    prepare(pairs, out=tmp_path / "prepared", config=name, overrides=settings(name))
    check(name, PreparedCorpus.open(tmp_path / "prepared"), tmp_path)
