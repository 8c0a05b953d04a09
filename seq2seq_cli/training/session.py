"""The session of a run: the run folder, its corpus and the state of its training, new or as it was saved last."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from seq2seq_cli.compute.device import choose_device, choose_precision
from seq2seq_cli.compute.process import is_out_of_memory, launch_name, memory_errors
from seq2seq_cli.compute.process_group import SINGLE, ProcessGroup
from seq2seq_cli.config.choices import Precision
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.corpus.prepared import ParallelIds, PreparedCorpus
from seq2seq_cli.corpus.splits import SPLITS
from seq2seq_cli.corpus.trained_sentences import TrainedSentences
from seq2seq_cli.decoding.similar.pairs import MOST_PAIRS, SimilarPairs
from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.learning.first_vectors import begin_with, vectors_of
from seq2seq_cli.learning.training_state import TrainingState, fresh_state
from seq2seq_cli.model.build import build_model, build_outline
from seq2seq_cli.runs.checkpoint import load_checkpoint
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import CORPUS, PAIR_FILES, TRAINED
from seq2seq_cli.runs.records import Provenance
from seq2seq_cli.runs.weights import Weights
from seq2seq_cli.runs.writer import METRICS_BYTES, RunWriter, check_name
from seq2seq_cli.text.sides import Codecs, load_codecs
from seq2seq_cli.training.feed import Mixture
from seq2seq_cli.training.loop import order_of_pairs
from seq2seq_cli.training.plan import Plan


@dataclass(frozen=True, kw_only=True)
class Session:
    """A run, its corpus, and the state of its training.

    Each process of a `group` has one, with the same state. The main process alone writes into the run folder.
    """

    plan: Plan
    run: RunWriter
    corpus: PreparedCorpus
    state: TrainingState
    group: ProcessGroup = SINGLE
    shared_units: str = ""
    """How many units the run to begin with has too, in words; empty where that is all or where there is none."""

    @property
    def config(self) -> Config:
        """The config, resolved against the corpus."""
        return self.plan.config


def open_session(plan: Plan, corpus: PreparedCorpus, *, locks: ExitStack, group: ProcessGroup = SINGLE) -> Session:
    """A new run, whose folder is made after all checks have passed, or the planned one as it was saved last.

    `locks` takes the lock of a new run. Raises UsageError when the folder holds what the plan does not allow to
    replace, and ModelFileError when the weights to begin with, or what was saved, do not fit the model, are missing or
    damaged.
    """
    training = plan.config.training
    device = group.on_all(lambda: choose_device(training.device, group))
    precision = group.on_main(lambda: choose_precision(training.precision, device))
    fresh = partial(_fresh_state, plan.config, corpus, device, precision)
    if plan.resumed:
        return _resume(plan, plan.resumed, corpus, fresh, group)
    origin = group.on_main(lambda: _read_origin(plan, corpus))
    is_replaced = origin is not None and not origin.in_words  # all vectors are the origin's
    vectors = group.on_main(lambda: None if is_replaced else _first_vectors(plan.config, corpus))
    state = group.on_all(lambda: fresh(origin, vectors))
    if not group.is_main:  # process 0 keeps the random state of the weights, as a single process does
        _seed(training.seed, 0, group)
    run = group.on_main(lambda: create_run(plan, corpus, locks))
    shared_units = origin.in_words if origin else ""
    return Session(plan=plan, run=run, corpus=corpus, state=state, group=group, shared_units=shared_units)


def _resume(
    plan: Plan, provenance: Provenance, corpus: PreparedCorpus, fresh: Callable[[], TrainingState], group: ProcessGroup
) -> Session:
    """A run in the state in which it was saved last; the config may differ from its saved one in how it trains."""
    run, training = RunWriter(plan.path), plan.config.training
    checkpoint = group.on_main(lambda: _read_checkpoint(run, plan.config, corpus))
    redraws = len(checkpoint["random"]) != group.size

    def restored() -> TrainingState:
        state = fresh()
        restore_state(run, state, checkpoint, group)
        order = state.progress.order_settings
        if redraws or (order and order[2] != training.seed):
            _seed(training.seed, state.progress.step, group)
        if order != order_of_pairs(training):
            state.progress.restart_epoch()
        return state

    def update_run_folder() -> None:
        if epoch := state.progress.best_epoch:  # the end of the training needs them
            if not run.best_path.is_file():
                cure = "restore them, or train again with --overwrite"
                raise ModelFileError(f"{run.best_path}: missing: the weights of epoch {epoch}: {cure}")
            run.read_best()
        load_codecs(run.path)  # which its end needs too
        now = provenance.model_copy(update={"folder": str(corpus.path), "stated": sorted(plan.stated)})
        if now != provenance:  # the folder may have been moved since the run began
            check_name(corpus.path, "--data")
            run.write(CORPUS, now.content)
        run.cut_metrics(checkpoint[METRICS_BYTES])

    state = group.on_all(restored)
    group.on_main(update_run_folder)
    if redraws:
        told = "another number of processes than before: dropout and teacher forcing are drawn again"
        plan = replace(plan, changes=(*plan.changes, told))
    return Session(plan=plan, run=run, corpus=corpus, state=state, group=group)


def create_run(plan: Plan, corpus: PreparedCorpus, locks: ExitStack) -> RunWriter:
    """A new run folder, whose lock `locks` takes, for a model of `corpus`; see `RunWriter.create`."""
    check_name(corpus.path, "--data")
    provenance = Provenance(
        folder=str(corpus.path),
        fingerprint=corpus.fingerprint,
        pairs={name: len(corpus.split(name)) for name in SPLITS},
        pair_files=list(dict.fromkeys(record.name for record in corpus.manifest.pair_files)),
        date=time.strftime("%Y-%m-%d"),
        init_from=str(plan.init_from) if plan.init_from else None,
        corrections=dict(corpus.corrections),
        launch=launch_name(),
        stated=sorted(plan.stated),
    )
    trained = TrainedSentences.of(corpus)
    if plan.init_from:
        check_name(plan.init_from, "--init-from")
        trained = trained.joined(TrainedSentences.read(plan.init_from / TRAINED))
    return RunWriter.create(
        plan.path, plan.config, provenance, corpus.codecs, trained.to_json(), locks=locks, overwrite=plan.overwrite
    )


def save_config(run: RunWriter, config: Config, corpus: PreparedCorpus) -> None:
    """Write the config after the pairs that it consults, or before they are removed: a kill leaves a run that works."""
    consults = config.decoding.similar_pairs > 0
    if consults and not all((run.path / file).is_file() for file in PAIR_FILES.values()):
        run.save_pairs(pairs_to_consult(corpus).arrays())
    run.write_config(config)
    if not consults:
        run.remove_pairs()


def pairs_to_consult(corpus: PreparedCorpus) -> SimilarPairs:
    """The training pairs: all, or as many as there may be, at equal distances."""
    split = corpus.split("train")
    pairs = split.pick(np.linspace(0, len(split) - 1, min(len(split), MOST_PAIRS)).astype(np.int64))
    return SimilarPairs.of(pairs.src, pairs.tgt)


def restore_state(
    run: RunWriter, state: TrainingState, checkpoint: dict[str, Any], group: ProcessGroup = SINGLE
) -> None:
    """Return `state` to a checkpoint of `run`; ModelFileError when it belongs to another model."""
    try:
        state.restore(checkpoint, group)
    # A dict of another s2s, or of another model, can lead to any error.
    except Exception as error:
        if is_out_of_memory(error):
            raise
        raise _not_a_checkpoint(run, f" on {state.device.type} ({type(error).__name__})") from error


def _read_checkpoint(run: RunWriter, config: Config, corpus: PreparedCorpus) -> dict[str, Any]:
    """The newest checkpoint; ModelFileError unless it has the weights of the model, which is not made yet."""
    checkpoint = load_checkpoint(run.last_path)
    try:
        outline = build_outline(config.model, **_sizes(corpus.codecs))  # ValueError: too large for any machine
        expected = {name: weight.shape for name, weight in outline.state_dict().items()}
        fits = expected == {name: weight.shape for name, weight in checkpoint["model"].items()}
        size = checkpoint[METRICS_BYTES]  # read, as the next, before the state is restored
        if fits and type(size) is int and size >= 0 and type(checkpoint["random"]) is list:
            return checkpoint
    except (ValueError, LookupError, TypeError, AttributeError):
        pass
    raise _not_a_checkpoint(run)


def _not_a_checkpoint(run: RunFolder, details: str = "") -> ModelFileError:
    return ModelFileError(
        f"{run.last_path}: damaged, or not a checkpoint of this model{details}; train again with --overwrite"
    )


class _Origin(NamedTuple):
    """The weights to begin with, and the units of each side that have vectors among them: their ids here and there."""

    weights: Weights
    src: dict[int, int]
    tgt: dict[int, int]
    in_words: str
    """How many of the units these are; empty for all."""


def _read_origin(plan: Plan, corpus: PreparedCorpus) -> _Origin | None:
    """The weights to begin with; None for fresh ones. ModelFileError when they do not fit the model to train."""
    if not plan.init_from:
        return None
    weights, codecs = RunFolder(plan.init_from).read_best(), load_codecs(plan.init_from)
    try:
        build_outline(plan.config.model, **_sizes(codecs)).check_weights(weights)
    except ValueError as error:
        raise ModelFileError(f"{plan.init_from}: {error}") from None
    pairs = [(ours.vocabulary, theirs.vocabulary) for ours, theirs in zip(corpus.codecs, codecs, strict=True)]
    shared = {(ours, theirs): ours.shared_ids(theirs) for ours, theirs in pairs}  # one, where both sides have one
    known, units = sum(map(len, shared.values())), sum(len(ours) for ours, _ in shared)
    in_words = f"{known:,} of {units:,} units shared" if known < units else ""
    src, tgt = (shared[pair] for pair in pairs)
    return _Origin(weights, src, tgt, in_words)


def _sizes(codecs: Codecs) -> dict[str, int]:
    src, tgt = codecs
    return {"src_size": len(src.vocabulary), "tgt_size": len(tgt.vocabulary)}


def _first_vectors(config: Config, corpus: PreparedCorpus) -> tuple[Tensor, Tensor] | None:
    """The word vectors to begin with, of source and target; None for drawn ones."""
    if not config.model.initialisation.from_pairs:
        return None
    torch.manual_seed(config.training.seed)
    mixture = Mixture.of(config.training, corpus)
    dimension = max(config.model.encoder.embedding_size, config.model.decoder.embedding_size)
    pairs = ParallelIds.joined([mixture.own, mixture.pairs])
    return vectors_of(pairs, **_sizes(corpus.codecs), dimension=dimension)


def _fresh_state(
    config: Config,
    corpus: PreparedCorpus,
    device: torch.device,
    precision: Precision,
    origin: _Origin | None = None,
    vectors: tuple[Tensor, Tensor] | None = None,
) -> TrainingState:
    """The state before the first update: weights drawn from the seed, then first word vectors, then the origin's."""
    torch.manual_seed(config.training.seed)
    with memory_errors(device.type):
        model = build_model(config.model, **_sizes(corpus.codecs))
        if vectors:
            begin_with(model, *vectors)
        model = model.to(device)
        if origin:
            model.load_shared(origin.weights, src=origin.src, tgt=origin.tgt)
        return fresh_state(model, config.training, precision)


def _seed(seed: int, step: int, group: ProcessGroup) -> None:
    """Seed the random state of this process, differently in each process and at each step."""
    torch.manual_seed(int(np.random.SeedSequence([seed, step, group.rank]).generate_state(1)[0]))
