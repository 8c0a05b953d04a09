"""``s2s train``: a translator from a prepared folder."""

import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import seq2seq_cli as s2s
from seq2seq_cli.cli.parsing import option, set_option
from seq2seq_cli.cli.training_bar import TrainingBar
from seq2seq_cli.counts import counted, duration, epochs_in_words
from seq2seq_cli.errors import UsageError, command_line
from seq2seq_cli.runs.folder import resume_command

if TYPE_CHECKING:
    from seq2seq_cli.training.events import Report


def train(
    config: Annotated[
        str | None,
        option(
            "NAME",
            "A config by name or path; s2s configs lists them. By default one is made for the pairs, the minutes"
            " and the speed of the machine; with --resume or --init-from, the config of the run.",
            "--config",
            "-c",
        ),
    ] = None,
    minutes: Annotated[
        float | None, option("M", "Minutes to train from now on.", default="of the config, or 6")
    ] = None,
    hours: Annotated[float | None, option("H", "The same in hours.")] = None,
    data: Annotated[Path | None, option("DIR", "The folder made by s2s prepare; data/prepared by default.")] = None,
    out: Annotated[
        Path | None,
        option(
            "DIR",
            "The run folder; by default runs/ and the name of the config, or the minutes; with --init-from"
            " RUN_continued.",
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Resume the run of --out or --config, or else the run with the newest checkpoint, on its own data.",
        ),
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing run.")] = False,
    init_from: Annotated[Path | None, option("RUN", "Begin a new run with the best weights of RUN.")] = None,
    corrections: Annotated[
        bool, typer.Option("--corrections", help="Learn the corrections of the run of --init-from as well.")
    ] = False,
    teachers: Annotated[int, option("N", "Models per direction that first translate the pairs.", min=0)] = 0,
    device: Annotated[
        str | None, option("NAME", "auto, cpu, cuda or mps; short for --set training.device=NAME.")
    ] = None,
    seed: Annotated[int | None, option("N", "Short for --set training.seed=N.")] = None,
    set_: Annotated[list[str] | None, set_option("one key of the config")] = None,
) -> None:
    """Train a translator on a prepared folder and keep its best weights."""
    if minutes is not None and hours is not None:
        raise UsageError("--minutes and --hours are the same: give one of them")
    given = {"device": device, "seed": seed}
    short = [f"training.{key}={value}" for key, value in given.items() if value is not None]
    with closing(TrainingBar()) as bar:
        report = s2s.train(
            config,
            minutes=minutes if hours is None else 60 * hours,
            data=data,
            out=out,
            overrides=[*(set_ or []), *short],
            resume=resume,
            overwrite=overwrite,
            init_from=init_from,
            corrections=corrections,
            teachers=teachers,
            on_event=bar.show,
        )
    if report:
        sys.stdout.write(_result(report))


def _result(report: "Report") -> str:
    progress = report.progress
    lines = [f"{epochs_in_words(progress.epochs)} in {duration(progress.seconds)}; best: {report.best}"]
    if progress.skipped:
        lines.append(f"{progress.skipped} of {counted(progress.step, 'step')} skipped: the gradient was not finite")
    lines += [report.chosen] if report.chosen else []
    lines += report.scores_in_words
    if report.verdict:
        lines += ["", *report.verdict]
    is_held_out = report.samples_split != "train"
    samples = counted(len(report.samples), "held-out sentence" if is_held_out else "training sentence")
    lines.append(f"\n{samples}{'' if is_held_out else ' (nothing was held out)'}:")
    for source, translation, reference in report.samples:
        lines += [f"  {source}", f"    {translation}", f"    (reference: {reference})"]
    sentence = report.samples[0][0]
    lines.append("")
    if report.max_minutes:
        lines.append(f"To train longer: {resume_command(report.run)} --minutes {report.max_minutes:g}")
    dashes = ["--"] if sentence.startswith("-") else []
    translate = command_line("s2s", "translate", "--model", str(report.run), *dashes, sentence)
    lines.append(f"To translate: {translate}")
    return "\n".join(lines) + "\n"
