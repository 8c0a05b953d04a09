"""``s2s runs``: list the runs, compare them, draw their learning curves, watch a training, remove runs."""

import sys
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from seq2seq_cli.cli.completions import complete_run
from seq2seq_cli.cli.runs.named import find, titles
from seq2seq_cli.cli.terminal.notices import tell, warn
from seq2seq_cli.config.choices import CurveAxis, CurveMeasure
from seq2seq_cli.errors import UsageError

app = typer.Typer(rich_markup_mode=None)

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
    """List the runs with their scores and state, newest first; compare, draw, watch or remove them.

    The best score is that of the best weights on the validation split, by the metric that chose them.
    """
    from seq2seq_cli.runs import listing as runs
    from seq2seq_cli.runs.layout import RUNS

    context.obj = folder or RUNS
    if context.invoked_subcommand is not None:
        if as_json:
            raise UsageError(
                "--json before a command is for the list alone: s2s runs --json, or s2s runs compare --json"
            )
        return
    from seq2seq_cli.cli.runs.table import list_lines, to_json
    from seq2seq_cli.cli.terminal.json_output import write_json

    found = runs.list_runs(context.obj)
    if as_json:
        write_json([to_json(run) for run in found])
    elif found:
        sys.stdout.writelines(f"{line}\n" for line in list_lines(found))
    else:
        tell(f"no runs are in {context.obj} yet: s2s train makes one")
    for run in found:
        if isinstance(run, runs.DamagedRun):
            warn(run.problem)


@app.command()
def compare(
    context: typer.Context,
    names: Names,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object, for programs.")] = False,
) -> None:
    """Print the config keys on which runs differ, and their results side by side.

    The scores are those of each run's best weights: on the validation split, and on the test split where it is scored.
    Each run is compared with the first: a difference is significant where two tests both give p < 0.05.
    """
    from seq2seq_cli.cli.runs.comparison import comparison_json, comparison_lines
    from seq2seq_cli.cli.terminal.json_output import write_json
    from seq2seq_cli.runs.listing import comparability

    found = find(names, context.obj, least=2)
    if len(found) < 2:
        raise UsageError("compare takes two runs or more; s2s runs lists the runs there are")
    if as_json:
        write_json(comparison_json(found))
    else:
        sys.stdout.writelines(f"{line}\n" for line in comparison_lines(found))
    for note in comparability(found):
        warn(note)


@app.command()
def plot(
    context: typer.Context,
    names: Names,
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="The picture; its name ends in .png, .svg or .pdf.")
    ] = Path("curves.png"),
    x: Annotated[CurveAxis, typer.Option("--x", help="The x axis of the curves.")] = "epoch",
    metric: Annotated[
        CurveMeasure | None,
        typer.Option(
            "--metric",
            help="The held-out score, or the entropy of the attention there.",
            show_default="training.best_metric of the first run; loss where nothing is held out",
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing picture.")] = False,
) -> None:
    """Draw the learning curves of runs: training loss, held-out loss, and a score or the entropy of the attention."""
    from seq2seq_cli.plots.learning_curves import check_curves_path, save_curves
    from seq2seq_cli.runs.curves import default_measure, has_curves, learning_curves

    check_curves_path(out, overwrite=overwrite)
    named = find(names, context.obj, least=1)
    found = list(filter(has_curves, named)) or named
    for run in named:
        if run not in found:
            warn(f"{run.path}: left out: no metrics are recorded yet")
    shown = metric or default_measure(found)
    curves = learning_curves(dict(zip(titles(found), found, strict=True)), axis=x, measure=shown)
    save_curves(curves, out, axis=x, measure=shown, overwrite=overwrite)
    tell(f"learning curves written to {out}")


@app.command()
def watch(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[RUN]",
            help="The run; by default the one that is being trained.",
            show_default=False,
            autocompletion=complete_run,
        ),
    ] = None,
) -> None:
    """Follow a training from another terminal until it ends: its epochs so far, then as it goes on."""
    from seq2seq_cli.cli.runs.watching import choose_running
    from seq2seq_cli.cli.runs.watching import watch as follow
    from seq2seq_cli.cli.training.display import Display

    run = find([name], context.obj, least=1)[0] if name else choose_running(context.obj)
    with closing(Display()) as display:
        follow(run, display)


@app.command()
def rm(
    context: typer.Context,
    names: Names,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Remove without a question.")] = False,
) -> None:
    """Ask, then remove runs: the files that s2s made, and the folder if no other file is in it."""
    from seq2seq_cli.cli.runs.removal import remove
    from seq2seq_cli.runs.listing import find_runs

    remove(find_runs(names, context.obj), asks=not yes)
