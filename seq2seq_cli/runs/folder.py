"""The run folder: all that a training leaves behind, and all that translation needs.

runs/latest                     the name of the newest run
runs/NAME/config.yaml           the config as resolved
         /codec/{src,tgt}.json  from text to ids and back
         /best/model.safetensors
         /last/training.pt      what `--resume` goes on from, and previous.pt, the one before it
         /epochs/0007.safetensors  the weights after epoch 7; of the newest epochs, with `training.keep`
         /metrics.jsonl         one JSON object a line
         /tensorboard/          with `training.tensorboard`
         /corpus.json           what it was trained on, and the run that its weights began with
         /README.md             the model card
         /.lock                 held while a training runs
"""

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from seq2seq_cli.config.loader import dump_config, load_saved_config
from seq2seq_cli.config.schema import Config
from seq2seq_cli.errors import ConfigError, ModelFileError, TrainingError, UsageError
from seq2seq_cli.files import make_folder, write_whole
from seq2seq_cli.runs.layout import BEST, CONFIG, CORPUS, LAST, LOCK, METRICS, RUNS
from seq2seq_cli.runs.lock import hold
from seq2seq_cli.runs.metrics import Record
from seq2seq_cli.runs.provenance import Provenance
from seq2seq_cli.runs.room import check_name, check_room, remove_run
from seq2seq_cli.runs.weights import Weights, read_weights, save_weights
from seq2seq_cli.text.sides import Codecs, save_codecs

_WEIGHTS = ".safetensors"

METRICS_BYTES = "metrics_bytes"
"""Key of a checkpoint: the length of metrics.jsonl when it was saved."""


