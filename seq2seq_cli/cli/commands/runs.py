"""``s2s runs``: list the runs, compare them, draw their learning curves."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from seq2seq_cli.cli.completions import complete_run
from seq2seq_cli.cli.terminal.json_output import write_json
from seq2seq_cli.cli.terminal.tables import table_lines
from seq2seq_cli.errors import ModelFileError, UsageError, one_line
from seq2seq_cli.plots.learning_curves import Axis, Measure

if TYPE_CHECKING:
    from seq2seq_cli.runs.listing import DamagedRun, Run

app = typer.Typer(rich_markup_mode=None)

_NO_VALUE = "-"
_DIGITS = {
    **dict.fromkeys(("bleu", "chrf", "test bleu", "test bleu, lower case", "test chrf", "minutes"), ".1f"),
    **dict.fromkeys(("parameters", "skipped updates"), ","),
    **dict.fromkeys(("tokens/s", "memory, MB"), ",.0f"),
    "loss": ".3f",
}

Names = Annotated[
    list[str], typer.Argument(metavar="RUN", help="Run folders, or names from the list.", autocompletion=complete_run)
]


@app.callback(invoke_without_command=True)
def list_runs(
    context: typer.Context,
    folder: Annotated[
        Path | None, typer.Option("--in", metavar="DIR", help="The folder of the runs; runs/ by default.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON array, for programs.")] = False,
) -> None:
    """List the runs with their scores and state, newest first; compare runs; draw their learning curves.

    The best score is that of the best weights on the validation split, by the metric that chose them.
    """
    from seq2seq_cli.runs import listing as runs
    from seq2seq_cli.runs.layout import RUNS

    context.obj = folder or RUNS
    if context.invoked_subcommand is not None:
        if as_json:
            raise UsageError("--json is for the list only: s2s runs --json")
        return
    found = runs.list_runs(context.obj)
    if as_json:
        write_json([_to_json(run) for run in found])
    elif found:
        sys.stdout.writelines(f"{line}\n" for line in _list_lines(found))
    else:
        sys.stderr.write(f"s2s: no runs are in {one_line(str(context.obj))} yet: s2s train makes one\n")
    for run in found:
        if isinstance(run, runs.DamagedRun):
            _warn(run.problem)


@app.command()
def compare(context: typer.Context, names: Names) -> None:
    """Print the config keys on which runs differ, and their results side by side.

    The scores are those of each run's best weights: on the validation split, and on the test split where it is scored.
    Each run is compared with the first: a difference that two tests find improbable by chance (p < 0.05) is one.
    """
    from seq2seq_cli.config.yaml12 import shown
    from seq2seq_cli.runs import listing as runs

    if len(names) < 2:
        raise UsageError("compare takes two runs or more; s2s runs lists the runs there are")
    found = _find(names, context.obj, least=2)
    titles = _titles(found)
    settings = [(key, *map(shown, values)) for key, values in runs.config_differences(found)]
    results = [(key, *(_result(key, value) for value in values)) for key, values in runs.results(found)]
    lines = table_lines(["config", *titles], settings) if settings else ["config: nothing differs"]
    lines += ["", *table_lines(["result", *titles], results), *_difference_lines(found, titles)]
    sys.stdout.writelines(f"{line}\n" for line in lines)
    for note in runs.comparability(found):
        _warn(note)


@app.command()
def plot(
    context: typer.Context,
    names: Names,
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="The picture; its name ends in .png, .svg or .pdf.")
    ] = Path("curves.png"),
    x: Annotated[Axis, typer.Option("--x", help="The x axis of the curves.")] = "epoch",
    metric: Annotated[
        Measure | None,
        typer.Option(
            "--metric",
            help="The held-out score, or the entropy of the attention there.",
            show_default="training.best_metric of the first run",
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing picture.")] = False,
) -> None:
    """Draw the learning curves of runs: training loss, held-out loss, and a score or the entropy of the attention."""
    from seq2seq_cli.plots.learning_curves import check_curves_path, save_curves
    from seq2seq_cli.runs.curves import has_curves, learning_curves

    check_curves_path(out, overwrite=overwrite)
    named = _find(names, context.obj, least=1)
    found = list(filter(has_curves, named)) or named
    for run in named:
        if run not in found:
            _warn(f"{run.path}: left out: no metrics are recorded yet")
    shown = metric or found[0].config.training.metric
    curves = learning_curves(dict(zip(_titles(found), found, strict=True)), axis=x, measure=shown)
    save_curves(curves, out, axis=x, measure=shown, overwrite=overwrite)
    sys.stderr.write(f"s2s: learning curves written to {one_line(str(out))}\n")


def _find(names: Sequence[str], folder: Path, *, least: int) -> "list[Run]":
    """The runs of these names, but the damaged ones, which a warning names.

    Raises ModelFileError when a name is that of no run, and when fewer than `least` are left.
    """
    from seq2seq_cli.runs.listing import DamagedRun, Run, find_run

    found = [find_run(name, folder) for name in names]
    damaged = [run.problem for run in found if isinstance(run, DamagedRun)]
    whole = [run for run in found if isinstance(run, Run)]
    if len(whole) < least:
        raise ModelFileError(*damaged)
    for problem in damaged:
        _warn(f"{problem}: left out")
    return whole


def _warn(message: str) -> None:
    sys.stderr.write(f"s2s: warning: {one_line(message)}\n")


def _list_lines(found: "Sequence[Run | DamagedRun]") -> Iterator[str]:
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
        _NO_VALUE if score is None else f"{_result(metric, score)} {metric}",
        _result("test bleu", test and test.bleu),
        _result("minutes", run.history.minutes),
        size,
    ]


def _to_json(run: "Run | DamagedRun") -> dict[str, object]:
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
        "epochs": training.epochs,
        "model": run.model_in_words,
        "parameters": run.parameters,
        "pairs": run.provenance.pairs["train"],
        "best_metric": training.metric,
        "best": history.best and history.best.model_dump(include={"epoch", "bleu", "chrf", "loss"}),
        "test": history.test and history.test.model_dump(include={"bleu", "chrf"}),
        "minutes": history.minutes,
        "tokens_per_second": history.tokens_per_second,
    }


def _difference_lines(found: "Sequence[Run]", titles: Sequence[str]) -> Iterator[str]:
    """Whether the scores of each other run differ from those of the first by more than chance."""
    from seq2seq_cli.cli.evaluating.report import difference_table
    from seq2seq_cli.evaluation.run_difference import IncomparableError, run_difference

    for run, name in zip(found[1:], titles[1:], strict=True):
        yield ""
        title = f"{name} less {titles[0]}"
        try:
            compared = run_difference(run, found[0])
        except (IncomparableError, ModelFileError) as error:
            yield one_line(f"{title}: whether it is more than chance is not known: {error}")
            continue
        table = difference_table(f"{title}, {compared.split}", compared.by_metric)
        yield from table_lines(table.titles, table.rows)


def _titles(found: "Sequence[Run]") -> list[str]:
    """The names of the runs; the path where two runs have the same name."""
    names = [run.path.resolve().name for run in found]
    return [one_line(name if names.count(name) == 1 else str(run.path)) for name, run in zip(names, found, strict=True)]


def _result(key: str, value: object) -> str:
    return _NO_VALUE if value is None else one_line(format(value, _DIGITS.get(key, "")))
