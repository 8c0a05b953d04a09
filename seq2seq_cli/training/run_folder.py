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
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from seq2seq_cli.config.loader import dump_config, load_saved_config
from seq2seq_cli.config.schema import Config
from seq2seq_cli.corpus.prepared import SIDES, PreparedCorpus, SideName, codec_path
from seq2seq_cli.corpus.splits import SPLITS
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.errors import ConfigError, ModelFileError, TrainingError, UsageError
from seq2seq_cli.files import make_folder, read_json, write_whole
from seq2seq_cli.model.build import build_model
from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.training.checkpoint import load_checkpoint, save_checkpoint
from seq2seq_cli.training.lock import hold
from seq2seq_cli.training.places import BEST, CONFIG, CORPUS, FORMAT, LAST, LOCK, METRICS, RUNS
from seq2seq_cli.training.room import check_name, check_room, remove_run
from seq2seq_cli.training.state import Streams, TrainingState
from seq2seq_cli.training.weights import load_weights, save_weights
from seq2seq_cli.training.world import ALONE, World

_WEIGHTS = ".safetensors"


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
        corpus: PreparedCorpus,
        *,
        overwrite: bool = False,
        origin: "RunFolder | None" = None,
        launch: str | None = None,
    ) -> "RunFolder":
        """A new run in `path`, which says that its weights began as those of `origin`, and who began it: `launch`.

        Raises UsageError when `path` holds something already and `overwrite` does not allow to remove a run there, when
        a training is running there, and for a name that is not UTF-8.
        """
        check_name(path, "--out")
        check_name(corpus.path, "--data")
        check_room(path, overwrite=overwrite)
        run = cls(path)
        try:
            make_folder(path)
            with run.lock():
                check_room(path, overwrite=overwrite)  # again: another training may just have begun here
                remove_run(path)
                run.write_config(config)
                make_folder(run.codec_path("src").parent)
                corpus.src_codec.save(run.codec_path("src"))
                corpus.tgt_codec.save(run.codec_path("tgt"))
                run._write_corpus_record(corpus, origin, launch)
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

    def codec_path(self, side: SideName) -> Path:
        """The codec of one side."""
        return codec_path(self.path, side)

    def config(self) -> Config:
        """The config that the run was trained with."""
        try:
            return load_saved_config(self.path / CONFIG)
        except ConfigError as error:
            raise ModelFileError(f"{error}; the run folder is damaged") from error

    def write_config(self, config: Config) -> None:
        """Record the config as resolved."""
        _write_text(self.path / CONFIG, dump_config(config))

    def corpus_folder(self) -> Path:
        """The prepared folder that the run was trained on."""
        return Path(self._corpus_record()["folder"])

    def origin(self) -> str | None:
        """The run whose weights this one began with; None when they were drawn."""
        origin = self._corpus_record().get("init_from")
        return origin if isinstance(origin, str) else None

    def was_begun_by(self, launch: str) -> bool:
        """Whether there is a run, and it was created with this `launch`."""
        return (self.path / CORPUS).is_file() and self._corpus_record().get("launch") == launch

    def check_corpus(self, corpus: PreparedCorpus) -> None:
        """Raise UsageError unless this is the corpus that the run was trained on."""
        if self._corpus_record()["fingerprint"] != corpus.fingerprint:
            raise UsageError(
                f"{corpus.path}: not the corpus that {self.path} was trained on, so it cannot be resumed with it;"
                f" prepare that one again, or train anew with --out"
            )

    def save_best(self, model: Seq2Seq) -> None:
        """Keep these weights as the ones that translate; `latest`, beside the run, names it from now on."""
        with _writing(self.best_path):
            make_folder(self.best_path.parent)
            save_weights(self.best_path, model)
        _write_text(self.path.parent / "latest", self.path.name + "\n")

    def save_epoch(self, model: Seq2Seq, epoch: int, keep: int) -> None:
        """Keep these weights as those after `epoch`, and of all epochs only the `keep` newest; none when that is 0.

        An older one is removed when the new one is on the disk. What is said to be of a later epoch was left by a
        sitting that went on from here before, and is removed too.
        """
        if not keep:
            return
        path = self.path / "epochs" / f"{epoch:04d}{_WEIGHTS}"
        with _writing(path):
            make_folder(path.parent)
            save_weights(path, model)
            for other in path.parent.glob(f"*{_WEIGHTS}"):
                if other.stem.isdecimal() and not epoch - keep < int(other.stem) <= epoch:
                    other.unlink()

    def save_last(self, state: TrainingState, random: Sequence[Streams] | None = None) -> None:
        """Keep the state of training to go on from, and how long metrics.jsonl was then.

        `random` has the random states of all processes, as `TrainingState.capture` takes them.
        """
        with _writing(self.last_path):
            make_folder(self.last_path.parent)
            save_checkpoint(self.last_path, {**state.capture(random), "metrics_bytes": self._metrics_bytes()})

    def read_last(self) -> dict[str, Any]:
        """What was saved last; ModelFileError when there is nothing, or nothing that this s2s can read."""
        return load_checkpoint(self.last_path)

    def restore(self, state: TrainingState, captured: dict[str, Any], world: World = ALONE) -> int:
        """Put `state` where `captured` was, which stays as it is; return how long metrics.jsonl was then, in bytes.

        Raises ModelFileError when it does not fit.
        """
        device = next(state.model.parameters()).device
        try:
            metrics_bytes = int(captured["metrics_bytes"])
            state.restore(captured, world)
        # restore raises whatever a dict of another s2s, or of another model, leads it to.
        except Exception as error:
            raise ModelFileError(
                f"{self.last_path}: not a checkpoint of this model on {device.type} ({type(error).__name__});"
                " train anew with --overwrite"
            ) from error
        return metrics_bytes

    def load_best(self, model: Seq2Seq) -> None:
        """Give `model` the weights that translate; ModelFileError when they are missing, damaged or do not fit."""
        path = self.chosen or self.best_path
        if not path.is_file():
            raise ModelFileError(f"{path}: no such file: no epoch of this run is finished yet")
        load_weights(path, model)

    def load_translator(self, device: torch.device, config: Config | None = None) -> Translator:
        """The best model with its codecs; `config` is the run's own, perhaps with another way of searching.

        Raises ModelFileError when a file is missing, damaged, or does not fit the others.
        """
        config = config or self.config()
        src, tgt = (Codec.load(self.codec_path(side)) for side in SIDES)
        model = build_model(config.model, src_size=len(src.vocabulary), tgt_size=len(tgt.vocabulary))
        self.load_best(model)
        return Translator(model.to(device).eval(), src, tgt, config.decoding, device)

    def append_metrics(self, record: Mapping[str, Any]) -> None:
        """Add a line to metrics.jsonl."""
        with _writing(self.metrics_path), self.metrics_path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"format": FORMAT, **record}) + "\n")
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

    def _corpus_record(self) -> dict[str, Any]:
        path = self.path / CORPUS
        record = read_json(path, newest=FORMAT, error=ModelFileError)
        if not all(isinstance(record.get(key), str) for key in ("folder", "fingerprint")):
            raise ModelFileError(f"{path}: damaged: does not name the corpus: restore it, or train anew")
        return record

    def _write_corpus_record(self, corpus: PreparedCorpus, origin: "RunFolder | None", launch: str | None) -> None:
        record: dict[str, object] = {
            "format": FORMAT,
            "folder": str(corpus.path),
            "fingerprint": corpus.fingerprint,
            "pairs": {name: len(corpus.split(name)) for name in SPLITS},
        }
        if origin:
            record["init_from"] = str(origin.path)
        if launch:
            record["launch"] = launch
        _write_text(self.path / CORPUS, json.dumps(record, ensure_ascii=False, indent=1) + "\n")

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
