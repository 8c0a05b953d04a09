"""``s2s evaluate``: what a translator is worth, and whether it is better than another."""

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from seq2seq_cli.cli.completions import complete_run
from seq2seq_cli.cli.terminal.json_output import write_json
from seq2seq_cli.config.choices import DeviceName
from seq2seq_cli.errors import UsageError


def evaluate(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[RUN]...",
            help="Run folders or their archives; the newest one by default.",
            show_default=False,
            autocompletion=complete_run,
        ),
    ] = None,
    split: Annotated[Literal["test", "valid"], typer.Option("--split", help="The split of the corpus.")] = "test",
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", metavar="DIR", help="The prepared folder.", show_default="the one that the first run names"
        ),
    ] = None,
    file: Annotated[
        list[Path] | None,
        typer.Option(
            "--file",
            metavar="FILE",
            help="Sentence pairs of your own, in place of a split, in any form that prepare takes; given twice for two"
            " aligned files.",
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns",
            metavar="en,de",
            help="Columns of --file, by name or number, in the order of the run's.",
            show_default="by their names, or the first two of text",
        ),
    ] = None,
    alignment: Annotated[
        Path | None,
        typer.Option(
            "--alignment",
            metavar="FILE",
            help="Gold links of the pairs' words, i-j or i?j, a line per pair: tells the alignment error rate of the"
            " attention.",
        ),
    ] = None,
    hypotheses: Annotated[
        list[Path] | None,
        typer.Option(
            "--hypotheses", metavar="FILE", help="Translations made elsewhere, one per line; may be given repeatedly."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object, for programs.")] = False,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="FILE",
            help="Write a page for a browser as well, with all figures and all sentences: their scores, attention,"
            " n-best lists and searches.",
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file of --html.")] = False,
    device: Annotated[DeviceName, typer.Option("--device", help="Where to compute.")] = "auto",
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Override a decoding key, such as decoding.beam_size=1."),
    ] = None,
) -> None:
    """Tell what a translator is worth on held-out sentences, and whether it is better than another.

    BLEU, chrF2++ and TER are SacreBLEU's, each with its 95 % range over resamples of the sentences and its signature.
    Of several runs or files, each is compared with the first: a difference is one when two tests, paired bootstrap
    resampling and approximate randomisation, find it improbable by chance (p < 0.05).
    """
    from seq2seq_cli.cli.evaluating.as_json import to_json
    from seq2seq_cli.cli.evaluating.page_file import check_page_path, write_page
    from seq2seq_cli.cli.evaluating.report import report_lines
    from seq2seq_cli.decoding.load import load
    from seq2seq_cli.evaluation.command import evaluate as run

    if html:
        check_page_path(html, overwrite=overwrite)
    elif overwrite:
        raise UsageError("--overwrite: only replaces the page of --html: give --html FILE, or leave it out")
    findings = run(
        *(runs or []),
        split=split,
        data=data,
        files=file or [],
        columns=columns,
        alignment=alignment,
        hypotheses=hypotheses or [],
        device=device,
        overrides=overrides or [],
    )
    if html:  # before anything is printed: a closed pipe ends the command
        evaluated = findings.evaluations[: len(findings.evaluations) - len(hypotheses or [])]
        names = [evaluation.output.name for evaluation in evaluated]
        translators = [load(name, device=device, overrides=overrides or []).translator for name in names]
        write_page(html, findings, translators, overwrite=overwrite)
    if as_json:
        write_json(to_json(findings))
    else:
        sys.stdout.writelines(f"{line}\n" for line in report_lines(findings))
