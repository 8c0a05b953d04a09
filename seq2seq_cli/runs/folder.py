"""The run folder: everything that a training writes, and everything that translating needs.

runs/latest                     the name of the newest run
runs/NAME/.s2s-run              the mark of a run, empty
         /config.yaml           the resolved config
         /codec/{src,tgt}.json  the codecs of both sides
         /best/model.safetensors   the best weights
              /encoder.onnx, decoder.onnx, decoder_int8.onnx, features.onnx   the exported model, which refers
                             to these weights
              /export.json   the record of the exported model
         /last/training.pt      the checkpoint for `--resume`, and previous.pt, the one before it
         /epochs/0007.safetensors  the weights after epoch 7; of the newest validated ones, with `training.keep`
         /metrics.jsonl         the records of the training, one JSON object per line
         /corpus.json           the provenance: the corpus, and the run that the weights began with
         /pairs/*.npy           the training pairs that translations consult, with `decoding.similar_pairs`
         /trained.json          the hashes of the sentences that it and the runs before it were trained on
         /README.md             the model card
         /.lock                 held while a training runs
"""

import contextlib
import os
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seq2seq_cli.errors import ConfigError, ModelFileError, TrainingError, UsageError, exit_code_of
from seq2seq_cli.files.reading import check_contents, read_whole
from seq2seq_cli.files.writing import make_folder, whole_file, write_json, write_whole
from seq2seq_cli.runs.finding import find_run, named_run
from seq2seq_cli.runs.layout import (
    BEST,
    CARD,
    CHECKPOINTS,
    CONFIG,
    CORPUS,
    EPOCHS,
    LAST,
    LOCK,
    MARK,
    METRICS,
    PAIR_FILES,
    PAIRS,
    READ,
    TRAINED,
)
from seq2seq_cli.runs.lock import hold

# The other modules are imported where they are needed: translating finds its run without pydantic and numpy.
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seq2seq_cli.config.schema.config import Config
    from seq2seq_cli.runs.metrics import Record
    from seq2seq_cli.runs.provenance import Provenance
    from seq2seq_cli.runs.weights import Weights
    from seq2seq_cli.text.sides import Codecs

_WEIGHTS = ".safetensors"
_MOST_CARD_BYTES = 1_000_000

METRICS_BYTES = "metrics_bytes"
"""Key of a checkpoint: the length of metrics.jsonl when it was saved."""


def resume_command(run: Path, *overrides: str) -> str:
    """The command that resumes the training of a run with overrides, such as ``training.max_minutes=12``."""
    settings = [word for override in overrides for word in ("--set", override)]
    return shlex.join(["s2s", "train", "--resume", "--out", str(run), *settings])


