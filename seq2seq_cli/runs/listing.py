"""Runs read from their folders, listed, compared and told of: config, state, scores. Without torch."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

from seq2seq_cli.config.keys import differing_values
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.counts import place_in_words
from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.files.whole_folder import is_held
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import BEST, CONFIG, CORPUS, LOCK, MARK, METRICS
from seq2seq_cli.runs.records import History, Provenance, read_history
from seq2seq_cli.runs.weights import read_header


@dataclass(frozen=True, kw_only=True)
class Run:
    """The contents of a run folder, without its weights."""

    path: Path
    config: Config
    history: History
    running: bool
    """Whether a process is training it now."""
    provenance: Provenance
    members: int = 1
    """The models that translate together: 1 until all are trained."""

    @classmethod
    def read(cls, path: Path) -> "Run":
        """Read a run folder; raises ModelFileError when it is missing, no run folder, or damaged."""
        run = RunFolder.find(path)
        running = is_held(run.path / LOCK)  # before the records are read: the last ones are written with the lock held
        return cls(
            path=run.path,
            config=run.config(),
            history=read_history(run.path),
            running=running,
            provenance=run.provenance(),
            members=len(run.members),
        )

    @property
    def state(self) -> str:
        """The state in words: running, interrupted, finished, stopped by a limit, or exported, without any record."""
        epochs, planned, wanted = self.history.epochs, self.config.training.epochs, self.config.training.members
        resumable = " (resumable)" if RunFolder(self.path).has_checkpoint else ""
        if self.running and self.history.reason:
            return f"running, in {'its other models or ' if wanted > 1 else ''}the test"
        if self.running:
            return f"running, in epoch {min(planned, int(epochs) + 1)} of {planned}"
        if self.history.reason and self.members < wanted:
            return f"interrupted before all {wanted} models were trained{resumable}"
        if self.history.reason:
            return f"{'finished' if epochs >= planned else 'stopped'}: {self.history.reason}"
        if (self.path / BEST).is_file() and not (self.path / METRICS).exists() and not resumable:
            return "exported"
        return f"interrupted {place_in_words(epochs, planned)}{resumable}"

    @cached_property
    def parameters(self) -> int | None:
        """Number of weights of the model; None before the first weights are saved, and when these are damaged."""
        with contextlib.suppress(ModelFileError):
            return read_header(self.path / BEST).parameters
        return None


Row: TypeAlias = tuple[str, list[object]]
"""A line of a comparison: its name and the value of each run, None where a run has none."""


def list_runs(folder: Path) -> dict[Path, Run | str]:
    """The runs in a folder by their paths, the last changed first; of a damaged one, the message why it is.

    A run in whose folder this user may not look is left out. Raises ModelFileError for a folder that cannot be read.
    """
    if not (folder.is_dir() and os.access(folder, os.R_OK | os.X_OK)):
        cure = "train a run first (s2s train), or name another one with --in"
        raise ModelFileError(f"{folder}: no folder that can be read: {cure}")
    changed: dict[Path, int] = {}
    for file in chain.from_iterable(folder.glob(f"[!.]*/{name}") for name in (CONFIG, METRICS, CORPUS, MARK)):
        with contextlib.suppress(OSError):  # removed meanwhile
            changed[file.parent] = max(file.stat().st_mtime_ns, changed.get(file.parent, 0))
    return {path: _read(path) for path in sorted(changed, key=changed.__getitem__, reverse=True)}


def find_runs(names: Sequence[str], folder: Path) -> list[Run]:
    """The runs of these names in ``folder``, or else at these paths, each once; without names, its newest run.

    Raises ModelFileError as `RunFolder.find`, and for a damaged run.
    """
    wanted = [RunFolder.find(Path(name), folder) for name in names] or [RunFolder.find(None, folder)]
    found = {run.path.resolve(): run.path for run in wanted}
    return list(map(Run.read, found.values()))


def config_differences(runs: Sequence[Run]) -> list[Row]:
    """The config keys with different values, in the order of the schema, then the corpus and the initial weights."""
    origins: list[Row] = [
        ("trained on", [run.provenance.folder for run in runs]),
        ("initial weights", [run.provenance.init_from for run in runs]),
    ]
    differing = [(key, values) for key, values in origins if any(value != values[0] for value in values)]
    return [*differing_values([run.config for run in runs]), *differing]


def results(runs: Sequence[Run]) -> list[Row]:
    """State, scores of the best weights, time, speed and size of the runs; no line without any value."""
    columns = [dict(_results(run)) for run in runs]
    rows = [(key, [column[key] for column in columns]) for key in columns[0]]
    return [(key, values) for key, values in rows if any(value is not None for value in values)]


def comparability(runs: Sequence[Run]) -> Iterator[str]:
    """The reasons why the scores of these runs cannot be compared, one sentence each."""
    if len({run.provenance.fingerprint for run in runs}) > 1:
        yield "the runs were trained on different data: scores may be of different sentences"
    for metric in ("bleu", "chrf"):
        found = (run.history.best.signatures.get(metric) for run in runs if run.history.best)
        signatures = {signature for signature in found if signature}
        if len(signatures) > 1:
            yield f"{metric} was computed with different settings: {', '.join(sorted(signatures))}"


def about_run(run: RunFolder, *, lacks: Sequence[str] = ()) -> dict[str, Any]:
    """The facts of a run that pages tell, from its records, without those that are missing or damaged.

    `lines` are sentences on its maker, its data and, unless weights are chosen, its verdict, which may be of more than
    a page has: of what it `lacks`, too; `example` is a sentence to try, empty where none is known.
    """
    author, made, example = run.config().training.author, [], ""
    by = f" by {author}" if author else ""
    with contextlib.suppress(ModelFileError):
        record = run.provenance()
        files = f" ({', '.join(record.pair_files)})" if record.pair_files else ""
        on = f" on {record.date}" if record.date else ""
        made = [f"Made{by} from {record.pairs.get('train', 0):,} sentence pairs{files}{on}."]
    with contextlib.suppress(ModelFileError):
        if not run.chosen and (test := read_history(run.path).test):
            made += [test.verdict] if test.verdict else []
            if test.verdict and lacks:
                made.append(f"It was tested with its {' and '.join(lacks)}; without, as on this page, it is less good.")
            example = test.example or ""
    return {"lines": made or [f"Made{by}."] * bool(by), "example": example}


def _results(run: Run) -> Iterator[tuple[str, object]]:
    best, test = run.history.best, run.history.test
    yield "state", run.state
    yield "best epoch", best and best.epoch
    yield "bleu", best and best.bleu
    yield "chrf", best and best.chrf
    yield "loss", best and best.loss
    yield "test bleu", test and test.bleu
    yield "test bleu, lower case", test and test.lowercase_bleu
    yield "test chrf", test and test.chrf
    yield "minutes", run.history.minutes
    yield "tokens/s", run.history.tokens_per_second
    yield "parameters", run.parameters


def _read(path: Path) -> Run | str:
    try:
        return Run.read(path)
    except (ModelFileError, OSError) as error:
        return str(error)
