"""A training followed from its metrics.jsonl, whoever trains it."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

from seq2seq_cli.cli.training.display import TESTING, Display, epoch_line
from seq2seq_cli.cli.training.standing import Standing
from seq2seq_cli.counts import counted
from seq2seq_cli.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from seq2seq_cli.config.schema.training import TrainingConfig
    from seq2seq_cli.runs.listing import Run
    from seq2seq_cli.runs.metrics import Record

_PAUSE = 0.5
"""Seconds between two looks into the file."""


def choose_running(folder: Path) -> "Run":
    """The run of a folder that is being trained, the last changed if there are several; raises UsageError for none."""
    from seq2seq_cli.runs.listing import Run, list_runs

    running = [run for run in list_runs(folder) if isinstance(run, Run) and run.running]
    if not running:
        raise UsageError(f"no training is running in {folder}: name a run to see how its training went")
    return running[0]


def watch(run: "Run", display: Display) -> None:
    """Show a training until it ends."""
    from seq2seq_cli.runs.layout import LOCK
    from seq2seq_cli.runs.lock import is_held
    from seq2seq_cli.runs.metrics import MetricsReader, Record

    display.tell(f"{run.path}: {run.model_in_words}; {counted(run.provenance.pairs['train'], 'pair')}")
    reader, seen = MetricsReader(run.path), list[Record]()
    while True:
        is_running = is_held(run.path / LOCK)  # before reading: the last records are written with the lock held
        new = reader.read()
        seen += new
        _tell_epochs(new, display)
        if not is_running:
            break
        _show(seen, run.config.training, display)
        time.sleep(_PAUSE)
    display.close()
    for line in _end_lines(run.path):
        display.tell(line)


def _tell_epochs(records: "Sequence[Record]", display: Display) -> None:
    from seq2seq_cli.runs.metrics import EpochRecord

    for record in records:
        if isinstance(record, EpochRecord):
            display.tell(
                epoch_line(
                    record.epoch,
                    record.train_loss,
                    loss=record.loss,
                    bleu=record.bleu,
                    chrf=record.chrf,
                    averaged=record.averaged,
                    is_best=record.best,
                )
            )


def _show(records: "Sequence[Record]", training: "TrainingConfig", display: Display) -> None:
    """Show how far a running training is."""
    from seq2seq_cli.runs.metrics import EndRecord, EpochRecord, StepRecord, TestRecord

    last = records[-1] if records else None
    if not isinstance(last, StepRecord | EpochRecord):
        is_over = isinstance(last, EndRecord | TestRecord)
        display.work(TESTING if is_over else "waiting for the next record; every hundredth update has one")
        return
    rate = next((r.tokens_per_second for r in reversed(records) if isinstance(r, StepRecord)), None)
    begins_next = isinstance(last, EpochRecord) and last.epochs == last.epoch < training.epochs
    display.show(
        Standing(
            training=training,
            epoch=last.epoch + begins_next,
            epochs=last.epochs,
            seconds=last.seconds,
            loss=last.train_loss,
            tokens_per_second=rate,
        )
    )


def _end_lines(path: Path) -> list[str]:
    """The end of a training in lines: state, best weights, scores of the test split."""
    from seq2seq_cli.runs.in_words import score_in_words
    from seq2seq_cli.runs.listing import Run

    run = Run.read(path)
    best, test = run.history.best_in_words(run.config.training.metric), run.history.test
    lines = [run.state_in_words + (f"; best: {best}" if best else "")]
    if test:
        lines.append(f"test split: {score_in_words('bleu', test.bleu)}, {score_in_words('chrf', test.chrf)}")
    return lines
