"""What lets a command start fast."""

import contextlib
import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from typer.core import TyperCommand, TyperGroup
from typing_extensions import override

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
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def before_dashes(args: list[str]) -> list[str]:
    """The arguments before ``--``, among which are the options."""
    return args[: args.index("--")] if "--" in args else args


class PlainCommand(TyperCommand):
    """A command whose texts and paths are taken as they are, and whose defaults are not checked.

    Typer checks each value with pydantic, whose import takes longer than a translation.
    """

    @override
    def get_params(self, ctx: Any) -> list[Any]:
        return _taken_plainly(super().get_params(ctx))


class PlainGroup(TyperGroup):
    """The same for a group of commands, whose list has the first paragraph of each command's help, uncut."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        for command in self.commands.values():
            command.short_help = " ".join((command.help or "").partition("\n\n")[0].split())

    @override
    def get_params(self, ctx: Any) -> list[Any]:
        return _taken_plainly(super().get_params(ctx))


def _taken_plainly(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        if not isinstance(parameter.process_value, _PlainProcessing):
            parameter.process_value = _PlainProcessing(parameter)
    return parameters


class _PlainProcessing:
    """The processing of a parameter's value, by typer where the value needs a check."""

    def __init__(self, parameter: Any) -> None:
        self._parameter = parameter
        self._check = parameter.process_value
        self._convert = _PLAIN.get(parameter.type_descriptor.annotation)

    def __call__(self, context: Any, value: Any) -> Any:
        parameter = self._parameter
        if parameter.required or not (self._convert or value is None or value == parameter.default):
            return self._check(context, value)
        if self._convert and value is not None:
            value = self._convert(value)
        return parameter.callback(context, parameter, value) if parameter.callback else value
