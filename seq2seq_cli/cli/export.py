"""``s2s export``: a trained run for programs in any language."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from seq2seq_cli.errors import one_line


def export(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run folder, or one of its files of weights.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to make.")],
    to: Annotated[Literal["onnx"], typer.Option("--to", help="The format: graphs for ONNX Runtime.")] = "onnx",  # noqa: ARG001  # the only one
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an exported model in DIR.")] = False,
) -> None:
    """Write a folder with which programs in any language can translate.

    It holds the weights, the graphs of the encoder and of a decoder step, the units of both languages, a README.md that
    explains them, and a short Python program that needs onnxruntime and numpy alone. s2s translate --model DIR takes
    the folder, too.
    """
    from seq2seq_cli.decoding.engines.standalone import export as write

    out = write(run, folder, overwrite=overwrite)
    typer.echo(one_line(f"{out}: exported; {out / 'README.md'} tells how to run it"))
