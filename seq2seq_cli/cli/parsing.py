"""The words of the command line: options of several commands, a fast way to values, and the message of a mistake."""

import contextlib
import gc
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typing_extensions import override

from seq2seq_cli.compute.process import without_garbage_collector
from seq2seq_cli.config.choices import LARGEST_INTEGER, DeviceName
from seq2seq_cli.errors import InputError

RUN_FORMS = "its name in runs/, its folder or one of its files of weights"
"""What stands for a run on the command line."""

Files = list[Path] | None
"""What an option that may be given repeatedly holds; None where it is not given."""


def option(metavar: str, use: str, *names: str, default: bool | str = True, **limits: Any) -> Any:
    """An option that takes a value, with a sentence on its use.

    `names` are by default the parameter's. `default` is what the help shows in its place. `limits`: min and max.
    """
    return typer.Option(*names, metavar=metavar, help=use, show_default=default, **limits)


def run_option(use: str, more: str = "") -> Any:
    """An option that names a run, by default the newest one, with a phrase on its use."""
    return option("RUN", f"{use}: {RUN_FORMS}{more}.", default="newest")


def set_option(keys: str) -> Any:
    """The option that overrides these keys of a config."""
    return option("KEY=VALUE", f"Override {keys}.", "--set")


Columns = Annotated[
    str | None,
    option(
        "en,de",
        "Two columns, by name or number: source, target; or target, source, if s2s prepare has --swap.",
        default="found by their names, else the only two of text, or the first two of a file with tabs",
    ),
]
Device = Annotated[DeviceName, typer.Option(help="Where to compute.")]
Encoding = Annotated[str | None, option("NAME", "Encoding of the files.", default="utf-8")]
Overrides = Annotated[list[str] | None, set_option("a decoding key of the config, such as decoding.beam_size=1")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace what is there.")]
Threads = Annotated[
    int | None, option("N", "Threads that compute.", default="one per core", min=1, max=LARGEST_INTEGER)
]

# Values
_PLAIN: dict[object, Callable[[Any], Any]] = {
    str: str,
    Path: Path,
    list[str]: list,
    list[Path]: lambda values: [Path(value) for value in values],
}
"""The types whose values need no check, each with the conversion of the words of the command line."""


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """Load in the block what is needed to the end: Python's garbage collector never looks through it.

    Otherwise it does so several times, and once more when the process ends: a fifth of the time of a short command.
    """
    with without_garbage_collector():
        yield
        gc.freeze()


def check_utf8(texts: Mapping[str, str]) -> None:
    """Raise InputError where the shell or the terminal handed over bytes that are not UTF-8; texts by their places."""
    for place, text in texts.items():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise InputError(f"{place}: character {error.start + 1} is not UTF-8: check the terminal") from None


class PlainCommand(TyperCommand):
    """A command whose texts and paths are taken as they are, and whose defaults are not checked.

    Typer checks each value with pydantic, whose import takes longer than a translation.
    """

    @override
    def get_params(self, ctx: Any) -> list[Any]:
        return _taken_plainly(super().get_params(ctx))


class PlainGroup(TyperGroup):
    """The same for a group of commands, whose list has the first paragraph of each command's help, uncut."""

    @override
    def get_params(self, ctx: Any) -> list[Any]:
        return _taken_plainly(super().get_params(ctx))

    @override
    def format_commands(self, ctx: Any, formatter: Any) -> None:
        paragraphs = {name: (command.help or "").partition("\n\n")[0] for name, command in self.commands.items()}
        with formatter.section("Commands"):
            formatter.write_dl([(name, " ".join(paragraph.split())) for name, paragraph in paragraphs.items()])


def _taken_plainly(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        if not isinstance(parameter.process_value, partial):
            parameter.process_value = partial(_process, parameter, parameter.process_value)
    return parameters


def _process(parameter: Any, check: Callable[[Any, Any], Any], context: Any, value: Any) -> Any:
    """The value of a parameter, by `check`, which is typer's, where it needs a check."""
    convert = _PLAIN.get(parameter.type_descriptor.annotation)
    if (parameter.required and not value) or not (convert or value is None or value == parameter.default):
        return check(context, value)
    return convert(value) if convert and value is not None else value


def usage_line(error: Any) -> str:
    """The message of an error of typer, and where to read on."""
    context = getattr(error, "ctx", None)
    # Pydantic begins its messages so, where it checks a value for typer, which lists choices line by line.
    problem = " ".join(error.format_message().replace("Value error, ", "").split()).rstrip(".")
    if context is None:
        return problem
    wrong, command = getattr(error, "option_name", ""), context.command
    is_abbreviated = any(option.startswith(wrong) for parameter in command.params for option in parameter.opts)
    if wrong and not is_abbreviated and (keys := _keys_like(wrong, command)):
        problem = f"{error.message}; did you mean {' or '.join(f'--set {key}=VALUE' for key in keys[:3])}?"
    elif command.name == "train" and "extra argument" in problem:
        problem += ": pairs are prepared first, with s2s prepare FILE"
    return f"{problem}{'' if problem.endswith('?') else '.'} See {context.command_path} --help"


def _keys_like(option: str, command: Any) -> list[str]:
    """The keys of the command's ``--set`` with the name of an unknown option, or that begin with it."""
    if not option.startswith("--") or not any("--set" in parameter.opts for parameter in command.params):
        return []
    from seq2seq_cli.config.keys import schema_fields  # not above: pydantic

    prepared, trained = ("data", "text"), ("model", "training", "decoding")
    of_commands = {"prepare": prepared, "train": trained, "compare": (*prepared, *trained)}
    sections = of_commands.get(command.name, ("decoding",))
    name = option.removeprefix("--").replace("-", "_")
    keys = [key for key, below in schema_fields().items() if key[0] in sections and not below]
    return [".".join(key) for key in keys if key[-1] == name or key[-1].startswith(f"{name}_")]
