"""A tiny model of everything, on the CPU."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import torch

from seq2seq_cli.config.loader import load_config, overridden_keys
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.decoding.load import load_translator
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.learning.training_state import TrainingState, fresh_state
from seq2seq_cli.model.build import build_model
from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.writer import RunWriter
from seq2seq_cli.training.events import Step
from seq2seq_cli.training.plan import Options, Plan, Planned, make_plan
from seq2seq_cli.training.resolve import resolve_config
from seq2seq_cli.training.run import train_session
from seq2seq_cli.training.session import Session, create_run, open_session

CPU = torch.device("cpu")

TINY = [
    *(f"model.{side}.{size}" for side in ("encoder", "decoder") for size in ("embedding_size=8", "hidden_size=12")),
    "model.encoder.dropout=0.1",
    "model.decoder.dropout=0.2",
    "training.epochs=3",
    "training.batch_size=16",
    "training.batch_unit=sentence",
    "training.precision=fp32",
    "training.device=cpu",
    "decoding.max_length_extra=2",  # untrained, they write as much as they may
]


EXACT = ("model.encoder.dropout=0.0", "model.decoder.dropout=0.0", "training.teacher_forcing=1.0")
"""Nothing is drawn at random: two routes come to the same."""


def tiny_sizes(name: str) -> list[str]:
    """Overrides that make a shipped config tiny; memory states have the size of decoder states, as some scores need."""
    in_each = 6 if load_config(name).model.encoder.directions == "joined" else 12
    encoder = f"model.encoder.hidden_size={in_each}", "model.encoder.embedding_size=12"
    return [*encoder, "model.decoder.hidden_size=12", "model.decoder.embedding_size=12"]


def tiny_config(corpus: PreparedCorpus, *overrides: str) -> Config:
    return resolve_config(load_config(None, [*TINY, *overrides]), corpus, overridden=overridden_keys(overrides))


def tiny_model(*overrides: str) -> Seq2Seq:
    """A model for two vocabularies of twelve words, without a corpus."""
    torch.manual_seed(1)
    return build_model(load_config(None, [*TINY, *overrides]).model, src_size=12, tgt_size=12)


def fresh_tiny(corpus: PreparedCorpus, config: Config) -> TrainingState:
    torch.manual_seed(1)
    sizes = {"src_size": len(corpus.codec("src").vocabulary), "tgt_size": len(corpus.codec("tgt").vocabulary)}
    return fresh_state(build_model(config.model, **sizes), config.training, "fp32")


def planned(options: Options) -> Planned:
    """The plan of a training run, whose lock is given back, and its corpus."""
    with ExitStack() as held:
        return make_plan(options, locks=held)


def started(path: Path, config: Config, corpus: PreparedCorpus, **options: Any) -> Session:
    """A new run on the CPU, whose lock is given back; `options` are those of a plan."""
    with ExitStack() as held:
        return open_session(Plan(path=path, config=config, **options), corpus, locks=held)


def trained(path: Path, name: str, settings: Sequence[str], corpus: PreparedCorpus) -> Translator:
    """The translator of a shipped config with these settings, trained to its end."""
    session = started(path, resolve_config(load_config(name, settings), corpus), corpus)
    list(train_session(session))
    return load_translator(session.run)


def stop_after(session: Session, step: int) -> None:
    """As a kill does: the generator is dropped in the middle, and nothing more is saved."""
    for event in train_session(session):
        if isinstance(event, Step) and event.step == step:
            session.run.save_last(session.state.checkpoint())
            return


def resumed(run: RunFolder, config: Config, corpus: PreparedCorpus) -> Session:
    """A run as it was saved last, on the CPU."""
    provenance = run.provenance()
    init_from = Path(provenance.init_from) if provenance.init_from else None
    plan = Plan(path=run.path, config=config, resumed=provenance, init_from=init_from)
    return open_session(plan, corpus, locks=ExitStack())


def check_resumed(folder: Path, config: Config, corpus: PreparedCorpus, stop: int) -> None:
    """A run that was stopped and resumed has the weights of one that was not, bit for bit."""
    whole = started(folder / "whole", config, corpus)
    list(train_session(whole))
    parts = started(folder / "parts", config, corpus)
    stop_after(parts, stop)
    torch.manual_seed(999)  # another process starts from anywhere
    parts = resumed(parts.run, config, corpus)
    list(train_session(parts))
    for name, parameter in whole.state.model.state_dict().items():
        assert torch.equal(parameter, parts.state.model.state_dict()[name]), name


def created(path: Path, config: Config, corpus: PreparedCorpus, *, overwrite: bool = False) -> RunWriter:
    """A new run folder, whose lock is given back."""
    with ExitStack() as held:
        return create_run(Plan(path=path, config=config, overwrite=overwrite), corpus, held)
