"""What pages tell of a run: its maker, its data, its verdict, a sentence to try, and how its attention arose."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from seq2seq_cli.counts import loss_in_words
from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.pages.data import FilmData, FrameData
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.records import EpochRecord, History, read_history


def about_run(run: RunFolder) -> dict[str, Any]:
    """The facts in a run's records, without those that are missing or damaged; chosen weights have no verdict.

    `lines` are sentences, `example` is a sentence to try, empty where none is known.
    """
    author, made, example = run.config().training.author, [], ""
    by = f" by {author}" if author else ""
    with suppress(ModelFileError):
        record = run.provenance()
        files = f" ({', '.join(record.pair_files)})" if record.pair_files else ""
        on = f" on {record.date}" if record.date else ""
        made = [f"Made{by} from {record.pairs.get('train', 0):,} sentence pairs{files}{on}."]
    with suppress(ModelFileError):
        if not run.chosen and (test := read_history(run.path).test):
            made += [test.verdict] if test.verdict else []
            example = test.example or ""
    return {"lines": made or [f"Made{by}."] * bool(by), "example": example}


def films_of(histories: Mapping[str, History]) -> list[FilmData]:
    """The films of runs by their names; none of a run without attention, or before its first validation."""
    frames = {name: [_frame(record) for record in of.validations if record.attention] for name, of in histories.items()}
    return [{"name": name, "frames": of_run} for name, of_run in frames.items() if of_run]


def _frame(record: EpochRecord) -> FrameData:
    told = f"loss {loss_in_words(record.train_loss)}"
    if record.bleu is not None:
        told += f", held out {loss_in_words(record.loss)}, BLEU {record.bleu:.1f}"
    return {"epochs": record.epochs, "told": told, "sentences": record.attention}
