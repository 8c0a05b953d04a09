"""What all sections of the config share: their base, and the ranges of their numbers."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from seq2seq_cli.config.choices import LARGEST_INTEGER
from seq2seq_cli.config.compatibility import Problem


def _countable(number: int) -> int:
    if number > LARGEST_INTEGER:
        raise ValueError(f"must be less than {LARGEST_INTEGER + 1}")
    return number


# No range mentions the bound of integers.
PositiveInt = Annotated[int, Field(ge=1), AfterValidator(_countable)]
NonNegativeInt = Annotated[int, Field(ge=0), AfterValidator(_countable)]
Positive = Annotated[float, Field(gt=0.0)]
NonNegative = Annotated[float, Field(ge=0.0)]
Probability = Annotated[float, Field(ge=0.0, le=1.0)]
Dropout = Annotated[float, Field(ge=0.0, lt=1.0)]
Seed = Annotated[int, Field(ge=0, lt=2**32)]


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

    def problems(self) -> Iterator[Problem]:
        """The rules between keys that the values break."""
        yield from ()

    @model_validator(mode="after")
    def _values_agree(self) -> Self:
        if problems := list(self.problems()):
            raise Disagreement(problems)
        return self
