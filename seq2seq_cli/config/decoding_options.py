"""The values of the ``decoding`` section as translating has them, once they are checked.

The schema, which explains and checks them, needs pydantic, whose import takes a tenth of a second. A run has its values
beside its exported model, as plain data, which may come from a stranger: types and ranges are checked here once more.
"""

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args, get_origin

from seq2seq_cli.config import choices

_RANGES: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys(("beam_size", "n_best"), (1, choices.LARGEST_BEAM)),
    **dict.fromkeys(("prune", "temperature"), (sys.float_info.min, math.inf)),
    **dict.fromkeys(("max_source_length", "batch_size", "threads"), (1, choices.LARGEST_INTEGER)),
    "length_penalty_alpha": (0, choices.LARGEST_LENGTH_ALPHA),
    "similar_pairs": (0, choices.MOST_SIMILAR_PAIRS),
    "similar_pairs_weight": (0, choices.LARGEST_PAIRS_WEIGHT),
    "seed": (0, 2**32 - 1),
    "max_length_factor": (0, choices.LARGEST_LENGTH_FACTOR),
    "max_length_extra": (1, choices.MOST_EXTRA_TOKENS),
}
"""The least and the largest value of keys; of others, 0 and the largest integer."""


@dataclass(frozen=True, kw_only=True)
class DecodingOptions:
    """The values of `DecodingConfig`, key by key, and what the commands ask for."""

    n_best: int = 1
    """Translations of a sentence, best first; at most `beam_size`. Of samples, equal ones are given once."""
    beam_size: int
    prune: float | None
    length_penalty: choices.LengthPenalty
    length_penalty_alpha: float
    coverage_penalty: float
    min_length: int
    no_repeat_ngram_size: int
    similar_pairs: int
    similar_pairs_weight: float
    sampling: bool
    temperature: float
    seed: int
    max_source_length: int
    batch_size: int
    engine: choices.EngineName
    threads: int | None
    max_length_factor: float | None
    max_length_extra: int

    def __post_init__(self) -> None:
        """Raise ValueError for a value that the schema does not allow."""
        for field in fields(self):
            value = getattr(self, field.name)
            if not _fits(value, field.type, *_RANGES.get(field.name, (0, choices.LARGEST_INTEGER))):
                raise ValueError(f"decoding.{field.name}: {value!r}")


def _fits(value: Any, kind: Any, least: float, most: float) -> bool:
    """Whether a value is of the type of its field, and a number in its range."""
    if get_origin(kind) is Literal:
        return type(value) is str and value in get_args(kind)
    kinds = get_args(kind) or (kind,)
    if value is None or type(value) is bool:
        return type(value) in kinds
    is_number = type(value) is int or (type(value) is float and float in kinds)
    return is_number and least <= value <= most
