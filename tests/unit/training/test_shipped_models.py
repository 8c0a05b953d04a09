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
from seq2seq_cli.training.events import Step, Validated
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


@pytest.mark.parametrize("name", NAMES)
def test_each_shipped_config_trains_and_translates(name: str, corpus: PreparedCorpus, tmp_path: Path) -> None:
    config = resolve_config(
        load_config(
            name,
            [*TINY, *tiny_sizes(name), "training.epochs=1", "training.batch_unit=sentence", "training.batch_size=64"],
        ),
        corpus,
    )
    session = started(tmp_path / name, config, corpus)

    events = list(train_session(session))

    losses = [event.loss for event in events if isinstance(event, Step)]
    assert torch.tensor(losses).isfinite().all()
    assert any(isinstance(event, Validated) and event.is_best for event in events)
    assert config.model.in_words in model_card(session, report(session))
    translation = load_translator(session.run).translate(["a b c"])[0].sentences[0]
    assert translation.weights.shape == (len(translation.tgt_tokens), 4)


@pytest.mark.parametrize("name", WHOLE_JOBS)
def test_jobs_with_data_and_text_of_their_own_train_on_what_they_have_prepared(name: str, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.txt"
    write_reversals(pairs)
    settings = [*TINY, *tiny_sizes(name), "training.epochs=1", "training.batch_size=64"]
    prepare(pairs, out=tmp_path / "prepared", config=name, overrides=settings)
    corpus = PreparedCorpus.open(tmp_path / "prepared")
    session = started(tmp_path / "run", resolve_config(load_config(name, settings), corpus), corpus)
    losses = [event.loss for event in train_session(session) if isinstance(event, Step)]
    assert torch.tensor(losses).isfinite().all()
    sentence = load_translator(session.run).translate(["a b c"])[0].sentences[0]
    assert math.isfinite(sentence.log_probability)
