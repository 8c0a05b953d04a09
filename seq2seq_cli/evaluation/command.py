"""``s2s evaluate`` as a function: the runs, the sentences that none of them knows, and the figures of all."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import compress
from pathlib import Path
from typing import Literal

from seq2seq_cli.config.choices import DeviceName
from seq2seq_cli.corpus.manifest import DEFAULT_FOLDER
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.trained_sentences import TrainedSentences
from seq2seq_cli.counts import counted
from seq2seq_cli.decoding.load import load
from seq2seq_cli.errors import ModelFileError, PreparedFolderError, UsageError, one_line
from seq2seq_cli.evaluation.attention_figures import read_gold_alignment
from seq2seq_cli.evaluation.evaluation_set import EvaluationSet, read_hypotheses, read_pair_lines, translate_set
from seq2seq_cli.evaluation.figures import Findings, find_out
from seq2seq_cli.evaluation.verdict import count_words
from seq2seq_cli.pairs.columns import read_columns
from seq2seq_cli.pairs.stated_languages import guess_languages, language_named
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import TRAINED
from seq2seq_cli.text.spacy_tokenizers import ANY_LANGUAGE

logger = logging.getLogger(__name__)


class EvaluatedRun(RunFolder):
    """A run that is evaluated."""

    @property
    def name(self) -> str:
        """The path that the user knows it by: its folder, or one of its files of weights."""
        return str(self.chosen or self.path)

    @cached_property
    def trained(self) -> TrainedSentences | None:
        """The sentences that it was trained on, whatever has become of its corpus; None where the record is missing."""
        path = self.path / TRAINED
        return TrainedSentences.read(path) if path.exists() else None

    @cached_property
    def corpus(self) -> PreparedCorpus | None:
        """The corpus that it was trained on; None where that is not at hand any more."""
        try:
            provenance = self.provenance()
            corpus = replace(PreparedCorpus.open(Path(provenance.folder)), corrections=provenance.corrections)
        except (ModelFileError, PreparedFolderError, OSError):  # perhaps a stranger's, without the right to read it
            return None
        return corpus if corpus.fingerprint == provenance.fingerprint else None


def evaluate(
    *runs: Path | str,
    split: Literal["test", "valid"] | None = None,
    data: Path | str | None = None,
    files: Sequence[Path | str] = (),
    columns: str | None = None,
    encoding: str | None = None,
    alignment: Path | str | None = None,
    hypotheses: Sequence[Path | str] = (),
    device: DeviceName = "auto",
    overrides: Sequence[str] = (),
) -> Findings:
    """The figures of `runs` on held-out sentences, by default of the newest run, and their differences from the first.

    The sentences are a split, by default ``test``, of the prepared folder `data`, or else of the one that the first run
    was trained on, without those that a run knows; or the pairs of `files`, as `prepare` takes them, whose two
    `columns` are named or numbered (``en,de``); `encoding` is theirs, by default UTF-8. `alignment` is a file of gold
    links of their words, a line per line of `files`. `hypotheses` are files of translations made elsewhere, one per
    line: they are evaluated after the runs, or alone. `overrides` are keys of the ``decoding`` section with other
    values, as text.

    Raises S2SError: InputErrors for runs, folders and files that cannot be used, UsageError for sentences that are not
    named, or named twice, and for options of files without a file.
    """
    for option, value in {"--columns": columns, "--encoding": encoding, "--alignment": alignment}.items():
        if value is not None and not files:
            raise UsageError(f"{option} is for --file alone: give --file as well, or leave it out")
    for option, of_corpus in {"--data": data, "--split": split}.items():
        if files and of_corpus:
            raise UsageError(f"--file and {option}: give one of them")
    wanted: list[Path | None] = [*map(Path, runs)] or ([] if hypotheses else [None])
    found = [EvaluatedRun.find_model(path) for path in wanted]
    if alignment and not found:
        raise UsageError("--alignment: attention is a model's: name a run")
    gold = None
    if files:
        paths, swap = list(map(Path, files)), bool(found) and found[0].config().data.swap
        languages = found[0].config().text.languages if found else _named_languages(paths, columns)
        lines = list(read_pair_lines(paths, encoding=encoding, columns=columns, languages=languages, swap=swap))
        whole = EvaluationSet.of_lines(lines, paths, languages)
        gold = read_gold_alignment(Path(alignment), lines, swap=swap) if alignment else None
    else:
        whole = EvaluationSet.of_split(corpus_of(found, Path(data) if data else None), split or "test")
    _check_languages(found, whole)
    tests = whole if files else leave_out_trained(whole, found)
    written = [read_hypotheses(Path(path), whole) for path in hypotheses]  # before all that takes time
    outputs = []
    for run in found:
        translator = load(run.name, device=device, overrides=overrides).uncorrected
        if gold and not translator.engine.has_attention:
            logger.warning("%s: has no attention to compare with --alignment", one_line(run.name))
        output = translate_set(run.name, translator, tests, run.trained, gold)
        least_covered = run.config().training.help.least_covered
        seen = count_words(run.corpus.trained_texts("tgt", least_covered), tests) if run.corpus else None
        outputs.append(replace(output, seen=seen))
    return find_out([*outputs, *written], tests)


def _named_languages(paths: Sequence[Path], columns: str | None) -> tuple[str, str]:
    """The languages that the names of the columns state, or else the names of the files; empty where neither does."""
    src, tgt = map(language_named, read_columns(columns)) if columns is not None else (None, None)
    return (src, tgt) if src and tgt else guess_languages([file.name for file in paths]) or ("", "")


def corpus_of(runs: Sequence[EvaluatedRun], data: Path | None) -> PreparedCorpus:
    """The corpus whose split is taken: `data`, or the folder of the first run, whose training it tells.

    A run without a record of its training sentences is named in a warning, unless the corpus is its own.
    """
    corpus = PreparedCorpus.open(data or DEFAULT_FOLDER) if data or not runs else runs[0].corpus
    if corpus is None:
        problem = f"the prepared folder of {runs[0].name} is missing or has changed"
        raise UsageError(f"{problem}: name one with --data, or pairs with --file")
    for run in runs:
        if run.trained is None and not ((own := run.corpus) and own.fingerprint == corpus.fingerprint):
            name = one_line(run.name)
            logger.warning("%s may know some of these sentences: its trained.json, which would tell, is missing", name)
    return corpus


def _check_languages(runs: Sequence[EvaluatedRun], tests: EvaluationSet) -> None:
    """Raise UsageError for a run that translates other languages than the sentences have, where these are known."""
    for run in runs:
        own = run.config().text.languages
        known = [(one, other) for one, other in zip(own, tests.languages, strict=True) if one and other]
        if any(one != other for one, other in known if ANY_LANGUAGE not in (one, other)):
            others = f"{' to '.join(tests.languages)}, but {one_line(run.name)} translates {' to '.join(own)}"
            raise UsageError(f"{tests.name}: {others}: give sentences in its languages")


def leave_out_trained(tests: EvaluationSet, runs: Sequence[EvaluatedRun]) -> EvaluationSet:
    """The pairs of a split that none of the runs, nor a run that one of them began with, was trained on.

    A warning gives the number of the others. Raises UsageError when no pair is left.
    """
    for run in runs:
        if run.trained is None or not (is_known := run.trained.share_a_side(tests.pairs)).any():
            continue
        left, pairs = tuple(compress(tests.pairs, ~is_known)), counted(len(tests.pairs), "pair")
        problem = f"{is_known.sum():,} of {pairs} of {tests.name} have a sentence that {run.name} was"
        if not left:
            raise UsageError(f"{problem} trained on: name other pairs with --data or --file")
        logger.warning("%s trained on: they are left out of the scores", one_line(problem))
        tests = replace(tests, pairs=left)
    return tests
