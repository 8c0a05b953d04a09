"""``s2s evaluate``: what a translator is worth, and whether it is better than another."""

import sys

from seq2seq_cli.cli.evaluating.options import (
    Alignment,
    AsJson,
    Columns,
    Data,
    Encoding,
    Files,
    Html,
    Hypotheses,
    Overrides,
    Overwrite,
    Runs,
    Split,
)
from seq2seq_cli.cli.terminal.json_output import write_json
from seq2seq_cli.cli.translating.options import Device
from seq2seq_cli.errors import UsageError


def evaluate(
    runs: Runs = None,
    split: Split = "test",
    data: Data = None,
    file: Files = None,
    columns: Columns = None,
    encoding: Encoding = None,
    alignment: Alignment = None,
    hypotheses: Hypotheses = None,
    as_json: AsJson = False,
    html: Html = None,
    overwrite: Overwrite = False,
    device: Device = "auto",
    overrides: Overrides = None,
) -> None:
    """Score a translator on held-out sentences, and test whether it is better than another.

    BLEU, chrF2++ and TER are SacreBLEU's, each with its 95 % range over resamples of the sentences and its signature.
    Of several runs or files, each is compared with the first: a difference is significant where two tests, paired
    bootstrap resampling and approximate randomisation, both give p < 0.05.
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
        encoding=encoding,
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
