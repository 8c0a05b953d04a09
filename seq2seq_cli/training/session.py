"""One sitting of a training: start or resume a run, train, and keep what must not be lost."""

import shlex
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from seq2seq_cli.compute.device import deterministic_algorithms
from seq2seq_cli.compute.memory import memory_errors, peak_memory_mb
from seq2seq_cli.compute.precision import choose_precision
from seq2seq_cli.compute.process_group import SINGLE, ProcessGroup, launch_name
from seq2seq_cli.config.schema import Config, TrainingConfig
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import SPLITS
from seq2seq_cli.decoding.translator import Translation, Translator
from seq2seq_cli.errors import Interrupted, ModelFileError, TrainingError, UsageError
from seq2seq_cli.learning.state import Progress, Tally, TrainingState, fresh_state
from seq2seq_cli.model.build import build_model
from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.runs.folder import METRICS_BYTES, RunFolder
from seq2seq_cli.runs.metrics import EndRecord, EpochRecord, Record, StepRecord
from seq2seq_cli.runs.provenance import Provenance
from seq2seq_cli.runs.room import check_name
from seq2seq_cli.training.events import Event, Finished, Saved, Step, Validated
from seq2seq_cli.training.examples import choose_examples
from seq2seq_cli.training.loop import train
from seq2seq_cli.training.origin import check_origin
from seq2seq_cli.training.signals import StopRequest

STEPS_A_RECORD = 100


@dataclass(frozen=True, kw_only=True)
class Session:
    """A run, what it is trained on, and how far it is.

    Each process of a `group` has one, of the same state; the run folder is the main one's, on whose disk it is.
    """

    run: RunFolder
    corpus: PreparedCorpus
    config: Config
    device: torch.device
    state: TrainingState
    group: ProcessGroup = SINGLE
    has_new_streams: bool = False
    """Whether it is resumed by another number of processes, so that what is random is drawn anew."""

    @classmethod
    def start(
        cls,
        path: Path,
        config: Config,
        corpus: PreparedCorpus,
        device: torch.device,
        *,
        overwrite: bool = False,
        origin: RunFolder | None = None,
        group: ProcessGroup = SINGLE,
    ) -> "Session":
        """A new run in `path`, with fresh weights or with the best ones of `origin`; the optimiser is fresh.

        Raises UsageError when something is there and `overwrite` does not allow to replace it, or when `origin` is
        another model or has other vocabularies.
        """
        # What cannot be made leaves no folder behind.
        if config.training.tensorboard:
            # Not above: it draws, which takes time to load.
            from seq2seq_cli.training.tensorboard import check_installed

            group.on_main(check_installed)
        if origin:
            group.on_main(partial(check_origin, origin, path, config, corpus))
        state = _fresh(config, corpus, device, group, origin)
        run = group.on_main(
            lambda: create_run(path, config, corpus, overwrite=overwrite, origin=origin, launch=launch_name())
        )
        return cls(run=run, corpus=corpus, config=config, device=device, state=state, group=group)

    @classmethod
    def resume(
        cls, run: RunFolder, config: Config, corpus: PreparedCorpus, device: torch.device, group: ProcessGroup = SINGLE
    ) -> "Session":
        """Go on where `run` was saved last, with `config`, which may differ from the run's in how it trains.

        Raises UsageError when the corpus is another one, ModelFileError when nothing fitting was saved.
        """
        group.on_main(lambda: _check_corpus(run, corpus))
        before = group.on_main(run.config).training
        state = _fresh(config, corpus, device, group)
        chosen = state.precision
        with _locked(run, group):
            captured = group.on_main(run.read_last)
            metrics_bytes = group.on_all(lambda: restore_state(run, state, captured, group))
            has_new_streams = len(captured["random"]) != group.size
            if has_new_streams:
                _begin_streams(config.training.seed, state.progress.step, group)
            if not (config.training.precision == before.precision == "auto" and captured.get("device") == device.type):
                state.precision = chosen  # what auto found before holds for auto, and for that device
            if _ordered_by(before) != _ordered_by(config.training):
                state.progress.restart_epoch()  # its pairs would come in another order
            group.on_main(lambda: run.cut_metrics(metrics_bytes))
        return cls(
            run=run,
            corpus=corpus,
            config=config,
            device=device,
            state=state,
            group=group,
            has_new_streams=has_new_streams,
        )

    def train(self) -> Iterator[Event]:
        """Train to the end that the config sets; checkpoints and metrics are written on the way.

        Raises Interrupted, after saving, when the user asks to stop; TrainingError when training cannot go on.
        """
        with (
            _locked(self.run, self.group),
            memory_errors(self.device),
            deterministic_algorithms() if self._is_made_deterministic else nullcontext(),
            StopRequest() as stop,
            closing(_Recorder(self)) as recorder,
        ):
            saved = recorder.save()
            # Not before: a config says how the pairs are ordered, in which the checkpoint has a place.
            self.group.on_main(lambda: self.run.write_config(self.config))
            yield saved
            for event in train(self.state, self.corpus, self.config, self.device, self.group):
                yield from recorder.keep(event)
                if exit_code := self.group.max(stop.exit_code or 0):
                    recorder.save()
                    raise self.group.agreed(Interrupted(self._how_to_go_on(), exit_code=exit_code))

    @property
    def _is_made_deterministic(self) -> bool:
        """On a CPU all that training does is deterministic by itself."""
        return self.config.training.deterministic and self.device.type != "cpu"

    def _how_to_go_on(self) -> str:
        progress = self.state.progress
        command = f"train --resume --out {shlex.quote(str(self.run.path))}"
        return (
            f"stopped at step {progress.step}, {progress.position} batches into epoch {progress.epoch + 1};"
            f" saved in {self.run.last_path}. Go on with: "
            + (f"s2s {command}" if self.group.size == 1 else f"torchrun, as before, -m seq2seq_cli {command}")
        )


