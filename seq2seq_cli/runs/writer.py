"""A run folder that training writes: whole files, one training at a time, nothing of the user's replaced unasked."""

import contextlib
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.config.loader import dump_config
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.errors import ModelFileError, TrainingError, UsageError, exit_code_of
from seq2seq_cli.files.reading import FORMAT, check_contents
from seq2seq_cli.files.whole_folder import clear_leftovers, whole_folder
from seq2seq_cli.files.writing import make_folder, whole_file, write_json, write_whole
from seq2seq_cli.runs import layout
from seq2seq_cli.runs.checkpoint import save_checkpoint
from seq2seq_cli.runs.exported import ExportRecord
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.records import Provenance, Record
from seq2seq_cli.runs.weights import Weights, save_weights
from seq2seq_cli.text.sides import CODEC_FILES, Codecs, save_codecs

_OF_RUN = (
    *(layout.CONFIG, layout.CORPUS, layout.METRICS, layout.TRAINED, layout.CARD, layout.MEMBERS_RECORD, *CODEC_FILES),
    *(path.as_posix() for path in (layout.BEST, *layout.EXPORTED, *layout.OF_PAIRS.values(), *layout.CHECKPOINTS)),
    f"{layout.EPOCHS}/[0-9][0-9][0-9][0-9]{layout.WEIGHTS}",
)
_PATTERNS = (*_OF_RUN, layout.MARK, *(f"{layout.MEMBERS}/*/{pattern}" for pattern in _OF_RUN))
"""The files that a training replaces, but the marks of its members: these stay runs. Whatever else is in a run folder
belongs to the user."""
METRICS_BYTES = "metrics_bytes"
"""Key of a checkpoint: the length of metrics.jsonl when it was saved."""


class RunWriter(RunFolder):
    """One run on disk, as training writes it."""

    @classmethod
    def create(
        cls,
        path: Path,
        config: Config,
        provenance: Provenance,
        codecs: Codecs,
        trained: Mapping[str, Any],
        *,
        locks: ExitStack,
        overwrite: bool = False,
    ) -> "RunWriter":
        """A new run in `path`, whose lock `locks` takes before anything there is changed.

        `trained` is the content of ``trained.json``.

        Raises UsageError when `path` holds something that `overwrite` does not allow to replace, when a training is
        running there, when a link leads out of the run that is to be replaced, or when the name is not UTF-8.
        """
        check_name(path, "--out")
        clear_leftovers(path)
        layout.check_free(path, overwrite=overwrite)
        check_contents(path, layout.READ, error=UsageError)
        run = cls(path)
        try:
            make_folder(path)
            locks.enter_context(run.lock())
            layout.check_free(path, overwrite=overwrite)  # again: another run may just have begun here
            ours = [file.relative_to(path).as_posix() for pattern in _PATTERNS for file in path.glob(pattern)]
            with whole_folder(path, replaced=ours) as new:
                (new / layout.MARK).touch()
                (new / layout.CONFIG).write_bytes(dump_config(config).encode("utf-8"))
                save_codecs(new, codecs)
                (new / layout.CORPUS).write_bytes(provenance.content)
                write_json(new / layout.TRAINED, trained)
        except OSError as error:
            problem = f"{path}: cannot be made: {error.strerror}; choose another folder with --out"
            raise UsageError(problem, exit_code=exit_code_of(error)) from error
        return run

    def write(self, name: str | Path, content: bytes) -> None:
        """Write a file of the run, such as the model card or the record of the corpus and the origin."""
        with _writing(self.path / name) as path:
            write_whole(path, content)

    def write_config(self, config: Config) -> None:
        """Write the resolved config, and beside the exported model, if there is one, what it says on decoding."""
        content = dump_config(config).encode("utf-8")
        self.write(layout.CONFIG, content)
        with contextlib.suppress(ModelFileError):  # none exported
            record = ExportRecord.read(self.path).of_config(content, config.decoding.options)
            self.write(layout.EXPORT_RECORD, record.content)

    def save_pairs(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Save the training pairs that translations consult, or their features: arrays by their names in `OF_PAIRS`."""
        for name, values in arrays.items():
            array = np.ascontiguousarray(values)
            with _writing(self.path / layout.OF_PAIRS[name]) as path, whole_file(path) as file:
                # Not np.save, which calls tofile: its error does not say that the disk is full.
                np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(array))
                file.write(array.data)

    def remove_pairs(self) -> None:
        """Remove the training pairs and their features."""
        for file in layout.OF_PAIRS.values():
            with _writing(self.path / file) as path:
                path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # not there, or something else is in it
            (self.path / layout.PAIRS).rmdir()

    def write_members(self, count: int) -> None:
        """Write the number of models that translate together; no file for one."""
        with _writing(self.path / layout.MEMBERS_RECORD) as path:
            if count > 1:
                write_json(path, {"format": FORMAT, layout.MEMBERS: count})
            else:
                path.unlink(missing_ok=True)

    def save_best(self, weights: Weights) -> None:
        """Write the best weights."""
        with _writing(self.best_path) as path:
            save_weights(path, weights)

    def save_epoch(self, weights: Weights, epoch: int, keep: int) -> None:
        """Write the weights after `epoch`, and keep the weights of the `keep` newest epochs written.

        Older ones are removed once the new ones are on the disk. So are weights of later epochs, left by an earlier
        process that went on from here.
        """
        if not keep:
            return
        with _writing(self.path / layout.EPOCHS / f"{epoch:04d}{layout.WEIGHTS}") as path:
            save_weights(path, weights)
            saved = {int(file.stem): file for file in path.parent.glob(f"*{layout.WEIGHTS}") if file.stem.isdecimal()}
            newest = sorted(number for number in saved if number <= epoch)[-keep:]
            for number in saved.keys() - newest:
                saved[number].unlink()

    def save_last(self, checkpoint: Mapping[str, Any]) -> None:
        """Write the checkpoint to resume from, with the present length of metrics.jsonl."""
        with _writing(self.last_path) as path:
            save_checkpoint(path, {**checkpoint, METRICS_BYTES: self._metrics_bytes()})

    def append_metrics(self, record: Record) -> None:
        """Append a record to metrics.jsonl."""
        with _writing(self.path / layout.METRICS) as path, path.open("a", encoding="utf-8") as file:
            file.write(record.model_dump_json() + "\n")
            file.flush()
            os.fsync(file.fileno())  # a checkpoint on the disk counts on the lines before it

    def cut_metrics(self, size: int) -> None:
        """Cut metrics.jsonl to its first `size` bytes: a resumed run writes the rest again.

        Bytes, not steps: two checkpoints of the same step can have a record between them.
        """
        if self._metrics_bytes() > size:
            with _writing(self.path / layout.METRICS) as path, path.open("rb+") as file:
                file.truncate(size)
                os.fsync(file.fileno())

    def _metrics_bytes(self) -> int:
        path = self.path / layout.METRICS
        return path.stat().st_size if path.is_file() else 0


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[Path]:
    """The file that the block writes, which a TrainingError names in the place of an OSError."""
    try:
        yield path
    except OSError as error:
        problem = f"{path}: cannot be written: {error.strerror}"
        raise TrainingError(f"{problem}; what was saved before is untouched") from error


def check_name(path: Path, option: str) -> None:
    """Raise UsageError for a name that is not UTF-8: JSON cannot hold it."""
    try:
        str(path).encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError(f"{option} {path}: the name is not UTF-8: give the folder another") from None
