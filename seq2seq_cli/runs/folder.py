"""The run folder: what it holds, and what is read of it.

runs/NAME/.s2s-run              the mark of a run, empty
         /config.yaml           the resolved config
         /codec/{src,tgt}.json  the codecs of both sides
         /best/model.safetensors   the best weights
              /encoder.onnx, decoder.onnx, features.onnx, search.onnx   the exported model, which
                             refers to these weights
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

from collections.abc import Iterable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Self

from seq2seq_cli.errors import ConfigError, ModelFileError, TrainingError, UsageError, command_line, exit_code_of
from seq2seq_cli.files.reading import check_contents
from seq2seq_cli.runs import layout
from seq2seq_cli.runs.layout import BEST, CHECKPOINTS, CONFIG, CORPUS, LAST, LOCK, MEMBERS, READ, RUNS, WEIGHTS

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
    def find(cls, path: Path | None, folder: Path = RUNS) -> Self:
        """The run at `path`, see `named_run`; None: the one of `folder` whose best weights were written last.

        Raises ModelFileError, with similar names in `folder`, when there is none, and for a folder in which a FIFO, a
        device or a link that leads out of it stands in the place of a file.
        """
        path = _newest(folder, [f"[!.]*/{BEST}"]) if path is None else named_run(path, folder)
        if path is None:
            named = "name a run folder (to translate, score or serve, with --model)"
            raise ModelFileError(f"no run with weights is in {folder}/: train one (s2s train), or {named}")
        if not path.exists():
            runs = {run.name: run for run in _inside(folder)}
            similar = [runs[name] for name in get_close_matches(path.name, runs)]
            raise ModelFileError(f"{path}: no such run folder{_did_you_mean(similar)}")
        check_contents(path, READ, error=ModelFileError)
        if not (path / CONFIG).is_file():
            made = "; unpack it, and name the folder" if path.suffix == ".zip" else "; s2s train makes one"
            meant = _did_you_mean(_inside(path) or _inside(path / RUNS))  # a comparison has its runs in the latter
            raise ModelFileError(f"{path}: not a run folder: it has no config.yaml{meant or made}")
        return cls(path)

    @classmethod
    def find_model(cls, path: Path | None) -> Self:
        """The run to translate with: as `find`, or by a file of its weights, such as RUN/epochs/0007.safetensors."""
        path = path and named_run(path)
        if path is None or path.suffix != WEIGHTS:
            return cls.find(path)
        if not path.exists():
            raise ModelFileError(f"{path}: no such file of weights: RUN/epochs and RUN/best hold them")
        folder = path.parent.parent if len(path.parts) > 1 else Path("..")
        return replace(cls.find(folder), chosen=path)

    @property
    def members(self) -> "list[RunFolder]":
        """The run and those that translate together with it, or the run alone with chosen weights; raises as `find`."""
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
            cure = "wait for its end or stop it, or choose another folder with --out"
            raise UsageError(f"{self.path}: a training is running in it: {cure}") from None
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


def find_saved_last() -> Path:
    """The run of `runs/` with the newest checkpoint; ModelFileError when there is none."""
    run = _newest(RUNS, (f"{model}/{name}" for model in ("[!.]*", f"[!.]*/{MEMBERS}/*") for name in CHECKPOINTS))
    if run is None:
        raise ModelFileError(f"no run to resume is in {RUNS}/ here: name its folder with --out")
    return run


def named_run(path: Path, folder: Path = RUNS) -> Path:
    """The path of a run: a name alone means a run here, or else one in the folder."""
    is_elsewhere = path.name == str(path) and not (path / CONFIG).is_file() and (folder / path).exists()
    return folder / path if is_elsewhere else path


def _newest(folder: Path, patterns: Iterable[str]) -> Path | None:
    """The run in a folder that has the last written one of the files of these patterns; None where none has any."""
    found: list[tuple[int, Path]] = []
    for file in chain.from_iterable(map(folder.glob, patterns)):
        with suppress(OSError):  # gone meanwhile, or no right to look at it
            found.append((file.stat().st_mtime_ns, folder / file.relative_to(folder).parts[0]))
    return max(found)[1] if found else None


def _inside(folder: Path) -> list[Path]:
    """The runs in a folder, in the order of their names."""
    return [path.parent for path in sorted(folder.glob(f"*/{CONFIG}"))]


def _did_you_mean(runs: list[Path]) -> str:
    """The end of a message that names some of these runs; empty for none."""
    return f"; did you mean {' or '.join(map(str, runs[:3]))}?" if runs else ""
