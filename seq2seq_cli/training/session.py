"""The session of a run: the run folder, its corpus and the state of its training, new or as it was saved last."""

import logging
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from seq2seq_cli.compute.device import choose_device
from seq2seq_cli.compute.memory import memory_errors
from seq2seq_cli.compute.out_of_memory import is_out_of_memory
from seq2seq_cli.compute.precision import choose_precision
from seq2seq_cli.compute.process_group import SINGLE, ProcessGroup
from seq2seq_cli.compute.torchrun import launch_name
from seq2seq_cli.config.choices import Precision
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import SPLITS
from seq2seq_cli.corpus.trained_sentences import TrainedSentences
from seq2seq_cli.decoding.similar.pairs import MOST_PAIRS, SimilarPairs
from seq2seq_cli.errors import (
    ModelFileError,
)
from seq2seq_cli.learning.state import TrainingState, fresh_state
from seq2seq_cli.model.build import build_model, build_outline
from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.records import Provenance
from seq2seq_cli.runs.weights import Weights
from seq2seq_cli.runs.writer import METRICS_BYTES, RunWriter, check_name
from seq2seq_cli.text.sides import load_codecs
from seq2seq_cli.training.loop import order_of_pairs

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Session:
    """A run, its corpus, and the state of its training.

    Each process of a `group` has one, with the same state. The main process alone writes into the run folder.
    """

    run: RunWriter
    corpus: PreparedCorpus
    config: Config
    state: TrainingState
    group: ProcessGroup = SINGLE
    init_from: Path | None = None
    """The run whose best weights this one began with."""
    changes: tuple[str, ...] = ()
    redraws: bool = False
    """Whether the run is resumed by another number of processes, so that random numbers are drawn again."""

    @classmethod
    def start(
        cls,
        path: Path,
        config: Config,
        corpus: PreparedCorpus,
        *,
        held: ExitStack,
        overwrite: bool = False,
        origin: RunFolder | None = None,
        group: ProcessGroup = SINGLE,
        changes: tuple[str, ...] = (),
    ) -> "Session":
        """A new run in `path`, with fresh weights or the best ones of `origin`, and a fresh optimiser.

        `held` takes the lock of the run. The folder is made after all checks have passed.

        Raises UsageError when `path` holds something that `overwrite` does not allow to replace, and ModelFileError
        when the weights of `origin` do not fit the model.
        """

        def prepare() -> tuple[Any, Any]:
            weights = _read_weights(origin, config, corpus) if origin else None
            return choose_precision(config.training.precision, device), weights

        def initial_state() -> TrainingState:
            state = _fresh_state(config, corpus, device, precision, weights)
            if not group.is_main:  # process 0 keeps the random state of the weights, as a single process does
                _seed(config.training.seed, 0, group)
            return state

        device = group.on_all(lambda: choose_device(config.training.device, group))
        precision, weights = group.on_main(prepare)
        state = group.on_all(initial_state)
        run = group.on_main(lambda: create_run(path, config, corpus, held=held, overwrite=overwrite, origin=origin))
        init_from = origin.path if origin else None
        return cls(
            run=run, corpus=corpus, config=config, state=state, group=group, init_from=init_from, changes=changes
        )

    @classmethod
    def resume(
        cls,
        run: RunWriter,
        config: Config,
        corpus: PreparedCorpus,
        *,
        saved: Config,
        provenance: Provenance,
        group: ProcessGroup = SINGLE,
        changes: tuple[str, ...] = (),
    ) -> "Session":
        """A run in the state in which it was saved last; `config` may differ from its `saved` one in how it trains.

        The caller holds the run's lock. Raises ModelFileError when nothing was saved that fits, or when the best
        weights are missing or damaged.
        """
        training, before = config.training, saved.training

        def read() -> tuple[dict[str, Any], Any]:
            checkpoint = run.read_last()
            _check_checkpoint(run, checkpoint, config, corpus)
            # The precision that auto found before holds for auto on the same type of device.
            if training.precision == before.precision == "auto" and checkpoint.get("device") == device.type:
                return checkpoint, checkpoint.get("precision")
            return checkpoint, choose_precision(training.precision, device)

        def restored() -> TrainingState:
            state = _fresh_state(config, corpus, device, precision)
            restore_state(run, state, checkpoint, group)
            if redraws or before.seed != training.seed:
                _seed(training.seed, state.progress.step, group)
            if state.progress.order != order_of_pairs(training):
                state.progress.restart_epoch()
            return state

        device = group.on_all(lambda: choose_device(training.device, group))
        checkpoint, precision = group.on_main(read)
        redraws = len(checkpoint["random"]) != group.size
        state = group.on_all(restored)

        def prepare_folder() -> None:
            _check_parts(run, state, corpus)
            _record_folder(run, provenance, corpus)
            _save_pairs(run, config, corpus)
            run.cut_metrics(checkpoint[METRICS_BYTES])

        group.on_main(prepare_folder)
        init_from = Path(provenance.init_from) if provenance.init_from else None
        return cls(
            run=run,
            corpus=corpus,
            config=config,
            state=state,
            group=group,
            init_from=init_from,
            changes=changes,
            redraws=redraws,
        )


