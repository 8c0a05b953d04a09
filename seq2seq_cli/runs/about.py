"""What a page tells of its translator: who made it, from what and when, how good it is, and what to type."""

from contextlib import suppress
from typing import Any

from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.records import read_history


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
