"""The config: every key with its type, range, default and sentence; a module per section, with the rules of its keys.

A YAML file has five sections: ``data`` and ``text`` say how ``s2s prepare`` makes a corpus, ``model`` and
``training`` what ``s2s train`` makes of it, ``decoding`` how ``s2s translate`` searches. Messages,
``s2s configs show`` and the JSON schema are made from here. A new key acts only where it is read; one of ``decoding``
also needs a field in `config/choices.py`.
"""

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Annotated, Any, ClassVar, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator

from seq2seq_cli.config.choices import LARGEST_INTEGER
from seq2seq_cli.config.yaml12 import shown

PositiveInt = Annotated[int, Field(ge=1, le=LARGEST_INTEGER)]
NonNegativeInt = Annotated[int, Field(ge=0, le=LARGEST_INTEGER)]
Positive = Annotated[float, Field(gt=0.0)]
Probability = Annotated[float, Field(ge=0.0, le=1.0)]
Dropout = Annotated[float, Field(ge=0.0, lt=1.0)]
Seed = Annotated[int, Field(ge=0, lt=2**32)]

Problem: TypeAlias = tuple[Sequence[str], str]
"""A broken rule: the keys that disagree, relative to the section that checks, and a message that has them in full."""


class Disagreement(ValueError):  # noqa: N818 - pydantic turns it into its own error; nobody catches it by name
    """Values that are valid each by itself, but not together; ``problems`` holds one entry per broken rule."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(message for _, message in problems))
        self.problems = problems


class Section(BaseModel):
    """A part of the config: immutable, values of the wrong type and unknown keys refused."""

    model_config = ConfigDict(
        frozen=True, strict=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True
    )
    prefix: ClassVar[str] = ""
    """What stands before the section's keys in messages, such as ``model.``."""

    def problems(self) -> Iterator[Problem]:
        """The rules between keys that the values break."""
        yield from ()

    def with_value(self, key: str, value: object) -> Self:
        """A copy with another value of a key, which may be in a section below it: ``attention.size``. Unchecked."""
        name, _, below = key.partition(".")
        return self.model_copy(update={name: getattr(self, name).with_value(below, value) if below else value})

    @model_validator(mode="before")
    @classmethod
    def _states_nothing(cls, value: Any) -> Any:
        """A section without keys: ``training:`` with every line below commented out."""
        return {} if value is None else value

    @model_validator(mode="after")
    def _values_agree(self) -> Self:
        if problems := list(self.problems()):
            raise Disagreement(problems)
        return self


def clash(section: Section, key: str, other: str, why: str) -> Problem:
    """Two keys whose values do not go together."""
    return (key, other), f"{named(section, key)} and {named(section, other)} do not go together: {why}"


def named(section: Section, key: str) -> str:
    """A key in full with its value, such as "model.decoder.kind (luong)"; ``key`` is relative to the section."""
    return f"{section.prefix}{key} ({shown(reduce(getattr, key.split('.'), section))})"