def create_run(
    path: Path,
    config: Config,
    corpus: PreparedCorpus,
    *,
    held: ExitStack,
    overwrite: bool = False,
    origin: RunFolder | None = None,
) -> RunWriter:
    """A new run folder, whose lock `held` takes, for a model of `corpus`; see `RunWriter.create`."""
    check_name(corpus.path, "--data")
    provenance = Provenance(
        folder=str(corpus.path),
        fingerprint=corpus.fingerprint,
        pairs={name: len(corpus.split(name)) for name in SPLITS},
        init_from=str(origin.path) if origin else None,
        launch=launch_name(),
    )
    trained = TrainedSentences.of(corpus)
    if origin:
        trained = trained.joined(TrainedSentences.read(origin.trained_path))
    run = RunWriter.create(path, config, provenance, corpus.codecs, trained.to_json(), held=held, overwrite=overwrite)
    _save_pairs(run, config, corpus)
    return run


def _save_pairs(run: RunWriter, config: Config, corpus: PreparedCorpus) -> None:
    """Save the training pairs if translations consult them: all, or as many as there may be, at equal distances.

    If they do not, none are left: what is sent to others would hold them.
    """
    if not config.decoding.similar_pairs:
        run.remove_pairs()
        return
    if run.has_pairs:
        return
    split = corpus.split("train")
    src, tgt = split.pick(np.linspace(0, len(split) - 1, min(len(split), MOST_PAIRS)).astype(np.int64))
    run.save_pairs(SimilarPairs.of(src, tgt).arrays())


def _record_folder(run: RunWriter, provenance: Provenance, corpus: PreparedCorpus) -> None:
    """Let the run name the prepared folder of `corpus`, which may have been moved since the run began."""
    if provenance.folder != str(corpus.path):
        check_name(corpus.path, "--data")
        run.write_provenance(provenance.model_copy(update={"folder": str(corpus.path)}))


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
        raise not_a_checkpoint(run, f" on {state.device.type} ({type(error).__name__})") from error


def _check_checkpoint(run: RunWriter, checkpoint: dict[str, Any], config: Config, corpus: PreparedCorpus) -> None:
    """Raise ModelFileError unless a checkpoint has the weights of a model, which is not made yet.

    So are the values checked that are read before the state is restored.
    """
    size, random = checkpoint.get(METRICS_BYTES), checkpoint.get("random")
    if type(size) is not int or size < 0 or type(random) is not list:
        raise not_a_checkpoint(run)
    try:
        expected = {name: weight.shape for name, weight in _outline(config, corpus).state_dict().items()}
        found = {name: weight.shape for name, weight in checkpoint["model"].items()}
    except (ValueError, LookupError, TypeError, AttributeError):
        raise not_a_checkpoint(run) from None
    if found != expected:
        raise not_a_checkpoint(run)


def not_a_checkpoint(run: RunFolder, details: str = "") -> ModelFileError:
    """The error about a checkpoint that cannot be restored."""
    return ModelFileError(
        f"{run.last_path}: damaged, or not a checkpoint of this model{details}; train again with --overwrite"
    )


def _read_weights(origin: RunFolder, config: Config, corpus: PreparedCorpus) -> Weights:
    """The best weights of a run; ModelFileError when they do not fit the model to train."""
    weights = origin.read_best()
    try:
        _outline(config, corpus).check_weights(weights)
    except ValueError as error:
        raise ModelFileError(f"{origin.path}: {error}") from None
    return weights


def _outline(config: Config, corpus: PreparedCorpus) -> Seq2Seq:
    """The model without its weights; raises ValueError for one that is too large for any machine."""
    return build_outline(config.model, **_sizes(corpus))


def _sizes(corpus: PreparedCorpus) -> dict[str, int]:
    return {"src_size": len(corpus.src_codec.vocabulary), "tgt_size": len(corpus.tgt_codec.vocabulary)}


def _check_parts(run: RunWriter, state: TrainingState, corpus: PreparedCorpus) -> None:
    """Check now what the end of the training needs: the best weights, and the codecs, which are restored."""
    if epoch := state.progress.best_epoch:
        if not run.best_path.is_file():
            raise ModelFileError(
                f"{run.best_path}: missing: the weights of epoch {epoch}: restore them, or train again with --overwrite"
            )
        run.read_best()
    with suppress(ModelFileError):
        if load_codecs(run.path) == corpus.codecs:
            return
    run.write_codecs(corpus.codecs)


def _fresh_state(
    config: Config, corpus: PreparedCorpus, device: torch.device, precision: Precision, weights: Weights | None = None
) -> TrainingState:
    """The state before the first update, with these weights, or others drawn from the seed of the config."""
    torch.manual_seed(config.training.seed)
    with memory_errors(device):
        model = build_model(config.model, **_sizes(corpus)).to(device)
        if weights is not None:
            model.load_weights(weights)
        return fresh_state(model, config.training, precision)


def _seed(seed: int, step: int, group: ProcessGroup) -> None:
    """Seed the random state of this process, differently in each process and at each step."""
    torch.manual_seed(int(np.random.SeedSequence([seed, step, group.rank]).generate_state(1)[0]))
