"""From YAML text and ``--set`` overrides to a Config, whose problems are reported all at once, and back to YAML."""

import logging
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from seq2seq_cli.config.catalog import find_config, read_config_text
from seq2seq_cli.config.keys import allowed, explain, key_of, schema_fields, unknown_key
from seq2seq_cli.config.schema import Disagreement, Section
from seq2seq_cli.config.schema.config import PREPARED_SECTIONS, Config
from seq2seq_cli.config.yaml12 import Document, KeyPath, Place, shown, write_yaml
from seq2seq_cli.errors import ConfigError, one_line

_WIDTH = 120
_LEGEND = """\
# Beside each value: what is allowed, and the default where the value is another one.
# The keys of data and text are for s2s prepare; s2s train takes them from the prepared folder. A key right
# behind '#' is not set and has its default; remove the '#' to set it.
"""

logger = logging.getLogger(__name__)


def load_config(name: str | None, overrides: Sequence[str] = ()) -> Config:
    """The config of a user, read strictly; keys that it leaves out have their defaults.

    ``name`` is a path or a name (see ``find_config``); None stands for the defaults. ``overrides`` such as
    ``training.lr=3e-4`` are typed like the file's values and replace them. The ``model_fields_set`` of each section
    holds the keys that the file or an override states.

    Raises ConfigError with every problem of the file, in its order, then of the overrides.
    """
    draft = _Draft()
    if name is not None:
        draft.read_file(find_config(name))
    draft.override(overrides)
    return draft.validated()


def overridden_keys(overrides: Sequence[str]) -> frozenset[str]:
    """The keys of overrides that `load_config` has taken, such as ``text.unit``."""
    return frozenset(".".join(_key_path(override)) for override in overrides)


def load_saved_config(path: Path, overrides: Sequence[str] = (), *, without: Iterable[str] = ()) -> Config:
    """The config inside a run folder, which another version of s2s may have written.

    Unknown keys of the file are dropped with a logged warning, missing ones have their defaults, and so have the
    sections and keys ``without``. ``overrides`` are the user's and are read as strictly as by ``load_config``.

    Raises ConfigError when the file is missing or damaged, or holds values of the wrong kind.
    """
    draft = _Draft()
    draft.read_file(path)
    left_out = {tuple(key.split(".")) for key in without}
    list(_drop(draft.values, left_out.__contains__))
    for key in _drop(draft.values, lambda key: key not in schema_fields()):
        logger.warning("%s: key '%s' is unknown to this version of s2s and ignored", path, one_line(".".join(key)))
    draft.override(overrides)
    return draft.validated()


def checked_config(config: Config) -> Config:
    """A config put together from parts of others, with the rules between its keys checked; raises ConfigError."""
    return _Draft(config.model_dump()).validated()


def dump_config(config: Config) -> str:
    """The config as YAML that loads to an equal one and states every key."""
    return write_yaml(config.model_dump())


def annotated_yaml(config: Config, description: str = "") -> str:
    """The config as YAML that loads to an equal one, with every key explained and the description as the first line.

    Beside each key stand its choices or range, and its default, as the schema has them. Keys of ``data`` and ``text``
    that the config does not state are commented out, so that it still states no more.
    """
    heading = f"# {description}\n#\n{_LEGEND}" if description else _LEGEND
    return heading + "".join(f"{line}\n" for line in _lines(config))


