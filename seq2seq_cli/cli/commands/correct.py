"""``s2s correct``: translations that a run gives from now on."""

from pathlib import Path
from typing import Annotated

import typer

from seq2seq_cli.cli.parsing import check_utf8, loading, run_option
from seq2seq_cli.cli.terminal import tell
from seq2seq_cli.decoding.corrections import add_line, correction_line
from seq2seq_cli.decoding.load import load
from seq2seq_cli.runs.layout import CORRECTIONS


def correct(
    src: Annotated[str, typer.Argument(metavar="SRC", help="A text.")],
    tgt: Annotated[str, typer.Argument(metavar="TGT", help="Its right translation.")],
    model: Annotated[Path | None, run_option("The run to correct")] = None,
) -> None:
    """Give a run the right translation of a text, which counts from the next text on.

    It becomes a line of corrections.tsv in the folder of the run, where it can be changed or removed. Sentences like it
    follow it, too.
    """
    check_utf8({"SRC": src, "TGT": tgt})
    with loading():
        run = load(model, device="cpu")
    before = run.translate(src)  # a bad line of the file is told before another one is added
    add_line(path := run.path / CORRECTIONS, correction_line(run.uncorrected, src, tgt))
    tell(f"added to {path}: {run.translate(src)} (before: {before})")
