"""The options of one side, as a codec keeps them: plain values, read and checked without a library."""

import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from seq2seq_cli.config.schema.text import SideConfig


@dataclass(frozen=True, kw_only=True)
class SideOptions:
    """One language, and how its text becomes ids; the keys are those of the config's ``text.src`` and ``text.tgt``.

    Raises ValueError when a value is of the wrong type, or the language is none, such as ``auto``.
    """

    language: str
    lowercase: bool
    spacing: bool
    min_count: int
    max_size: int | None

    def __post_init__(self) -> None:
        if type(self.language) is not str or not re.fullmatch("[a-z]{2,3}", self.language):
            raise ValueError(f"not the code of a language: {self.language}")
        if type(self.lowercase) is not bool or type(self.spacing) is not bool:
            raise ValueError("lowercase and spacing are true or false")
        if not _is_count(self.min_count) or not (self.max_size is None or _is_count(self.max_size)):
            raise ValueError("min_count and max_size are numbers from 1 on")

    @classmethod
    def of(cls, config: "SideConfig | SideOptions", *, auto_size: int | None) -> Self:
        """The options with the values of a config; `auto_size` is the largest vocabulary where it says ``auto``."""
        return cls(
            language=config.language,
            lowercase=config.lowercase,
            spacing=config.spacing,
            min_count=config.min_count,
            max_size=auto_size if config.max_size == "auto" else config.max_size,
        )

    @classmethod
    def parse(cls, value: Any) -> Self:
        """The options from the content of a JSON file, other keys ignored; raises ValueError for anything else."""
        try:
            return cls(**{key: value[key] for key in cls.__dataclass_fields__})
        except (KeyError, TypeError):
            raise ValueError("not the options of a side") from None

    def to_json(self) -> dict[str, Any]:
        """The options as the content of a JSON file."""
        return asdict(self)


def _is_count(number: object) -> bool:
    return type(number) is int and number >= 1