@dataclass(frozen=True)
class RunFolder:
    """One run, by its folder."""

    path: Path
    chosen: Path | None = None
    """The weights to translate with, where they are not the best ones."""

    @classmethod
    def create(
        cls,
        path: Path,
        config: Config,
        provenance: Provenance,
        codecs: Codecs,
        *,
        held: contextlib.ExitStack,
        overwrite: bool = False,
    ) -> "RunFolder":
        """A new run in `path`, whose lock `held` takes before anything there is changed.

        Raises UsageError when `path` holds something that `overwrite` does not allow to replace, when a training is
        running there, or when the name is not UTF-8.
        """
        check_name(path, "--out")
        check_room(path, overwrite=overwrite)
        run = cls(path)
        try:
            make_folder(path)
            held.enter_context(run.lock())
            check_room(path, overwrite=overwrite)  # again: another training may just have begun here
            remove_run(path)
            run.write_config(config)
            save_codecs(path, codecs)
            provenance.write(path / CORPUS)
        except OSError as error:
            raise UsageError(f"{path}: cannot be made: {error.strerror}; choose another folder with --out") from error
        return run

    @classmethod
    def find(cls, path: Path | None) -> "RunFolder":
        """The run at `path`, or the newest one of `runs/` when it is None.

        Raises ModelFileError when there is none.
        """
        if path is None:
            latest = RUNS / "latest"
            if not latest.is_file():
                raise ModelFileError(
                    f"no run is in {RUNS}/ here: train one first (s2s train --config luong_concat.yaml),"
                    " or name a run folder with --model"
                )
            path = RUNS / latest.read_text(encoding="utf-8", errors="replace").strip()
            if not (path / CONFIG).is_file():
                raise ModelFileError(f"{latest}: names {path}, where no run is: name a run folder with --model")
        if not path.exists():
            raise ModelFileError(f"{path}: no such run folder")
        if not (path / CONFIG).is_file():
            raise ModelFileError(f"{path}: not a run folder: it has no config.yaml; s2s train makes one")
        return cls(path)

    @classmethod
    def find_model(cls, path: Path | None) -> "RunFolder":
        """The run to translate with: as `find`, or by one of its files of weights, such as RUN/epochs/0007.safetensors.

        Raises ModelFileError when there is none.
        """
        if path is None or path.suffix != _WEIGHTS:
            return cls.find(path)
        if not path.is_file():
            raise ModelFileError(f"{path}: no such file of weights")
        return replace(cls.find(path.parent.parent), chosen=path)

    @classmethod
    def find_saved_last(cls) -> "RunFolder":
        """The run of `runs/` with the newest checkpoint, be it too young to translate; ModelFileError without any."""
        saved = [run for path in RUNS.glob("*") if (run := cls(path)).last_path.is_file()]
        if not saved:
            raise ModelFileError(f"no run to resume is in {RUNS}/ here: name its folder with --out")
        return max(saved, key=lambda run: run.last_path.stat().st_mtime_ns)

    @property
    def best_path(self) -> Path:
        """The weights that translate."""
        return self.path / BEST

    @property
    def tensorboard_path(self) -> Path:
        """What TensorBoard shows."""
        return self.path / "tensorboard"

    @property
    def last_path(self) -> Path:
        """The checkpoint to resume from."""
        return self.path / LAST / "training.pt"

    @property
    def metrics_path(self) -> Path:
        """How the training went, one JSON object a line."""
        return self.path / METRICS

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Have the run for one training alone while the block lasts.

        Raises UsageError when a training is running in it already, be it in this process; TrainingError when the lock
        cannot be had. A process that dies, whatever the way, gives it back.
        """
        path = self.path / LOCK
        with contextlib.ExitStack() as held:
            try:
                held.enter_context(hold(path))
            except TimeoutError:
                raise UsageError(
                    f"{self.path}: a training is running in it: wait for its end or stop it, or choose another folder"
                    " with --out"
                ) from None
            except OSError as error:
                raise TrainingError(f"{path}: cannot be locked: {error.strerror}") from error
            yield

    def config(self) -> Config:
        """The config that the run was trained with."""
        try:
            return load_saved_config(self.path / CONFIG)
        except ConfigError as error:
            raise ModelFileError(f"{error}; the run folder is damaged") from error

    def write_config(self, config: Config) -> None:
        """Record the config as resolved."""
        _write_text(self.path / CONFIG, dump_config(config))

    def provenance(self) -> Provenance:
        """What the run was trained on, and began with; ModelFileError when that record is missing or damaged."""
        return Provenance.read(self.path / CORPUS)

    def save_best(self, weights: Weights) -> None:
        """Keep these weights as the ones that translate; `latest`, beside the run, names it from now on."""
        with _writing(self.best_path):
            make_folder(self.best_path.parent)
            save_weights(self.best_path, weights)
        _write_text(self.path.parent / "latest", self.path.name + "\n")

    def save_epoch(self, weights: Weights, epoch: int, keep: int) -> None:
        """Keep these weights as those after `epoch`, and of all epochs only the `keep` newest; none when that is 0.

        An older one is removed when the new one is on the disk. What is said to be of a later epoch was left by a
        sitting that went on from here before, and is removed too.
        """
        if not keep:
            return
        path = self.path / "epochs" / f"{epoch:04d}{_WEIGHTS}"
        with _writing(path):
            make_folder(path.parent)
            save_weights(path, weights)
            for other in path.parent.glob(f"*{_WEIGHTS}"):
                if other.stem.isdecimal() and not epoch - keep < int(other.stem) <= epoch:
                    other.unlink()

    def save_last(self, checkpoint: Mapping[str, Any]) -> None:
        """Keep a checkpoint to go on from, and how long metrics.jsonl was then."""
        from seq2seq_cli.runs.checkpoint import save_checkpoint  # not above: it needs torch

        with _writing(self.last_path):
            make_folder(self.last_path.parent)
            save_checkpoint(self.last_path, {**checkpoint, METRICS_BYTES: self._metrics_bytes()})

    def read_last(self) -> dict[str, Any]:
        """The checkpoint that was saved last; ModelFileError when there is none, or none that this s2s can read."""
        from seq2seq_cli.runs.checkpoint import load_checkpoint  # not above: it needs torch

        return load_checkpoint(self.last_path)

    def read_best(self) -> Weights:
        """The weights that translate; ModelFileError when they are missing or damaged."""
        return read_weights(self.chosen or self.best_path)

    def append_metrics(self, record: Record) -> None:
        """Add a line to metrics.jsonl."""
        with _writing(self.metrics_path), self.metrics_path.open("a", encoding="utf-8") as file:
            file.write(record.model_dump_json() + "\n")
            file.flush()
            os.fsync(file.fileno())  # a checkpoint that is on the disk counts on the lines before it

    def cut_metrics(self, size: int) -> None:
        """Forget what came after the first `size` bytes of metrics.jsonl: a resumed run writes it again.

        Bytes, and not steps: between two saves at the same step a line of that step may have come.
        """
        if self._metrics_bytes() > size:
            with _writing(self.metrics_path), self.metrics_path.open("rb+") as file:
                file.truncate(size)
                os.fsync(file.fileno())

    def write_card(self, text: str) -> None:
        """Write the model card."""
        _write_text(self.path / "README.md", text)

    def _metrics_bytes(self) -> int:
        return self.metrics_path.stat().st_size if self.metrics_path.is_file() else 0


def _write_text(path: Path, text: str) -> None:
    with _writing(path):
        make_folder(path.parent)
        write_whole(path, text.encode("utf-8"))


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Tell what went wrong in writing a file as a TrainingError."""
    try:
        yield
    except OSError as error:
        raise TrainingError(
            f"{path}: cannot be written: {error.strerror}; what was saved before is untouched"
        ) from error
