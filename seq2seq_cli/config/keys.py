"""The keys and sections of a config: what the schema says of each, and the value of each in a config."""

from collections.abc import Iterator
from functools import cache

from pydantic.fields import FieldInfo

from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.config.schema.section import Section
from seq2seq_cli.config.yaml12 import KeyPath


@cache
def schema_fields() -> dict[KeyPath, FieldInfo]:
    """Every key and section that a config can have, in the order of the schema."""
    return dict(_fields(Config, ()))


def section_at(path: KeyPath) -> type[Section] | None:
    """The class of the section at ``path``; None when that is a value or unknown."""
    field = schema_fields().get(path)
    return _section_of(field) if field else None


def values_by_key(section: Section, prefix: str = "", *, stated_only: bool = False) -> Iterator[tuple[str, object]]:
    """Each key of a section, such as ``text.src.min_count``, and its value, in the order of the schema.

    ``stated_only`` leaves out the keys that neither the file nor an override states.
    """
    for name in type(section).model_fields:
        value = getattr(section, name)
        if stated_only and name not in section.model_fields_set:
            continue
        if isinstance(value, Section):
            yield from values_by_key(value, f"{prefix}{name}.", stated_only=stated_only)
        else:
            yield f"{prefix}{name}", value


def _fields(section: type[Section], path: KeyPath) -> Iterator[tuple[KeyPath, FieldInfo]]:
    for name, field in section.model_fields.items():
        yield (*path, name), field
        if below := _section_of(field):
            yield from _fields(below, (*path, name))


def _section_of(field: FieldInfo) -> type[Section] | None:
    kind = field.annotation
    return kind if isinstance(kind, type) and issubclass(kind, Section) else None
