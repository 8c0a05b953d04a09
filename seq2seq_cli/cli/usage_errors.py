"""The message of a mistake on the command line, with what may have been meant."""

from collections.abc import Iterator, Sequence
from typing import Any

_SECTIONS = {"prepare": ("data", "text"), "train": ("model", "training", "decoding")}
"""The sections of the config whose keys ``--set`` changes; all other commands take those of ``decoding``."""


def usage_line(error: Any) -> str:
    """The message of an error of typer, and where to read on."""
    context = getattr(error, "ctx", None)
    # Pydantic begins its messages so, where it checks a value for typer, which lists choices line by line.
    problem = " ".join(error.format_message().replace("Value error, ", "").split()).rstrip(".")
    if context is None:
        return problem
    wrong = getattr(error, "option_name", "")
    is_abbreviated = any(option.startswith(wrong) for parameter in context.command.params for option in parameter.opts)
    if wrong and not is_abbreviated and (keys := list(_keys_like(wrong, context.command, context.command.name))):
        problem = f"{error.message}; did you mean {_settings(keys)}?"
    elif wrong and context.command.name == "train" and (keys := list(_keys_like(wrong, context.command, "prepare"))):
        problem = f"{error.message}; did you mean s2s prepare {_settings(keys)}?"
    elif context.command.name == "train" and "extra argument" in problem:
        problem += ": pairs are prepared first, with s2s prepare FILE"
    return f"{problem}{'' if problem.endswith('?') else '.'} See {context.command_path} --help"


def _settings(keys: Sequence[str]) -> str:
    return " or ".join(f"--set {key}=VALUE" for key in keys[:3])


def _keys_like(option: str, command: Any, reader: str) -> Iterator[str]:
    """The keys of a config with the name of an unknown option, or that begin with it, where the command has ``--set``.

    They are those that the `reader` reads, which is the same command or another one.
    """
    if not option.startswith("--") or not any("--set" in parameter.opts for parameter in command.params):
        return
    from seq2seq_cli.config.keys import schema_fields, section_at  # not above: pydantic

    name = option.removeprefix("--").replace("-", "_")
    for path in schema_fields():
        is_read = path[0] in _SECTIONS.get(reader, ("decoding",)) and section_at(path) is None
        if is_read and (path[-1] == name or path[-1].startswith(f"{name}_")):
            yield ".".join(path)
