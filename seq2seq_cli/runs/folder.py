"""The run folder: what it holds, and what is read of it.

runs/NAME/.s2s-run              the mark of a run, empty
         /config.yaml           the resolved config
         /codec/{src,tgt}.json  the codecs of both sides
         /best/model.safetensors   the best weights
              /encoder.onnx, decoder.onnx, features.onnx   the exported model, which refers
                             to these weights
              /export.json   the record of the exported model
         /last/training.pt      the checkpoint for `--resume`, and previous.pt, the one before it
         /epochs/0007.safetensors  the weights after epoch 7; of the newest validated ones, with `training.keep`
         /metrics.jsonl         the records of the run, one JSON object per line
         /corpus.json           the provenance: the corpus, and the run that the weights began with
         /pairs/*.npy           the training pairs that translations consult, with `decoding.similar_pairs`,
                             and what the best weights computed of them
         /members.json, members/2/ ...  the number of models that translate together, and the run folders of the others
         /trained.json          the hashes of the sentences that it and the runs before it were trained on
         /README.md             the model card
         /.lock                 held while a training runs
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from seq2seq_cli.errors import ConfigError, ModelFileError, TrainingError, UsageError, command_line, exit_code_of
from seq2seq_cli.runs import layout
from seq2seq_cli.runs.layout import BEST, CHECKPOINTS, CONFIG, CORPUS, LAST, LOCK, MEMBERS, WEIGHTS, find_run, named_run

# Imported where they are needed: translating finds its run without pydantic and numpy.
if TYPE_CHECKING:
    from seq2seq_cli.config.schema.config import Config
    from seq2seq_cli.runs.records import Provenance
    from seq2seq_cli.runs.weights import Weights


def resume_command(run: Path, *overrides: str) -> str:
    """The command that resumes the training of a run with overrides, such as ``training.max_minutes=12``."""
    settings = [word for override in overrides for word in ("--set", override)]
    if run.parent.name == MEMBERS and (run.parents[1] / CONFIG).is_file():
        run = run.parents[1]  # which goes on with all its models
    return command_line("s2s", "train", "--resume", "--out", str(run), *settings)


@dataclass(frozen=True)
class RunFolder:
    """One run on disk."""

    path: Path
    chosen: Path | None = None
    """The file of weights to translate with; None stands for the best ones."""

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
        if path is None or path.suffix != WEIGHTS:
            return cls.find(path)
        if not path.exists():
            raise ModelFileError(f"{path}: no such file of weights: RUN/epochs and RUN/best hold them")
        folder = path.parent.parent if len(path.parts) > 1 else Path("..")
        return replace(cls.find(folder), chosen=path)

    @property
    def members(self) -> "list[RunFolder]":
        """The run and those that translate together with it; the run alone with chosen weights.

        Raises ModelFileError as `find`, and for a damaged record of them.
        """
        numbers = () if self.chosen else range(2, layout.count_members(self.path) + 1)
        return [self, *(RunFolder.find(self.path / MEMBERS / str(number)) for number in numbers)]

    @property
    def best_path(self) -> Path:
        """The file of the best weights."""
        return self.path / BEST

    @property
    def weights_path(self) -> Path:
        """The file of weights to translate with."""
        return self.chosen or self.best_path

    @property
    def last_path(self) -> Path:
        """The checkpoint to resume from."""
        return self.path / LAST

    @property
    def has_checkpoint(self) -> bool:
        """Whether there is a checkpoint to resume from: the last one or the one before it."""
        return any((self.path / name).is_file() for name in CHECKPOINTS)

    def lock(self) -> AbstractContextManager[object]:
        """Take the lock, so that one process trains in the folder at a time; the end of the ``with`` block releases it.

        Raises UsageError when training holds it, also in this process; TrainingError when it cannot be locked.
        """
        from seq2seq_cli.files.whole_folder import hold

        path = self.path / LOCK
        try:
            return hold(path)
        except TimeoutError:
            raise UsageError(
                f"{self.path}: a training is running in it: wait for its end or stop it, or choose another folder with"
                " --out"
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

    def provenance(self) -> "Provenance":
        """The corpus of the run and its origin; ModelFileError when that record is missing or damaged."""
        from seq2seq_cli.runs.records import Provenance

        return Provenance.read(self.path / CORPUS)

    def read_best(self) -> "Weights":
        """The best or the chosen weights; ModelFileError when they are missing or damaged."""
        from seq2seq_cli.runs.weights import read_weights

        return read_weights(self.weights_path)
