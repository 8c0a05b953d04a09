"""``s2s evaluate``: what a translator is worth, and whether it is better than another."""

from pathlib import Path
from typing import Annotated, Literal

import typer

import seq2seq_cli as s2s
from seq2seq_cli.cli.parsing import RUN_FORMS, Columns, Device, Encoding, Overrides, Overwrite, option
from seq2seq_cli.cli.terminal import tell, write_json, write_lines
from seq2seq_cli.files.writing import check_output_path, write_output


def evaluate(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="RUN", help=f"The runs, each by {RUN_FORMS}; the newest one by default."),
    ] = None,
    split: Annotated[
        Literal["test", "valid"] | None, typer.Option(help="The split of the corpus.", show_default="test")
    ] = None,
    data: Annotated[
        Path | None, option("DIR", "The prepared folder.", default="the one that the first run names")
    ] = None,
    file: Annotated[
        list[Path] | None,
        option(
            "FILE",
            "Sentence pairs of your own, in place of a split, in any form that prepare takes; given twice for two"
            " aligned files.",
        ),
    ] = None,
    columns: Columns = None,
    encoding: Encoding = None,
    alignment: Annotated[
        Path | None,
        option(
            "FILE",
            "Gold links of the words of --file, i-j or i?j, line by line, for the attention's alignment error rate.",
        ),
    ] = None,
    hypotheses: Annotated[
        list[Path] | None, option("FILE", "Translations made elsewhere, one per line; may be given repeatedly.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
    html: Annotated[
        Path | None,
        option(
            "FILE", "Write a page for a browser, too: all figures and sentences, with scores, attention and searches."
        ),
    ] = None,
    overwrite: Overwrite = False,
    device: Device = "auto",
    overrides: Overrides = None,
) -> None:
    """Score a translator on held-out sentences, and test whether it is better than another.

    BLEU, chrF2++ and TER are SacreBLEU's, each with its 95 % range over resamples of the sentences and its signature.
    Of several runs or files, each is compared with the first: a difference is significant where paired bootstrap
    resampling gives p < 0.05.
    """
    from seq2seq_cli.cli.evaluation_report import page_data, report_lines, to_json
    from seq2seq_cli.pages.page import evaluation_page

    if html:
        check_output_path(html, content="the page", endings=(".html",), overwrite=overwrite)
    findings = s2s.evaluate(
        *(runs or []),
        split=split,
        data=data,
        files=file or [],
        columns=columns,
        encoding=encoding,
        alignment=alignment,
        hypotheses=hypotheses or [],
        device=device,
        overrides=overrides or [],
    )
    if html:  # before anything is printed: a closed pipe ends the command
        write_output(html, evaluation_page(page_data(findings)), overwrite=overwrite)
        tell(f"page written to {html}")
    if as_json:
        write_json(to_json(findings))
    else:
        write_lines(report_lines(findings))
