"""The runs that an evaluation is given, and the sentences that they are evaluated on."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from seq2seq_cli.corpus.manifest import DEFAULT_FOLDER
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.trained_sentences import TrainedSentences
from seq2seq_cli.counts import counted
from seq2seq_cli.errors import InputError, ModelFileError, PreparedFolderError, UsageError, one_line
from seq2seq_cli.evaluation.gold_alignment import GoldAlignment, read_gold_alignment
from seq2seq_cli.evaluation.test_set import TestSet, read_lines
from seq2seq_cli.pairs.archives import STANDARD_INPUT
from seq2seq_cli.pairs.columns import read_columns
from seq2seq_cli.pairs.languages import guess_languages, language_named
from seq2seq_cli.pairs.lines import check_encoding
from seq2seq_cli.runs.archive import is_archive, opened_run
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.provenance import Provenance

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class EvaluatedRun:
    """A run that is evaluated."""

    name: str
    """The path that the user knows it by: its folder, one of its files of weights, or its archive."""
    folder: RunFolder
    """That of an archive lasts as long as `opened_runs`."""

    @cached_property
    def trained(self) -> TrainedSentences | None:
        """The sentences that it was trained on, whatever has become of its corpus; None where the record is missing."""
        path = self.folder.trained_path
        return TrainedSentences.read(path) if path.exists() else None

    @property
    def provenance(self) -> Provenance | None:
        """The record of its corpus; None where it is missing or damaged."""
        try:
            return self.folder.provenance()
        except ModelFileError:
            return None


@dataclass(frozen=True, kw_only=True)
class OwnPairs:
    """Files of sentence pairs that take the place of a split, as ``s2s prepare`` takes them; none for the split."""

    paths: Sequence[Path] = ()
    columns: str | None = None
    encoding: str | None = None
    """None: UTF-8, or what a byte order mark names."""

    def check(self) -> None:
        """Raise UsageError for what is said of files where there are none, ConfigError for what cannot be used."""
        if self.encoding is not None:
            check_encoding(self.encoding, "--encoding")
        if self.columns is not None:
            read_columns(self.columns, "--columns")
        for option, value in {"--columns": self.columns, "--encoding": self.encoding}.items():
            if value is not None and not self.paths:
                raise UsageError(f"{option} is for --file alone: give --file as well, or leave it out")


@contextmanager
def opened_runs(paths: Sequence[Path], *, needed: bool) -> Iterator[list[EvaluatedRun]]:
    """The runs at paths, archives as well; the newest one for no paths, where one is `needed`.

    Raises ModelFileError when there is none.
    """
    wanted: Sequence[Path | None] = paths or ([None] if needed else [])
    with ExitStack() as held:
        folders = [held.enter_context(opened_run(path)) for path in wanted]
        yield [
            EvaluatedRun(name=str(path if is_archive(path) else folder.chosen or folder.path), folder=folder)
            for path, folder in zip(wanted, folders, strict=True)
        ]


def training_corpus(run: EvaluatedRun) -> PreparedCorpus | None:
    """The corpus that a run was trained on; None where it is not at hand any more."""
    if not (provenance := run.provenance):
        return None
    try:
        corpus = PreparedCorpus.open(Path(provenance.folder))
    except (PreparedFolderError, OSError):  # perhaps the folder of a stranger, without the right to read it
        return None
    return corpus if corpus.fingerprint == provenance.fingerprint else None


def find_test_set(
    runs: Sequence[EvaluatedRun],
    training: PreparedCorpus | None,
    split: Literal["test", "valid"],
    data: Path | None,
    own: OwnPairs,
) -> TestSet:
    """The sentences; raises UsageError where they are not named, or twice."""
    if own.paths and data:
        raise UsageError("--file and --data: give one of them")
    return _of_files(own, runs) if own.paths else TestSet.of_split(_corpus(runs, training, data), split)


def leave_out_trained(tests: TestSet, runs: Sequence[EvaluatedRun]) -> TestSet:
    """The pairs of a split that none of the runs, nor a run that one of them began with, was trained on.

    A warning gives the number of the others. Raises UsageError when no pair is left.
    """
    for run in runs:
        if run.trained is None:
            continue
        known = frozenset(np.flatnonzero(run.trained.share_a_side(tests.pairs)).tolist())
        if not known:
            continue
        pairs = counted(len(tests.pairs), "pair")
        problem = f"{len(known):,} of {pairs} of {tests.name} have a sentence that {run.name} was"
        if len(known) == len(tests.pairs):
            raise UsageError(f"{problem} trained on: name other pairs with --data or --file")
        logger.warning("%s trained on: they are left out of the scores", one_line(problem))
        tests = tests.leaving_out(known)
    return tests


def find_gold_alignment(
    path: Path,
    runs: Sequence[EvaluatedRun],
    training: PreparedCorpus | None,
    split: Literal["test", "valid"],
    data: Path | None,
    own: OwnPairs,
) -> GoldAlignment:
    """The gold alignment in a file, whose lines are those of the user's `own` pairs, or of the file that was prepared.

    That one is looked for beside the alignment, by its name; raises InputError when it is not there, or was changed.
    """
    if not runs:
        raise UsageError("--alignment: attention is a model's: name a run")
    if any(path == STANDARD_INPUT or path.is_fifo() for path in own.paths):
        raise UsageError("--alignment: the pairs of --file are read twice: name a file, not standard input or a pipe")
    if own.paths:
        swap = runs[0].folder.config().data.swap
        pairs = read_lines(own.paths, encoding=own.encoding, columns=own.columns, languages=_languages(runs), swap=swap)
        return read_gold_alignment(path, pairs, swap=swap)
    corpus = _opened(runs, training, data)
    prepared, options = corpus.manifest.pair_files, corpus.manifest.data
    given = [record for record in prepared if record.split == split]
    records = given or [record for record in prepared if record.split is None]
    if len(records) != 1 or not records[0].describes(path.parent / records[0].name):
        names = one_line(" and ".join(record.name for record in records))
        raise InputError(
            f"{one_line(str(path))}: its lines belong to those of the file that {corpus.path} was prepared from"
            f" ({names}): put that one file beside it, as it was, or name pairs with --file"
        )
    pairs = read_lines(
        [path.parent / records[0].name],
        encoding=options.encoding,
        columns=options.columns,
        languages=_languages(runs),
        swap=options.swap,
    )
    return read_gold_alignment(path, pairs, swap=options.swap)


def _of_files(own: OwnPairs, runs: Sequence[EvaluatedRun]) -> TestSet:
    swap = bool(runs) and runs[0].folder.config().data.swap
    languages = _languages(runs) if runs else _named_languages(own)
    return TestSet.of_files(own.paths, languages, encoding=own.encoding, columns=own.columns, swap=swap)


def _named_languages(own: OwnPairs) -> tuple[str, str]:
    """The languages that the names of the columns state, or else those of the files; empty where they are not named."""
    src, tgt = map(language_named, read_columns(own.columns)) if own.columns is not None else (None, None)
    if src and tgt:
        return src, tgt
    return guess_languages([file.name for file in own.paths]) or ("", "")


def _languages(runs: Sequence[EvaluatedRun]) -> tuple[str, str]:
    """The languages of the first run's source and target; empty without a run."""
    if not runs:
        return "", ""
    text = runs[0].folder.config().text
    return text.src.language or "", text.tgt.language or ""


def _corpus(runs: Sequence[EvaluatedRun], training: PreparedCorpus | None, data: Path | None) -> PreparedCorpus:
    """The corpus whose split is taken.

    A run that was trained on another is named in a warning, unless the report can count the pairs that it knows.
    """
    corpus = _opened(runs, training, data)
    for run in runs:
        if run.trained is not None:
            continue
        if not run.provenance or run.provenance.fingerprint != corpus.fingerprint:
            logger.warning(
                "%s was not trained on %s, and may know some of these sentences: its trained.json, which would tell, is"
                " missing; restore it, or name the folder that it was trained in",
                one_line(run.name),
                one_line(str(corpus.path)),
            )
    return corpus


def _opened(runs: Sequence[EvaluatedRun], training: PreparedCorpus | None, data: Path | None) -> PreparedCorpus:
    if data is None and runs and training is None:
        raise UsageError(
            f"the prepared folder of {runs[0].name} is missing or has changed: name one with --data, or pairs with"
            " --file"
        )
    return training if training and data is None else PreparedCorpus.open(data or DEFAULT_FOLDER)