def create_run(
    path: Path,
    config: Config,
    corpus: PreparedCorpus,
    *,
    overwrite: bool = False,
    origin: RunFolder | None = None,
    launch: str | None = None,
) -> RunFolder:
    """A new run folder for a training on `corpus`; see `RunFolder.create`."""
    check_name(corpus.path, "--data")
    provenance = Provenance(
        folder=str(corpus.path),
        fingerprint=corpus.fingerprint,
        pairs={name: len(corpus.split(name)) for name in SPLITS},
        init_from=str(origin.path) if origin else None,
        launch=launch,
    )
    return RunFolder.create(path, config, provenance, (corpus.src_codec, corpus.tgt_codec), overwrite=overwrite)


def restore_state(run: RunFolder, state: TrainingState, captured: dict[str, Any], group: ProcessGroup = SINGLE) -> int:
    """Put `state` where `captured` was, which stays as it is; return how long metrics.jsonl was then, in bytes.

    Raises ModelFileError when it does not fit.
    """
    device = next(state.model.parameters()).device
    try:
        metrics_bytes = int(captured[METRICS_BYTES])
        state.restore(captured, group)
    # restore raises whatever a dict of another s2s, or of another model, leads it to.
    except Exception as error:
        raise ModelFileError(
            f"{run.last_path}: not a checkpoint of this model on {device.type} ({type(error).__name__});"
            " train anew with --overwrite"
        ) from error
    return metrics_bytes


def _check_corpus(run: RunFolder, corpus: PreparedCorpus) -> None:
    """Raise UsageError unless this is the corpus that the run was trained on."""
    if run.provenance().fingerprint != corpus.fingerprint:
        raise UsageError(
            f"{corpus.path}: not the corpus that {run.path} was trained on, so it cannot be resumed with it;"
            f" prepare that one again, or train anew with --out"
        )


