"""The command line: its commands, its exit codes, and the messages of its errors.

``s2s --help`` must answer at once: a command's module, and what it imports of the library, is imported when the command
runs.
"""

import gc
import os
import platform
import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typing_extensions import override

from seq2seq_cli.cli.parsing import PlainCommand, PlainGroup, usage_line
from seq2seq_cli.cli.terminal import guard_streams, show_warnings, tell, write_lines
from seq2seq_cli.compute.process import SMALLER_SEARCH, SMALLER_TRAINING, is_out_of_memory, prepare_environment
from seq2seq_cli.errors import Interrupted, S2SError, exit_code_of, is_interruption
from seq2seq_cli.version import __version__

PROGRAM = "s2s"
COMMANDS = {
    "download": "Fetch sentence pairs of English and another language, from https://www.manythings.org/anki/.",
    "prepare": "Prepare files of sentence pairs for training.",
    "inspect": "Check a prepared folder, and show its content.",
    "train": "Train a translator on a prepared folder and keep its best weights.",
    "compare": "Train several configs on the same pairs, and print their scores side by side.",
    "translate": "Translate texts with a trained run.",
    "correct": "Give a run the right translation of a text, which counts from the next text on.",
    "score": "Print the log-probability of given translations under a trained run.",
    "evaluate": "Score a translator on held-out sentences, and test whether it is better than another.",
    "export": "Write a run in a form for others: as graphs for ONNX Runtime, as a page that translates, or as a file"
    " for s2s.",
    "serve": "Run a translation server, with a page to try it.",
    "runs": "List the runs with their scores and state, newest first; compare them or draw their learning curves.",
    "configs": "List the configs that --config finds by name, or show one.",
}
"""The commands in the order of the help, each with the first sentence of its own; their modules are in ``commands``."""

_PACKAGES = ("torch", "onnxruntime", "spacy", "tokenizers", "numpy", "sacrebleu", "pydantic", "typer")
"""The distributions that decide what s2s does; they are not imported."""

_MEMORY_CURES = {
    "prepare": "read fewer lines with --limit",
    **dict.fromkeys(("train", "compare"), SMALLER_TRAINING),
    **dict.fromkeys(("translate", "score", "evaluate"), SMALLER_SEARCH),
}
"""What helps where memory is short."""


class _Program(PlainGroup):
    """``s2s``, whose help needs no command's module."""

    @override
    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"seq2seq_cli.cli.commands.{cmd_name}")
        app = getattr(module, "app", None)
        if app is None:
            app = typer.Typer(rich_markup_mode=None, add_completion=False)
            app.command(cmd_name, cls=PlainCommand)(getattr(module, cmd_name))
        return typer.main.get_command(app)


def build_program() -> Any:
    """The command line, as typer runs it."""
    app = typer.Typer(
        name=PROGRAM,
        cls=_Program,
        help="Train an attention translator from any file of sentence pairs, and use it.",
        epilog="Start with: s2s download deu; s2s prepare deu.txt; s2s train; s2s translate 'she kissed him .'",
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
        callback=_options,
        invoke_without_command=True,
    )
    program: Any = typer.main.get_command(app)
    program.commands = {name: PlainCommand(name, help=sentence) for name, sentence in COMMANDS.items()}
    return program


def _options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the versions of s2s and its parts.")] = False,
    _debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    if version:  # what a report of a problem should name
        from importlib.metadata import distributions  # needs 10 ms

        found = {each.name: each.version for each in distributions()}
        python = f"{platform.python_implementation()} {platform.python_version()}"
        lines = [f"s2s {__version__}", f"{python} on {platform.system()} {platform.machine()}"]
        # The distribution that only translates has fewer packages.
        write_lines(lines + [f"{name} {found[name]}" for name in _PACKAGES if name in found])
        raise typer.Exit
    # The module of the command is imported by now; before, there was nothing to collect.
    gc.freeze()
    gc.enable()
    if context.invoked_subcommand is None:
        sys.stdout.write(context.get_help() + "\n")


def main() -> None:
    """Run ``s2s``; exit with 0 when done, 2 for a wrong input, 1 for any failure, 128 + the number of a signal.

    A reader that went away (s2s translate | head) is a failure too, and a silent one.
    """
    _open_streams()
    show_warnings()
    prepare_environment()
    if code := _run(sys.argv[1:]):
        try:  # what stdout cannot take is discarded: the interpreter would try again at exit, and print an error
            sys.stdout.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def _run(arguments: list[str]) -> int:
    # --debug may stand before or after the name of the command; behind -- it is a text.
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    debug = "--debug" in options
    arguments = [option for option in options if option != "--debug"] + arguments[len(options) :]
    try:
        code = build_program()(args=arguments, prog_name=PROGRAM, standalone_mode=False)
        sys.stdout.flush()
    except (Exception, KeyboardInterrupt) as error:
        if is_interruption(error) and not isinstance(error, S2SError):
            return Interrupted.exit_code
        lines = _lines_of(error, _MEMORY_CURES.get(arguments[0] if arguments else "", ""))
        if lines is None:
            raise
        if debug:
            traceback.print_exc()
        # Its frames may hold what fills the memory, and writing the lines needs some.
        error.__traceback__ = error.__context__ = error.__cause__ = None
        for line in lines:
            tell(line if isinstance(error, Interrupted) else f"error: {line}")
        if isinstance(error, S2SError | typer.TyperException):
            return error.exit_code
        return exit_code_of(error) if isinstance(error, OSError) else 1
    return code if isinstance(code, int) else 0


def _open_streams() -> None:
    """Make stdin, stdout and stderr usable when they are closed or not UTF-8, and terminals safe."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # Closed by the caller (s2s ... >&-). In this order each gets its own descriptor back, before a file does.
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115  # open to the end
    for stream in (sys.stdout, sys.stderr):
        # A pipe has the code page of the system, which on Windows lacks most letters; what is read is UTF-8, too.
        is_file = not stream.isatty() and "PYTHONIOENCODING" not in os.environ
        encoding = {"encoding": "utf-8", "newline": "\n"} if is_file else {}
        # Foreign words must not crash a terminal that is not UTF-8.
        stream.reconfigure(errors="backslashreplace", **encoding)  # type: ignore[union-attr]
    guard_streams()


def _lines_of(error: BaseException, memory_cure: str) -> list[str] | None:
    """The lines that tell of an error, None for a bug; `memory_cure` is what helps when memory is short."""
    match error:
        case _ if is_out_of_memory(error):
            return [f"out of memory: free some{memory_cure and f', or {memory_cure}'}"]
        case ModuleNotFoundError():
            # The distribution that only translates has fewer packages: examples/translate_only.
            return [f"the package {error.name} is not installed: install the full s2s package (README, Install)"]
        case BrokenPipeError():
            return []  # nobody is left to tell
        case OSError():
            return [f"{error.filename or 'standard input or output'}: {error.strerror or error}"]
        case S2SError():
            return [*error.args]
        case typer.TyperException() if "TORCHELASTIC_RUN_ID" in os.environ and os.environ.get("RANK") != "0":
            return []  # torchrun's first process tells the same
        case typer.TyperException():
            return [usage_line(error)]
    return None
