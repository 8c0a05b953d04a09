"""``s2s export``: a trained run in a form for others."""

from pathlib import Path
from typing import Annotated

import typer

from seq2seq_cli.cli.parsing import RUN_FORMS
from seq2seq_cli.cli.terminal import write_lines
from seq2seq_cli.decoding.export import export as export_run
from seq2seq_cli.errors import one_line

_HINTS = {
    "": "{out}/README.md says how to run it",
    ".html": "open it in a browser",
    ".zip": "unpacked, it is a run folder that s2s translates with",
}
"""The use of an export, by the ending of its name."""


def export(
    run: Annotated[Path, typer.Argument(metavar="RUN", help=f"The run: {RUN_FORMS}.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The folder, or the .html or .zip file, to make.")],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that is there.")] = False,
    with_pairs: Annotated[
        bool, typer.Option("--with-pairs", help="Include the training pairs that the run consults, for others to read.")
    ] = False,
) -> None:
    """Write a run in a form for others: as graphs for ONNX Runtime, as a page that translates, or as a file for s2s.

    The name of OUT decides. A name without an ending is a folder with the weights, the graphs of the encoder and of a
    decoder step, the units of both languages, a README.md that explains them, and a short Python program that needs
    onnxruntime and numpy alone. A .zip file holds the folder of the run, without what only training needs.

    A page, .html, translates in a browser and shows the attention, without s2s and without a network.
    """
    made = export_run(run, out, overwrite=overwrite, with_pairs=with_pairs)
    hint = _HINTS[made.suffix.lower()].format(out=made)
    write_lines([one_line(f"{made}: exported; {hint}")])
