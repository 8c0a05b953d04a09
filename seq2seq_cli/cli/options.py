"""The options that several commands have."""

from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from seq2seq_cli.config.choices import DeviceName

RUN_FORMS = "its name in runs/, its folder or one of its files of weights"
"""What stands for a run on the command line."""

Files: TypeAlias = list[Path] | None
"""What an option that may be given repeatedly holds; None where it is not given."""


def file_option(use: str, *names: str) -> Any:
    """An option that names a file, with a sentence on its use; its names, by default the parameter's."""
    return typer.Option(*names, metavar="FILE", help=use, show_default=False)


def run_option(use: str, more: str = "") -> Any:
    """An option that names a run, by default the newest one, with a phrase on its use."""
    return typer.Option(metavar="RUN", help=f"{use}: {RUN_FORMS}{more}.", show_default="newest")


def set_option(keys: str) -> Any:
    """The option that overrides these keys of a config."""
    return typer.Option("--set", metavar="KEY=VALUE", help=f"Override {keys}.")


AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Columns: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="en,de",
        help="The first and the second column, by name or number; the source first, or with --swap the target.",
        show_default="found by their names, else the first two text columns",
    ),
]
Device: TypeAlias = Annotated[DeviceName, typer.Option("--device", help="Where to compute.")]
Encoding: TypeAlias = Annotated[
    str | None, typer.Option("--encoding", metavar="NAME", help="Encoding of the files.", show_default="utf-8")
]
Overrides: TypeAlias = Annotated[
    list[str] | None, set_option("a decoding key of the config, such as decoding.beam_size=1")
]
Overwrite: TypeAlias = Annotated[bool, typer.Option("--overwrite", help="Replace what is there.")]
Threads: TypeAlias = Annotated[
    int | None, typer.Option("--threads", min=1, metavar="N", help="Threads that compute.", show_default="one per core")
]
