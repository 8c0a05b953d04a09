"""The runs that an evaluation is given, and the sentences that they are evaluated on."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from seq2seq_cli.corpus.manifest import DEFAULT_FOLDER
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.trained_sentences import TrainedSentences
from seq2seq_cli.errors import InputError, ModelFileError, PreparedFolderError, UsageError, one_line
from seq2seq_cli.evaluation.gold_alignment import GoldAlignment, read_gold_alignment
from seq2seq_cli.evaluation.test_set import TestSet, read_lines
from seq2seq_cli.pairs.pair_files import STANDARD_INPUT
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.provenance import Provenance

logger = logging.getLogger(__name__)


def find_runs(paths: Sequence[Path], *, needed: bool) -> list[RunFolder]:
    """The runs at paths; the newest one for no paths, where one is `needed`.

    Raises RunNotFoundError when there is none.
    """
    if not paths and not needed:
        return []
    return [RunFolder.find_model(path) for path in paths] or [RunFolder.find_model(None)]


def training_corpus(run: RunFolder) -> PreparedCorpus | None:
    """The corpus that a run was trained on; None where it is not at hand any more."""
    if not (provenance := _provenance(run)):
        return None
    try:
        corpus = PreparedCorpus.open(Path(provenance.folder))
    except PreparedFolderError:
        return None
    return corpus if corpus.fingerprint == provenance.fingerprint else None


def trained_sentences(run: RunFolder) -> TrainedSentences | None:
    """The sentences that a run was trained on, whatever has become of its corpus; None where the record is missing."""
    if not run.trained_path.exists():
        return None
    return TrainedSentences.read(run.trained_path)


def _provenance(run: RunFolder) -> Provenance | None:
    try:
        return run.provenance()
    except ModelFileError:
        return None


def find_test_set(
    runs: Sequence[RunFolder],
    training: PreparedCorpus | None,
    split: Literal["test", "valid"],
    data: Path | None,
    file: Path | None,
) -> TestSet:
    """The sentences; raises UsageError where they are not named, or twice."""
    if file and data:
        raise UsageError("--file and --data: give one of them")
    return _of_file(file, runs) if file else TestSet.of_split(_corpus(runs, training, data), split)


def leave_out_trained(tests: TestSet, runs: Sequence[RunFolder]) -> TestSet:
    """The pairs of a split that none of the runs, nor a run that one of them began with, was trained on.

    A warning tells how many the others are. Raises UsageError when no pair is left.
    """
    for run in runs:
        trained = trained_sentences(run)
        known = frozenset(np.flatnonzero(trained.share_a_side(tests.pairs)).tolist()) if trained else frozenset()
        if not known:
            continue
        told = f"{len(known):,} of {len(tests.pairs):,} pairs of {tests.name} have a sentence that {run.path} was"
        if len(known) == len(tests.pairs):
            raise UsageError(f"{told} trained on: name other pairs with --data or --file")
        logger.warning("%s trained on: they are left out of the scores", one_line(told))
        tests = tests.leaving_out(known)
    return tests


def find_gold_alignment(
    path: Path,
    runs: Sequence[RunFolder],
    training: PreparedCorpus | None,
    split: Literal["test", "valid"],
    data: Path | None,
    file: Path | None,
) -> GoldAlignment:
    """The gold alignment in a file, whose lines are those of `file`, or of the file that was prepared.

    That one is looked for beside the alignment, by its name; raises InputError when it is not there, or was changed.
    """
    if not runs:
        raise UsageError("--alignment: attention is a model's: name a run")
    if file == STANDARD_INPUT:
        raise UsageError("--alignment: the pairs of --file are read twice: name a file, not standard input")
    if file:
        swap = runs[0].config().data.swap
        return read_gold_alignment(path, read_lines(file, swap=swap), swap=swap)
    corpus = _opened(runs, training, data)
    prepared, options = corpus.manifest.pair_files, corpus.manifest.data
    records = [record for record in prepared if record.split in (None, split)]
    if len(records) != 1 or not records[0].describes(path.parent / records[0].name):
        names = one_line(" and ".join(record.name for record in records))
        raise InputError(
            f"{one_line(str(path))}: its lines belong to those of the file that {corpus.path} was prepared from"
            f" ({names}): put that one file beside it, as it was, or name pairs with --file"
        )
    pairs = read_lines(path.parent / records[0].name, encoding=options.encoding, swap=options.swap)
    return read_gold_alignment(path, pairs, swap=options.swap)


def _of_file(file: Path, runs: Sequence[RunFolder]) -> TestSet:
    if not runs:
        return TestSet.of_file(file, ("", ""))
    config = runs[0].config()
    languages = config.text.src.language or "", config.text.tgt.language or ""
    return TestSet.of_file(file, languages, swap=config.data.swap)


def _corpus(runs: Sequence[RunFolder], training: PreparedCorpus | None, data: Path | None) -> PreparedCorpus:
    """The corpus whose split is taken.

    A run that was trained on another is named in a warning, unless the report can count the pairs that it knows.
    """
    corpus = _opened(runs, training, data)
    for run in runs:
        if run.trained_path.exists():
            continue
        provenance = _provenance(run)
        if not provenance or provenance.fingerprint != corpus.fingerprint:
            logger.warning("%s was not trained on %s: it may know some of these sentences", run.path, corpus.path)
    return corpus


def _opened(runs: Sequence[RunFolder], training: PreparedCorpus | None, data: Path | None) -> PreparedCorpus:
    if data is None and runs and training is None:
        raise UsageError(
            f"the prepared folder of {runs[0].path} is missing or has changed: name one with --data, or pairs with"
            " --file"
        )
    return training if training and data is None else PreparedCorpus.open(data or DEFAULT_FOLDER)
