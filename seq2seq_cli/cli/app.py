"""The command line: which commands there are, and how an error reaches the user.

Nothing here, and nothing at the top of a command's module, imports torch, spaCy or numpy: ``s2s --help`` must
answer at once. A command's body imports what it needs.
"""

import os
import sys
from typing import Annotated

import typer

from seq2seq_cli import __version__
from seq2seq_cli.cli import configs, prepare, train, translate
from seq2seq_cli.errors import Interrupted, S2SError

app = typer.Typer(
    name="s2s",
    help="Train an attention translator from any file of sentence pairs, and use it.",
    epilog="Start with: s2s prepare deu.txt; s2s train --config luong_concat.yaml; s2s translate 'she kissed him .'",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("prepare")(prepare.prepare)
app.command("train")(train.train)
app.command("translate", cls=translate.TranslateCommand)(translate.translate)
app.add_typer(configs.app, name="configs")


def _print_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"s2s {__version__}\n")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    _debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Train an attention translator from any file of sentence pairs, and use it."""
    if context.invoked_subcommand is None:
        sys.stdout.write(context.get_help() + "\n")


def main() -> None:
    """Run ``s2s``: 0 when done, 2 for what the user can mend, 1 for a failure, 130 when interrupted."""
    for stream in (sys.stdout, sys.stderr):
        # Foreign words must not crash a terminal or pipe that is not UTF-8.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    # Torch's threads wait for each other by spinning, which makes training many times slower beside any other busy
    # program: they are to spin for some microseconds only. Read when torch is imported, which is after this.
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")
    sys.exit(_run(sys.argv[1:]))


def _run(arguments: list[str]) -> int:
    debug = "--debug" in arguments
    try:
        # --debug is understood before and after the command's name.
        code = app(args=[a for a in arguments if a != "--debug"], standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        return Interrupted.exit_code
    except BrokenPipeError:
        # The reader went away (s2s translate | head): no error, and nobody is left to tell.
        # What is still buffered goes to the void, or the interpreter would complain at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (S2SError, typer.TyperException) as error:
        if debug:
            raise
        lines = error.lines() if isinstance(error, S2SError) else [error.format_message()]
        kind = "" if isinstance(error, Interrupted) else "error: "
        for line in lines:
            sys.stderr.write(f"s2s: {kind}{line}\n")
        return error.exit_code
    return code if isinstance(code, int) else 0
