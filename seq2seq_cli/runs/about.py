"""What a page tells of its translator: who made it, from what and when, how good it is, and what to type."""

from contextlib import suppress
from typing import NamedTuple

from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.records import read_history


class About(NamedTuple):
    """What is known of a run, for whoever translates with it."""

    lines: list[str]
    """Sentences."""
    example: str
    """A sentence to try; empty where none is known."""


def about_run(run: RunFolder) -> About:
    """What a run's records tell, without those that are missing or damaged; chosen weights have no verdict."""
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
    return About(made or [f"Made{by}."] * bool(by), example)
