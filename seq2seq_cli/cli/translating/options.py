"""The options of ``s2s translate``, some of which other commands have as well."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from seq2seq_cli.cli.completions import RUN_FORMS, complete_run
from seq2seq_cli.cli.translating.formats import DOUBTFUL, FormatName
from seq2seq_cli.config.choices import LARGEST_BEAM, DeviceName

Texts: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(metavar="TEXT", help="Texts. Without any, each line of the pipe or at the prompt is one."),
]

Models: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option(
        "--model",
        metavar="RUN",
        help=f"The run to translate with: {RUN_FORMS}; given more than once, the runs are compared: each"
        " translates every text.",
        show_default="newest",
        autocompletion=complete_run,
    ),
]

IsEnsemble: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--ensemble",
        help="Several runs translate together: the probability of a token is the mean of theirs.",
    ),
]

Input: TypeAlias = Annotated[
    Path | None,
    typer.Option("--input", "-i", metavar="FILE", help="Translate the lines of a file; -: of standard input."),
]

OutputFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write to FILE, which appears when it is complete; -: to standard output.",
    ),
]

Overwrite: TypeAlias = Annotated[
    bool, typer.Option("--overwrite", help="Replace the files of --output and --attention.")
]

Format: TypeAlias = Annotated[
    FormatName,
    typer.Option(
        "--format",
        help="text: a line per text; json: an object per line; tsv: a row with number, rank, source, translation,"
        " score, confidence, alignment, unknown words, copied words, forced words, 1 if below --min-score.",
    ),
]

NBest: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--nbest",
        min=1,
        max=LARGEST_BEAM,
        metavar="N",
        help="Show the N best translations of each text, best first: N lines of text each, N rows of tsv, or"
        " alternatives in json.",
        show_default="1",
    ),
]

Score: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--score",
        help="Add the score, which is the mean log-probability per token (<eos> counted), and exp(score), from"
        " 0 to 1: two columns of text. json and tsv always have them.",
    ),
]

Align: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--align",
        help="Add a column with the alignment: i-j links word i of the text to word j of the translation. Words are"
        " separated by white space and counted from 0. The formats json and tsv always have it.",
    ),
]

MinScore: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--min-score",
        metavar="X",
        help=f"Mark translations with a score below X, such as -1: text begins with '{DOUBTFUL}', json has"
        " below_min_score, tsv has 1 in its 11th column.",
        show_default=False,
    ),
]

Prefix: TypeAlias = Annotated[
    str,
    typer.Option("--prefix", metavar="TEXT", help="Begin each translation with these words.", show_default=False),
]

GlossaryFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--glossary",
        metavar="FILE",
        help="Translate terms as FILE says: a term, a tab and its translation per line; several lines of a term are"
        " alternatives.",
    ),
]

Tokens: TypeAlias = Annotated[
    bool, typer.Option("--tokens", help="Print the tokens separated by spaces instead of plain text.")
]

Attention: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--attention",
        metavar="[FILE]",
        help="Show the attention weights: as a table, or in FILE, whose name ends in .png, .svg, .pdf, .html"
        " or .json (a next argument with another ending is a text). A picture has a row per sentence and a column per"
        " run; a .html is a page for a browser, with the searches as well. At the prompt FILE shows the last text.",
    ),
]

Title: TypeAlias = Annotated[
    str,
    typer.Option(
        "--title", metavar="TEXT", help="The title of the picture or the page of --attention.", show_default=False
    ),
]

Threads: TypeAlias = Annotated[
    int | None,
    typer.Option("--threads", min=1, metavar="N", help="Threads that compute.", show_default="one per core"),
]

Device: TypeAlias = Annotated[DeviceName, typer.Option("--device", help="Where to compute.")]

Overrides: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="Override a decoding key of the config, such as decoding.batch_size=16."
    ),
]