class _Recorder:
    """Writes what a session must not lose: the main process does, and the others come to know if it could not."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._run = session.run
        self._group = session.group
        self._state = session.state
        self._device = session.device
        self._training = session.config.training
        self._saved_at = session.state.progress.seconds
        self._board = None
        if self._training.tensorboard and self._group.is_main:
            from seq2seq_cli.training.tensorboard import TensorBoard  # not above: it draws, which takes time to load

            self._board = TensorBoard(self._run.tensorboard_path, done=self._state.progress.step)

    def keep(self, event: Event) -> Iterator[Event]:
        """Record one event of the loop, pass it on, and save if it is time to."""
        progress = self._state.progress
        match event:
            case Step():
                if event.step % STEPS_A_RECORD == 0:
                    self._record(_step_record(event, progress, self._device))
                    progress.of_record = Tally()
                yield event
                if progress.seconds - self._saved_at >= self._training.save_minutes * 60:
                    yield self.save()
            case Validated():
                self._group.on_main(lambda: self._keep_weights(event))
                self._record(_epoch_record(event, progress))
                yield event
                yield self.save()
            case Finished():
                self._record(_end_record(event, progress))
                yield event

    def save(self) -> Saved:
        """Write the checkpoint to resume from."""
        random = self._group.gather(self._state.streams())
        self._group.on_main(lambda: self._run.save_last(self._state.capture(random)))
        self._saved_at = self._state.progress.seconds
        return Saved(path=self._run.last_path)

    def close(self) -> None:
        """Bring all to the disk."""
        if self._board:
            self._board.close()

    def _record(self, record: Record) -> None:
        self._group.on_main(lambda: self._run.append_metrics(record))
        if self._board:
            self._board.show(record)

    def _keep_weights(self, event: Validated) -> None:
        average = self._state.average
        model = average.model if average and event.averaged else self._state.model
        if event.is_best:
            self._run.save_best(model.weights())
        self._run.save_epoch(model.weights(), event.epoch, self._training.keep)
        if self._board and model.decoder.attention.has_weights:
            self._board.attention(self._translate_examples(model), event.step)

    def _translate_examples(self, model: Seq2Seq) -> list[Translation]:
        corpus, config = self._session.corpus, self._session.config
        translator = Translator(model, corpus.src_codec, corpus.tgt_codec, config.decoding, self._device)
        return translator.translate([src for src, _ in choose_examples(corpus.sentences("valid"))])


@contextmanager
def _locked(run: RunFolder, group: ProcessGroup) -> Iterator[None]:
    """The run is the group's alone while the block lasts; see `RunFolder.lock`."""
    with ExitStack() as held:
        group.on_main(lambda: held.enter_context(run.lock()))
        yield


def _fresh(
    config: Config, corpus: PreparedCorpus, device: torch.device, group: ProcessGroup, origin: RunFolder | None = None
) -> TrainingState:
    torch.manual_seed(config.training.seed)
    if not len(corpus.split("train")):
        raise TrainingError(f"{corpus.path}: no training pairs are in it")
    sizes = {"src_size": len(corpus.src_codec.vocabulary), "tgt_size": len(corpus.tgt_codec.vocabulary)}
    with memory_errors(device):
        model = build_model(config.model, **sizes).to(device)
        if origin:
            model.load_weights(group.on_main(origin.read_best))
        precision = group.on_main(lambda: choose_precision(config.training.precision, device))
        state = fresh_state(model, config.training, precision)
    if not group.is_main:
        _begin_streams(config.training.seed, 0, group)  # the main one goes on with that of the weights, as if alone
    return state


def _begin_streams(seed: int, step: int, group: ProcessGroup) -> None:
    """Random states that no other process has, nor this one at another step."""
    torch.manual_seed(int(np.random.SeedSequence([seed, step, group.rank]).generate_state(1)[0]))


def _ordered_by(training: TrainingConfig) -> tuple[object, ...]:
    """What the order of the pairs in an epoch follows from."""
    return training.batch_size, training.batch_unit, training.seed


def _step_record(event: Step, progress: Progress, device: torch.device) -> StepRecord:
    tally = progress.of_record
    return StepRecord(
        **_place(progress),
        epoch=event.epoch,
        train_loss=tally.mean_loss,
        lr=event.lr,
        gradient_norm=event.gradient_norm,
        tokens_per_second=round(tally.tokens / tally.seconds) if tally.seconds else None,
        memory_mb=peak_memory_mb(device),
        skipped=progress.skipped,
    )


def _epoch_record(event: Validated, progress: Progress) -> EpochRecord:
    scores = event.scores.by_metric() if event.scores else {"loss": None, "bleu": None, "chrf": None}
    return EpochRecord(
        **_place(progress),
        **scores,
        epoch=event.epoch,
        lr=progress.lr,
        train_loss=event.train_loss,
        signatures=event.scores.signatures() if event.scores else {},
        averaged=event.averaged,
        best=event.is_best,
    )


def _end_record(event: Finished, progress: Progress) -> EndRecord:
    return EndRecord(**_place(progress), epoch=progress.epoch, reason=event.reason)


def _place(progress: Progress) -> dict[str, Any]:
    """Where a training is: the fields that its records share."""
    return {
        "step": progress.step,
        "epochs": progress.epochs,
        "seconds": round(progress.seconds, 1),
        "tokens": progress.tokens,
    }
