"""``s2s runs``: list the runs, compare them, draw their learning curves."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from seq2seq_cli.cli.parsing import Overwrite, PlainGroup, option
from seq2seq_cli.cli.terminal import table_lines, tell, warn, write_lines
from seq2seq_cli.config.choices import CurveAxis, CurveMeasure
from seq2seq_cli.config.yaml12 import shown
from seq2seq_cli.counts import shown_epochs
from seq2seq_cli.errors import UsageError, one_line
from seq2seq_cli.files.writing import check_output_path
from seq2seq_cli.runs import listing
from seq2seq_cli.runs.layout import RUNS

app = typer.Typer(name="runs", cls=PlainGroup, rich_markup_mode=None, add_completion=False)

Names = Annotated[list[str], typer.Argument(metavar="RUN", help="Run folders, or names from the list.")]

_DIGITS = {
    **dict.fromkeys(("bleu", "chrf", "test bleu", "test bleu, lower case", "test chrf", "minutes"), ".1f"),
    "parameters": ",",
    "tokens/s": ",.0f",
    "loss": ".3f",
}
"""The digits of each kind of result."""


@app.callback(invoke_without_command=True)
def list_runs(
    context: typer.Context, folder: Annotated[Path, option("DIR", "The folder of the runs.", "--in")] = RUNS
) -> None:
    """List the runs with their scores and state, newest first; compare them or draw their learning curves.

    The best score is the score of the best weights on the validation split, by the metric that chose them.
    """
    context.obj = folder
    if context.invoked_subcommand is not None:
        return
    if found := listing.list_runs(folder):
        write_lines(_list_lines(found))
    else:
        tell(f"no runs are in {folder} yet: s2s train makes one; those of s2s compare are in runs/ of its folder")
    for problem in found.values():
        if isinstance(problem, str):
            warn(problem)


@app.command()
def compare(context: typer.Context, names: Names) -> None:
    """Print the config keys on which runs differ, and their results side by side.

    The scores belong to each run's best weights: on the validation split, and on the test split where it is scored.
    """
    found = listing.find_runs(names, context.obj)
    if len(found) < 2:
        raise UsageError("compare takes two runs or more; s2s runs lists the runs there are")
    write_lines(_comparison_lines(found))
    for note in listing.comparability(found):
        warn(note)


@app.command()
def plot(
    context: typer.Context,
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="RUN", help="Run folders, or names from the list.", show_default="newest"),
    ] = None,
    out: Annotated[
        Path,
        option(
            "FILE",
            "The picture, .png, .svg or .pdf; or a page, .html, which also shows the attention while it was learned.",
        ),
    ] = Path("curves.png"),
    x: Annotated[CurveAxis, typer.Option(help="The x axis of the curves.")] = "epoch",
    metric: Annotated[
        CurveMeasure | None,
        typer.Option(
            help="The held-out score, or the entropy of the attention there.",
            show_default="training.best_metric of the first run; loss where nothing is held out",
        ),
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Draw the learning curves of runs: training loss, held-out loss, and a score or the entropy of the attention."""
    from seq2seq_cli.runs.curves import plot_runs  # not above: matplotlib

    check_output_path(out, content="learning curves", endings=(".png", ".svg", ".pdf", ".html"), overwrite=overwrite)
    found = listing.find_runs(names or [], context.obj)
    plot_runs(dict(zip(_titles(found), found, strict=True)), out, axis=x, measure=metric, overwrite=overwrite)
    tell(f"learning curves written to {out}")


def _titles(found: Sequence[listing.Run]) -> list[str]:
    """The names of the runs; the path where two runs have the same name."""
    names = [run.path.resolve().name for run in found]
    return [one_line(name if names.count(name) == 1 else str(run.path)) for name, run in zip(names, found, strict=True)]


def _list_lines(found: Mapping[Path, listing.Run | str]) -> Iterator[str]:
    """Two lines per run: the numbers in columns, below them the model and the state."""
    rows = [[one_line(path.name), *_cells(run)] for path, run in found.items()]
    header, *lines = table_lines(["run", "pairs", "epochs", "best", "test bleu", "minutes"], rows, numbers=True)
    yield header
    for run, line in zip(found.values(), lines, strict=True):
        yield line
        yield "  damaged" if isinstance(run, str) else one_line(f"  {run.config.model.in_words}; {run.state}")


def _cells(run: listing.Run | str) -> list[str]:
    if isinstance(run, str):
        return ["-"] * 5
    training, test = run.config.training, run.history.test
    metric, score = run.history.best_score(training.metric)
    return [
        f"{run.provenance.pairs.get('train', 0):,}",
        f"{shown_epochs(run.history.epochs)} of {training.epochs}",
        "-" if score is None else f"{_result(metric, score)} {metric}",
        _result("test bleu", test and test.bleu),
        _result("minutes", run.history.minutes),
    ]


def _result(key: str, value: object) -> str:
    """A result as text, with the digits that its kind has."""
    return "-" if value is None else one_line(format(value, _DIGITS.get(key, "")))


def _comparison_lines(found: Sequence[listing.Run]) -> Iterator[str]:
    """The tables of the config keys that differ, and of the results."""
    names = _titles(found)
    settings = [(key, *map(shown, values)) for key, values in listing.config_differences(found)]
    yield from table_lines(["config", *names], settings) if settings else ["config: nothing differs"]
    yield ""
    rows = [(key, *(_result(key, value) for value in values)) for key, values in listing.results(found)]
    yield from table_lines(["result", *names], rows)
