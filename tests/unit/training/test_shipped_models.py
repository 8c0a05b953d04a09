"""Every shipped model, in small, goes the whole way: trained, kept, loaded, translating."""

import math
from pathlib import Path

import pytest
import torch

from seq2seq_cli.config.catalog import MODEL_GROUPS, list_configs
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.corpus.batches import Batch
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.decoding.engines.open_engine import load_model
from seq2seq_cli.decoding.load import load_translator
from seq2seq_cli.learning.state import fresh_state
from seq2seq_cli.learning.update import Updater
from seq2seq_cli.model.build import build_model
from seq2seq_cli.preparation.prepare import prepare
from seq2seq_cli.text.vocabulary import BOS, EOS, PAD
from seq2seq_cli.training.events import Step, Validated
from seq2seq_cli.training.report import model_card, report
from seq2seq_cli.training.resolve import resolve_config
from seq2seq_cli.training.run import train_session
from tests.corpora import prepared, reversed_words, symbol_sequences, write_reversals
from tests.tiny import TINY, started, tiny_sizes

# The others have data or text of their own.
NAMES = [entry.name for entry in list_configs() if entry.group in MODEL_GROUPS or entry.name == "sample"]
PAPERS = [entry.name for entry in list_configs() if entry.name.startswith("papers/")]
SMALL_PAPERS = [pytest.param(name, marks=pytest.mark.slow if name != "papers/cho2014" else ()) for name in PAPERS]


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
    assert config.model.attention.in_words in model_card(session, report(session))
    translation = load_translator(session.run).translate(["a b c"])[0].sentences[0]
    assert translation.weights.shape == (len(translation.tgt_tokens), 4)


def test_the_quick_model_trains_on_what_it_has_prepared(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.txt"
    write_reversals(pairs)
    sizes = [f"model.{side}.{size}=8" for side in ("encoder", "decoder") for size in ("embedding_size", "hidden_size")]
    settings = [*sizes, "training.epochs=2", "training.device=cpu"]
    prepare(pairs, out=tmp_path / "prepared", config="quick", overrides=settings)
    corpus = PreparedCorpus.open(tmp_path / "prepared")

    session = started(tmp_path / "run", resolve_config(load_config("quick", settings), corpus), corpus)

    steps = [event for event in train_session(session) if isinstance(event, Step)]
    assert all(math.isfinite(step.loss) for step in steps)
    # It is still climbing: a training of so few pairs ends within its warm-up.
    assert [step.lr for step in steps] == sorted(step.lr for step in steps)
    assert (session.run.path / "best" / "model.safetensors").is_file()


@pytest.mark.parametrize("name", SMALL_PAPERS)
def test_the_papers_own_jobs_train_on_what_they_have_prepared(name: str, tmp_path: Path) -> None:
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


@pytest.mark.slow
@pytest.mark.parametrize("name", PAPERS)
def test_an_update_with_the_sizes_of_a_paper(name: str) -> None:
    """One update of the whole network, with all its words, on two pairs."""
    config = load_config(name)
    src_size, tgt_size = config.text.src.max_size, config.text.tgt.max_size
    assert isinstance(src_size, int)
    assert isinstance(tgt_size, int)
    torch.manual_seed(1)
    model = build_model(config.model, src_size=src_size, tgt_size=tgt_size)
    state = fresh_state(model, config.training, "fp32")
    target = torch.tensor([[7, tgt_size - 1, 5, EOS], [8, 9, 10, EOS]])
    batch = Batch(
        src=torch.tensor([[5, src_size - 1, EOS], [7, EOS, PAD]]),
        src_lengths=torch.tensor([3, 2]),
        tgt_in=torch.cat((torch.full((2, 1), BOS), target[:, :-1]), dim=1),
        tgt_out=target,
        tgt_lengths=torch.tensor([4, 4]),
    )
    model.train()
    before = model.output.weight[EOS].clone()

    update = Updater(state, config.training).update([batch], fraction_done=0.0)

    assert not update.skipped
    # Nothing is known yet: every word is about as likely as any other.
    assert update.loss == pytest.approx(math.log(tgt_size), rel=0.1)
    assert not torch.equal(model.output.weight[EOS], before)


def test_with_one_vocabulary_both_sides_and_the_output_share_a_matrix(tmp_path: Path) -> None:
    pairs = [(sequence, reversed_words(sequence)) for sequence in symbol_sequences(60, shortest=3, longest=5)]
    both = prepared(tmp_path, pairs, ["text.shared_vocabulary=true"])
    tied = ["model.tied_embeddings=all", "model.decoder.readout=attentional"]
    sizes = ["model.encoder.embedding_size=12", "model.decoder.embedding_size=12", "training.epochs=1"]
    config = resolve_config(load_config(None, [*TINY, *sizes, *tied]), both)
    session = started(tmp_path / "run", config, both)
    for _ in train_session(session):
        pass

    model = load_model(session.run, session.run.read_best())
    assert model.encoder.embedding.weight is model.decoder.embedding.weight is model.output.weight
    assert torch.equal(model.output.weight, session.state.model.encoder.embedding.weight)