@dataclass(frozen=True)
class RunFolder:
    """One run on disk."""

    path: Path
    chosen: Path | None = None
    """The file of weights to translate with; None stands for the best ones."""

    @classmethod
    def create(
        cls,
        path: Path,
        config: "Config",
        provenance: "Provenance",
        codecs: "Codecs",
        trained: Mapping[str, Any],
        *,
        held: contextlib.ExitStack,
        overwrite: bool = False,
    ) -> "RunFolder":
        """A new run in `path`, whose lock `held` takes before anything there is changed.

        `trained` is the content of ``trained.json``.

        Raises UsageError when `path` holds something that `overwrite` does not allow to replace, when a training is
        running there, when a link leads out of the run that is to be replaced, or when the name is not UTF-8.
        """
        from seq2seq_cli.config.loader import dump_config
        from seq2seq_cli.files.whole_folder import whole_folder
        from seq2seq_cli.runs.output_folder import check_free, check_name, run_files
        from seq2seq_cli.text.sides import save_codecs

        check_name(path, "--out")
        check_free(path, overwrite=overwrite)
        check_contents(path, READ, error=UsageError)
        run = cls(path)
        try:
            make_folder(path)
            held.enter_context(run.lock())
            check_free(path, overwrite=overwrite)  # again: another training may just have begun here
            with whole_folder(path, mark=MARK, replaced=run_files(path)) as new:
                (new / MARK).touch()
                (new / CONFIG).write_text(dump_config(config), encoding="utf-8")
                save_codecs(new, codecs)
                provenance.write(new / CORPUS)
                write_json(new / TRAINED, trained)
        except OSError as error:
            problem = f"{path}: cannot be made: {error.strerror}; choose another folder with --out"
            raise UsageError(problem, exit_code=exit_code_of(error)) from error
        return run

    @classmethod
    def find(cls, path: Path | None) -> "RunFolder":
        """The run at `path`, or the newest one of `runs/` when it is None; ModelFileError as `find_run`."""
        return cls(find_run(path))

    @classmethod
    def find_model(cls, path: Path | None) -> "RunFolder":
        """The run to translate with: as `find`, or by one of its files of weights, such as RUN/epochs/0007.safetensors.

        Raises ModelFileError when there is none.
        """
        path = path and named_run(path)
        if path is None or path.suffix != _WEIGHTS:
            return cls.find(path)
        if not path.exists():
            raise ModelFileError(f"{path}: no such file of weights: RUN/epochs and RUN/best hold them")
        folder = path.parent.parent if len(path.parts) > 1 else Path("..")
        return replace(cls.find(folder), chosen=path)

    @property
    def best_path(self) -> Path:
        """The file of the best weights."""
        return self.path / BEST

    @property
    def last_path(self) -> Path:
        """The checkpoint to resume from."""
        return self.path / LAST

    @property
    def has_checkpoint(self) -> bool:
        """Whether there is a checkpoint to resume from: the last one or the one before it."""
        return any((self.path / name).is_file() for name in CHECKPOINTS)

    @property
    def trained_path(self) -> Path:
        """The file of what it was trained on, which `TrainedSentences` of the package ``corpus`` reads."""
        return self.path / TRAINED

    def lock(self) -> contextlib.AbstractContextManager[object]:
        """Take the lock of the run; the end of the ``with`` block releases it.

        Raises UsageError when another training holds it, also one of this process; TrainingError when it cannot be
        locked.
        """
        path = self.path / LOCK
        try:
            return hold(path)
        except TimeoutError:
            raise UsageError(
                f"{self.path}: a training is running in it: wait for its end or stop it, or choose another folder"
                " with --out"
            ) from None
        except OSError as error:
            problem = f"{path}: cannot be locked: {error.strerror}; choose another folder with --out"
            raise TrainingError(problem, exit_code=exit_code_of(error)) from error

    def config(self) -> "Config":
        """The config that the run was trained with."""
        from seq2seq_cli.config.loader import load_saved_config

        try:
            return load_saved_config(self.path / CONFIG)
        except ConfigError as error:
            raise ModelFileError(f"{error}; the run folder is damaged") from error

    def write_config(self, config: "Config") -> None:
        """Write the resolved config."""
        from seq2seq_cli.config.loader import dump_config

        _write_text(self.path / CONFIG, dump_config(config))

    def write_codecs(self, codecs: "Codecs") -> None:
        """Write the codecs of both sides."""
        from seq2seq_cli.text.sides import save_codecs

        with _writing(self.path / "codec"):
            save_codecs(self.path, codecs)

    def provenance(self) -> "Provenance":
        """The corpus of the run and its origin; ModelFileError when that record is missing or damaged."""
        from seq2seq_cli.runs.provenance import Provenance

        return Provenance.read(self.path / CORPUS)

    def write_provenance(self, provenance: "Provenance") -> None:
        """Write the record of the corpus and the origin anew."""
        with _writing(self.path / CORPUS):
            provenance.write(self.path / CORPUS)

    def save_pairs(self, arrays: "Mapping[str, NDArray[Any]]") -> None:
        """Save the training pairs that translations consult: the arrays of `PAIR_FILES`."""
        import numpy as np

        for name, file in PAIR_FILES.items():
            with _writing(self.path / file), whole_file(self.path / file) as content:
                np.save(content, arrays[name], allow_pickle=False)

    def remove_pairs(self) -> None:
        """Remove the training pairs."""
        for file in PAIR_FILES.values():
            with _writing(self.path / file):
                (self.path / file).unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # not there, or something else is in it
            (self.path / PAIRS).rmdir()

    @property
    def has_pairs(self) -> bool:
        """Whether the training pairs are saved."""
        return all((self.path / file).is_file() for file in PAIR_FILES.values())

    def save_best(self, weights: "Weights") -> None:
        """Write the best weights."""
        from seq2seq_cli.runs.weights import save_weights

        with _writing(self.best_path):
            save_weights(self.best_path, weights)

    def save_epoch(self, weights: "Weights", epoch: int, keep: int) -> None:
        """Write the weights after `epoch`, and keep those of the `keep` newest epochs written; none when that is 0.

        Older ones are removed once the new ones are on the disk. So are those of later epochs: an earlier process that
        went on from here has left them.
        """
        from seq2seq_cli.runs.weights import save_weights

        if not keep:
            return
        path = self.path / EPOCHS / f"{epoch:04d}{_WEIGHTS}"
        with _writing(path):
            save_weights(path, weights)
            saved = {int(file.stem): file for file in path.parent.glob(f"*{_WEIGHTS}") if file.stem.isdecimal()}
            newest = sorted(number for number in saved if number <= epoch)[-keep:]
            for number in saved.keys() - newest:
                saved[number].unlink()

    def save_last(self, checkpoint: Mapping[str, Any]) -> None:
        """Write the checkpoint to resume from, with the present length of metrics.jsonl."""
        from seq2seq_cli.runs.checkpoint import save_checkpoint

        with _writing(self.last_path):
            save_checkpoint(self.last_path, {**checkpoint, METRICS_BYTES: self._metrics_bytes()})

    def read_last(self) -> dict[str, Any]:
        """The newest checkpoint; ModelFileError when there is none, or none that this s2s can read."""
        from seq2seq_cli.runs.checkpoint import load_checkpoint

        return load_checkpoint(self.last_path)

    def read_best(self) -> "Weights":
        """The best or the chosen weights; ModelFileError when they are missing or damaged."""
        from seq2seq_cli.runs.weights import read_weights

        return read_weights(self.chosen or self.best_path)

    def append_metrics(self, record: "Record") -> None:
        """Append a record to metrics.jsonl."""
        path = self.path / METRICS
        with _writing(path), path.open("a", encoding="utf-8") as file:
            file.write(record.model_dump_json() + "\n")
            file.flush()
            os.fsync(file.fileno())  # a checkpoint on the disk counts on the lines before it

    def cut_metrics(self, size: int) -> None:
        """Cut metrics.jsonl to its first `size` bytes: a resumed run writes the rest again.

        Bytes, not steps: two checkpoints of the same step can have a record between them.
        """
        path = self.path / METRICS
        if self._metrics_bytes() > size:
            with _writing(path), path.open("rb+") as file:
                file.truncate(size)
                os.fsync(file.fileno())

    def write_card(self, text: str) -> None:
        """Write the model card."""
        _write_text(self.path / CARD, text)

    def card(self) -> str | None:
        """The model card without the metadata at its top; None where there is none."""
        try:
            text = read_whole(self.path / CARD, most=_MOST_CARD_BYTES).decode("utf-8", "replace")
        except OSError:
            return None
        return text.partition("\n---\n")[2].lstrip() if text.startswith("---\n") else text

    def _metrics_bytes(self) -> int:
        path = self.path / METRICS
        return path.stat().st_size if path.is_file() else 0


def _write_text(path: Path, text: str) -> None:
    with _writing(path):
        write_whole(path, text.encode("utf-8"))


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Turn an OSError in the block into a TrainingError that names the file."""
    try:
        yield
    except OSError as error:
        raise TrainingError(
            f"{path}: cannot be written: {error.strerror}; what was saved before is untouched"
        ) from error
