"""A config written whole: every key with its sentence, its choices or range, and its default, made from the schema."""

import textwrap
from collections.abc import Iterator
from typing import Any

from seq2seq_cli.config.keys import allowed
from seq2seq_cli.config.schema import Section
from seq2seq_cli.config.schema.config import PREPARED_SECTIONS, Config
from seq2seq_cli.config.yaml12 import shown, write_yaml

_WIDTH = 120
_LEGEND = """\
# Beside each value: what is allowed, and the default where the value is another one.
# The keys of data and text are for s2s prepare; s2s train takes them from the prepared folder. A key right
# behind '#' is not set and has its default; remove the '#' to set it.
"""


def annotated_yaml(config: Config, description: str = "") -> str:
    """The config as YAML that loads to an equal one, with every key explained and the description as the first line.

    Keys of ``data`` and ``text`` that the config does not state are commented out, so that it still states no more.
    """
    heading = f"# {description}\n#\n{_LEGEND}" if description else _LEGEND
    return heading + "".join(f"{line}\n" for line in _lines(config, Config.model_json_schema()["$defs"]))


def _lines(
    section: Section, schemas: dict[str, Any], indentation: str = "", *, hide_unstated: bool = False
) -> Iterator[str]:
    for name, field in type(section).model_fields.items():
        value = getattr(section, name)
        if not indentation:
            yield ""
        yield from _comment(field.description, indentation)
        if isinstance(value, Section):
            yield f"{indentation}{name}:"
            hide = hide_unstated or (not indentation and name in PREPARED_SECTIONS)
            yield from _lines(value, schemas, f"{indentation}  ", hide_unstated=hide)
            continue
        choices = allowed(schemas[type(section).__name__]["properties"][name])
        hidden = "#" if hide_unstated and name not in section.model_fields_set else ""
        written = write_yaml({name: value}).rstrip("\n")  # a text may end with other white space
        default = [] if value == field.default else [f"default {shown(field.default)}"]
        line = f"{indentation}{hidden}{written}"
        beside = f"{line:<34}  # {'; '.join([choices, *default])}"
        if len(beside) > _WIDTH:
            yield from _comment(f"One of {choices}.", indentation)
            beside = f"{line:<34}  # {default[0]}" if default else line
        yield beside


def _comment(text: str | None, indentation: str) -> list[str]:
    prefix = f"{indentation}# "
    return textwrap.wrap(text or "", _WIDTH, initial_indent=prefix, subsequent_indent=prefix)
