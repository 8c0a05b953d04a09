"""The list of runs, as lines and for programs."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from seq2seq_cli.cli.terminal.tables import table_lines
from seq2seq_cli.errors import one_line

if TYPE_CHECKING:
    from seq2seq_cli.runs.listing import DamagedRun, Run

_NO_VALUE = "-"
_DIGITS = {
    **dict.fromkeys(("bleu", "chrf", "test bleu", "test bleu, lower case", "test chrf", "minutes"), ".1f"),
    **dict.fromkeys(("parameters", "skipped updates"), ","),
    **dict.fromkeys(("tokens/s", "memory, MB"), ",.0f"),
    "loss": ".3f",
}


def list_lines(found: "Sequence[Run | DamagedRun]") -> Iterator[str]:
    """Two lines per run: the numbers in columns, below them the model and the state."""
    from seq2seq_cli.runs.listing import DamagedRun

    titles = ["run", "pairs", "epochs", "best", "test bleu", "minutes", "size"]
    header, *lines = table_lines(titles, [_cells(run) for run in found], numbers=True)
    yield header
    for run, line in zip(found, lines, strict=True):
        yield line
        yield "  damaged" if isinstance(run, DamagedRun) else one_line(f"  {run.model_in_words}; {run.state_in_words}")


def _cells(run: "Run | DamagedRun") -> list[str]:
    from rich.filesize import decimal

    from seq2seq_cli.runs.in_words import shown_epochs
    from seq2seq_cli.runs.listing import DamagedRun, size_on_disk

    name, size = one_line(run.path.name), decimal(size_on_disk(run.path))
    if isinstance(run, DamagedRun):
        return [name, *[_NO_VALUE] * 5, size]
    training, test = run.config.training, run.history.test
    metric, score = run.history.best_score(training.metric)
    return [
        name,
        f"{run.provenance.pairs['train']:,}",
        f"{shown_epochs(run.history.epochs)} of {training.epochs}",
        _NO_VALUE if score is None else f"{shown_value(metric, score)} {metric}",
        shown_value("test bleu", test and test.bleu),
        shown_value("minutes", run.history.minutes),
        size,
    ]


def shown_value(key: str, value: object) -> str:
    """A result as text, with the digits that its kind has."""
    return _NO_VALUE if value is None else one_line(format(value, _DIGITS.get(key, "")))


def to_json(run: "Run | DamagedRun") -> dict[str, object]:
    """A run for programs; docs/runs.md describes it."""
    from seq2seq_cli.runs.listing import DamagedRun, size_on_disk

    place = {"name": run.path.name, "path": str(run.path), "bytes": size_on_disk(run.path)}
    if isinstance(run, DamagedRun):
        return {**place, "state": "damaged", "problem": run.problem}
    history, training = run.history, run.config.training
    return {
        **place,
        "state": run.state,
        "reason": history.reason,
        "resumable": run.resumable,
        "epoch": history.epoch,
        "epochs": history.epochs,
        "planned_epochs": training.epochs,
        "model": run.model_in_words,
        "parameters": run.parameters,
        "pairs": run.provenance.pairs["train"],
        "best_metric": training.metric,
        "best": history.best and history.best.model_dump(include={"epoch", "bleu", "chrf", "loss"}),
        "test": history.test and history.test.model_dump(include={"bleu", "chrf"}),
        "minutes": history.minutes,
        "tokens_per_second": history.tokens_per_second,
    }
