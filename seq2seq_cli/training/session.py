"""One sitting of a training: start or resume a run, train, and keep what must not be lost."""

import shlex
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch

from seq2seq_cli.config.schema import Config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.errors import Interrupted, TrainingError
from seq2seq_cli.model.build import build_model
from seq2seq_cli.training.device import memory_errors
from seq2seq_cli.training.events import Event, Saved, Step, Validated
from seq2seq_cli.training.loop import train
from seq2seq_cli.training.origin import check_origin
from seq2seq_cli.training.run_folder import RunFolder
from seq2seq_cli.training.signals import StopRequest
from seq2seq_cli.training.state import TrainingState, fresh_state

STEPS_A_RECORD = 100


@dataclass(frozen=True, kw_only=True)
class Session:
    """A run, what it is trained on, and how far it is."""

    run: RunFolder
    corpus: PreparedCorpus
    config: Config
    device: torch.device
    state: TrainingState

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
    ) -> "Session":
        """A new run in `path`, with fresh weights or with the best ones of `origin`; the optimiser is fresh.

        Raises UsageError when something is there and `overwrite` does not allow to replace it, or when `origin` is
        another model or has other vocabularies.
        """
        # A model that cannot be made leaves no folder behind.
        if origin:
            check_origin(origin, path, config, corpus)
        state = _fresh(config, corpus, device)
        if origin:
            origin.load_best(state.model)
        run = RunFolder.create(path, config, corpus, overwrite=overwrite, origin=origin)
        return cls(run=run, corpus=corpus, config=config, device=device, state=state)

    @classmethod
    def resume(cls, run: RunFolder, config: Config, corpus: PreparedCorpus, device: torch.device) -> "Session":
        """Go on where `run` was saved last, with `config`, which may differ from the run's in how it trains.

        Raises UsageError when the corpus is another one, ModelFileError when nothing fitting was saved.
        """
        run.check_corpus(corpus)
        before = run.config().training
        state = _fresh(config, corpus, device)
        with run.lock():
            metrics_bytes = run.load_last(state)
            if (before.batch_size, before.seed) != (config.training.batch_size, config.training.seed):
                state.progress.restart_epoch()  # its pairs would come in another order
            run.cut_metrics(metrics_bytes)
            run.write_config(config)
        return cls(run=run, corpus=corpus, config=config, device=device, state=state)

    def train(self) -> Iterator[Event]:
        """Train to the last epoch; checkpoints and metrics are written on the way.

        Raises Interrupted, after saving, when the user asks to stop; TrainingError when training cannot go on.
        """
        recorder = _Recorder(self)
        with self.run.lock(), memory_errors(self.device), StopRequest() as stop:
            yield recorder.save()
            for event in train(self.state, self.corpus, self.config, self.device):
                yield from recorder.keep(event)
                if stop.exit_code is not None:
                    recorder.save()
                    raise Interrupted(self._how_to_go_on(), exit_code=stop.exit_code)

    def _how_to_go_on(self) -> str:
        progress = self.state.progress
        return (
            f"stopped at step {progress.step}, {progress.position} batches into epoch {progress.epoch + 1};"
            f" saved in {self.run.last_path}. Go on with: s2s train --resume --out {shlex.quote(str(self.run.path))}"
        )


class _Recorder:
    """Writes what a session must not lose, and keeps its clock."""

    def __init__(self, session: Session) -> None:
        self._run = session.run
        self._state = session.state
        self._keep = session.config.training.keep
        self._save_seconds = session.config.training.save_minutes * 60
        self._now = self._saved_at = time.monotonic()

    def keep(self, event: Event) -> Iterator[Event]:
        """Record one event of the loop, pass it on, and save if it is time to."""
        self._tick()
        match event:
            case Step():
                if event.step % STEPS_A_RECORD == 0:
                    self._run.append_metrics(_step_record(event))
                yield event
                if self._now - self._saved_at >= self._save_seconds:
                    yield self.save()
            case Validated():
                if event.is_best:
                    self._run.save_best(self._state.model)
                self._run.save_epoch(self._state.model, event.epoch, self._keep)
                self._run.append_metrics(_epoch_record(event, self._state.progress.seconds))
                yield event
                yield self.save()

    def save(self) -> Saved:
        """Write the checkpoint to resume from."""
        self._tick()
        self._run.save_last(self._state)
        self._saved_at = self._now
        return Saved(path=self._run.last_path)

    def _tick(self) -> None:
        before, self._now = self._now, time.monotonic()
        self._state.progress.seconds += self._now - before


def _fresh(config: Config, corpus: PreparedCorpus, device: torch.device) -> TrainingState:
    torch.manual_seed(config.training.seed)
    if not len(corpus.split("train")):
        raise TrainingError(f"{corpus.path}: no training pairs are in it")
    sizes = {"src_size": len(corpus.src_codec.vocabulary), "tgt_size": len(corpus.tgt_codec.vocabulary)}
    with memory_errors(device):
        return fresh_state(build_model(config.model, **sizes).to(device), lr=config.training.lr)


def _step_record(event: Step) -> dict[str, object]:
    return {
        "kind": "step",
        "step": event.step,
        "epoch": event.epoch,
        "loss": event.loss,
        "gradient_norm": event.gradient_norm,
        "tokens": event.tokens,
    }


def _epoch_record(event: Validated, seconds: float) -> dict[str, object]:
    return {
        "kind": "epoch",
        "step": event.step,
        "epoch": event.epoch,
        "train_loss": event.train_loss,
        "valid_loss": event.valid_loss,
        "bleu": event.bleu.value if event.bleu else None,
        "signature": event.bleu.signature if event.bleu else None,
        "best": event.is_best,
        "seconds": round(seconds, 1),
    }