class _Draft:
    """A config that is being read: plain values, the place of each key and value, and the problems found so far."""

    def __init__(self, values: dict[str, Any] | None = None) -> None:
        self.values = values or {}
        self._key_places: dict[KeyPath, Place] = {}
        self._value_places: dict[KeyPath, Place] = {}
        self._problems: dict[Place, list[str]] = {}

    def read_file(self, path: Path) -> None:
        """Take the values of a YAML file, and note where each stands."""
        document = Document(read_config_text(path), path)
        self._key_places, self._value_places = document.keys, document.values
        for fault in document.faults:
            self._add(*fault)
        if isinstance(document.value, dict):
            self.values = document.value
        elif document.value is not None and not document.faults:
            message = "must hold sections such as 'training:', with indented 'key: value' lines below"
            self._add(self._value_places[()], (), message)

    def override(self, overrides: Sequence[str]) -> None:
        """Set keys by texts such as ``training.lr=3e-4``."""
        for number, text in enumerate(overrides, start=1):
            place = Place(number, 0, 0, f"--set {one_line(text)}")
            _, equals, value = text.partition("=")
            path = _key_path(text) if equals else ()
            document = Document(value)
            if problem := _override_problem(path, document):
                self._add(place, path, problem)
                continue
            values = self.values
            for name in path[:-1]:
                if values.get(name) is None:
                    values[name] = {}
                values = values[name]
                if not isinstance(values, dict):
                    break  # the file has something else in a section's place, which is reported
            else:
                values[path[-1]] = document.value
                self._key_places[path] = self._value_places[path] = place

    def validated(self) -> Config:
        """The config with these values; raises ConfigError with all problems."""
        config = None
        try:
            config = Config.model_validate(self.values)
        except ValidationError as error:
            for problem in error.errors():
                path, cause = key_of(problem), problem.get("ctx", {}).get("error")
                if isinstance(cause, Disagreement):
                    self._add_disagreement(path, cause)
                else:
                    places = self._key_places if problem["type"] == "extra_forbidden" else self._value_places
                    self._add(_innermost(places, path), path, explain(problem))
        if config is None or self._problems:
            raise ConfigError(*(problem for place in sorted(self._problems) for problem in self._problems[place]))
        return config

    def _add(self, place: Place, path: KeyPath, message: str) -> None:
        # Once per place: a value that cannot be read is not reported again as one of the wrong type.
        key = "" if place.override or not path else one_line(".".join(path)) + ": "
        self._problems.setdefault(place, [f"{place.shown}: {key}{message}"])

    def _add_disagreement(self, section: KeyPath, broken: Disagreement) -> None:
        """Note each broken rule at the key stated last, or at the section when only defaults disagree."""
        for keys, message in broken.problems:
            paths = [(*section, *key.split(".")) for key in keys]
            stated = [self._key_places[path] for path in paths if path in self._key_places]
            place = max(stated, default=_innermost(self._key_places, section))
            self._problems.setdefault(place, []).append(f"{place.shown}: {message}")


def _key_path(override: str) -> KeyPath:
    return tuple(map(str.strip, override.partition("=")[0].split(".")))


def _override_problem(path: KeyPath, document: Document) -> str | None:
    if not path or not all(path):
        return "must be KEY=VALUE, such as training.lr=3e-4"
    for end in range(1, len(path) + 1):
        if path[:end] not in schema_fields():
            return unknown_key(path[:end], path[end:])
    if section := schema_fields().get(path):
        return f"a section; set one of its keys, such as {'.'.join(path)}.{next(iter(section.model_fields))}"
    return document.faults[0][-1] if document.faults else None


def _innermost(places: dict[KeyPath, Place], path: KeyPath) -> Place:
    """The place of ``path``, or of the smallest section around it that was stated."""
    while path not in places and path:
        path = path[:-1]
    return places.get(path, Place(0, 0, 0, "config"))


def _drop(values: dict[str, Any], is_dropped: Callable[[KeyPath], bool], path: KeyPath = ()) -> Iterator[KeyPath]:
    """Drop some keys of a section and of those below it; yields them."""
    for name in list(values):
        here = (*path, name)
        if is_dropped(here):
            del values[name]
            yield here
        elif schema_fields().get(here) and isinstance(values[name], dict):
            yield from _drop(values[name], is_dropped, here)


def _lines(section: Section, indentation: str = "", *, hide_unstated: bool = False) -> Iterator[str]:
    """The lines of a section, each key below its sentence."""
    schemas = type(section).model_json_schema()["properties"]
    for name, field in type(section).model_fields.items():
        value = getattr(section, name)
        if not indentation:
            yield ""
        yield from _comment(field.description, indentation)
        if isinstance(value, Section):
            yield f"{indentation}{name}:"
            hide = hide_unstated or (not indentation and name in PREPARED_SECTIONS)
            yield from _lines(value, f"{indentation}  ", hide_unstated=hide)
            continue
        choices = allowed(schemas[name])
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
