"""``s2s evaluate`` as a function."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from seq2seq_cli.config.choices import DeviceName
from seq2seq_cli.decoding.load import load
from seq2seq_cli.errors import UsageError, one_line
from seq2seq_cli.evaluation.findings import Findings, find_out
from seq2seq_cli.evaluation.gold_alignment import GoldAlignment
from seq2seq_cli.evaluation.system import SystemOutput, read_hypotheses, translate_test_set
from seq2seq_cli.evaluation.test_data import (
    EvaluatedRun,
    OwnPairs,
    find_gold_alignment,
    find_test_set,
    leave_out_trained,
    opened_runs,
    training_corpus,
)
from seq2seq_cli.evaluation.test_set import TestSet
from seq2seq_cli.evaluation.training_sources import TrainingSources
from seq2seq_cli.text.spacy_tokenizers import ANY_LANGUAGE


def evaluate(
    *runs: Path | str,
    split: Literal["test", "valid"] = "test",
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

    The sentences are a split of the prepared folder `data`, by default of the one that the first run was trained on,
    without those that a run knows; or the pairs of `files`, as `prepare` takes them, whose two `columns` are named or
    numbered (``en,de``); `encoding` is theirs, by default UTF-8. `alignment` is a file of gold links of their words, a
    line per pair. `hypotheses` are files of translations made elsewhere, one per line: they are evaluated after the
    runs, or alone. `overrides` are keys of the ``decoding`` section with other values, as text.

    Raises S2SError: InputErrors for runs, folders and files that cannot be used, UsageError for sentences that are not
    named, or named twice.
    """
    folder = Path(data) if data else None
    own = OwnPairs(paths=tuple(map(Path, files)), columns=columns, encoding=encoding)
    own.check()
    with opened_runs(list(map(Path, runs)), needed=not hypotheses) as found:
        training = training_corpus(found[0]) if found else None
        gold = None
        if alignment:
            gold = find_gold_alignment(Path(alignment), found, training, split, folder, own)
        whole = find_test_set(found, training, split, folder, own)
        _check_languages(found, whole)
        tests = whole if files else leave_out_trained(whole, found)
        written = [read_hypotheses(Path(path), whole).on(tests) for path in hypotheses]  # before all that takes time
        outputs = [*(_translate(run, tests, gold, device, overrides) for run in found), *written]
    sources = TrainingSources(training.texts("train", "src"), tests.languages[0]) if training else None
    return find_out(outputs, tests, sources)


def _check_languages(runs: Sequence[EvaluatedRun], tests: TestSet) -> None:
    """Raise UsageError for a run that translates other languages than those of the sentences, where they are known."""
    for run in runs:
        text = run.folder.config().text
        translated = (text.src.language, text.tgt.language)
        known = [(one, other) for one, other in zip(translated, tests.languages, strict=True) if one and other]
        if any(one != other for one, other in known if ANY_LANGUAGE not in (one, other)):
            raise UsageError(
                f"{tests.name}: {' to '.join(tests.languages)}, but {one_line(run.name)} translates"
                f" {' to '.join(map(str, translated))}: give sentences in its languages"
            )


def _translate(
    run: EvaluatedRun, tests: TestSet, gold: GoldAlignment | None, device: DeviceName, overrides: Sequence[str]
) -> SystemOutput:
    translator = load(run.folder.chosen or run.folder.path, device=device, overrides=overrides).translator
    return translate_test_set(run.name, translator, tests, run.trained, gold)
