"""The options of ``s2s evaluate``."""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from seq2seq_cli.cli.completions import RUN_FORMS, complete_run

Runs: TypeAlias = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[RUN]...",
        help=f"The runs, each by {RUN_FORMS}; the newest one by default.",
        show_default=False,
        autocompletion=complete_run,
    ),
]

Split: TypeAlias = Annotated[Literal["test", "valid"], typer.Option("--split", help="The split of the corpus.")]

Data: TypeAlias = Annotated[
    Path | None,
    typer.Option("--data", metavar="DIR", help="The prepared folder.", show_default="the one that the first run names"),
]

Files: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option(
        "--file",
        metavar="FILE",
        help="Sentence pairs of your own, in place of a split, in any form that prepare takes; given twice for two"
        " aligned files.",
    ),
]

Columns: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="en,de",
        help="The first and the second column of --file, by name or number, in the order of the prepared files: the"
        " target first where s2s prepare had --swap.",
        show_default="found by their names, else the first two text columns",
    ),
]

Encoding: TypeAlias = Annotated[
    str | None, typer.Option("--encoding", metavar="NAME", help="Encoding of --file.", show_default="utf-8")
]

Alignment: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--alignment",
        metavar="FILE",
        help="Gold links of the pairs' words, i-j or i?j, a line per pair, for the alignment error rate of the"
        " attention.",
    ),
]

Hypotheses: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option(
        "--hypotheses", metavar="FILE", help="Translations made elsewhere, one per line; may be given repeatedly."
    ),
]

AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print a JSON object, for programs.")]

Html: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--html",
        metavar="FILE",
        help="Write a page for a browser as well, with all figures and all sentences: their scores, attention,"
        " n-best lists and searches.",
    ),
]

Overwrite: TypeAlias = Annotated[bool, typer.Option("--overwrite", help="Replace the file of --html.")]

Overrides: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Override a decoding key, such as decoding.beam_size=1."),
]
