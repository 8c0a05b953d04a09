"""The values of the ``decoding`` section, checked without pydantic, whose import takes longer than a translation.

The schema is their home; a test holds these rules against it.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, get_args

from seq2seq_cli.config import choices

_Rule: TypeAlias = Callable[[Any], bool]


def _whole(least: int, most: int = choices.LARGEST_INTEGER) -> _Rule:
    return lambda value: type(value) is int and least <= value <= most


def _number(least: float, most: float = math.inf) -> _Rule:
    return lambda value: type(value) in (int, float) and math.isfinite(value) and least <= value <= most


def _positive(value: Any) -> bool:
    return _number(0.0)(value) and value > 0


def _or_none(rule: _Rule) -> _Rule:
    return lambda value: value is None or rule(value)


def _one_of(names: Any) -> _Rule:
    return lambda value: type(value) is str and value in get_args(names)


def _truth(value: Any) -> bool:
    return type(value) is bool


_RULES: Mapping[str, _Rule] = {
    "beam_size": _whole(1, choices.LARGEST_BEAM),
    "n_best": _whole(1, choices.LARGEST_BEAM),
    "prune": _or_none(_positive),
    "length_penalty": _one_of(choices.LengthPenalty),
    "length_penalty_alpha": _number(0.0, 10.0),
    "coverage_penalty": _number(0.0),
    "min_length": _whole(0),
    "no_repeat_ngram_size": _whole(0),
    "similar_pairs": _whole(0, choices.MOST_SIMILAR_PAIRS),
    "similar_pairs_weight": _number(0.0, choices.LARGEST_PAIRS_WEIGHT),
    "sampling": _truth,
    "temperature": _positive,
    "top_k": _or_none(_whole(1)),
    "seed": _whole(0, 2**32 - 1),
    "max_source_length": _whole(1),
    "batch_size": _whole(1),
    "engine": _one_of(choices.EngineName),
    "precision": _one_of(choices.DecodingPrecision),
    "threads": _or_none(_whole(1)),
    "max_length_factor": _or_none(_number(0.0, choices.LARGEST_LENGTH_FACTOR)),
    "max_length_extra": _whole(1, choices.MOST_EXTRA_TOKENS),
}


def are_decoding_values(values: object) -> bool:
    """Whether `values` are those of a whole ``decoding`` section, as the schema has it."""
    if not isinstance(values, dict) or values.keys() != _RULES.keys():
        return False
    if not all(rule(values[key]) for key, rule in _RULES.items()):
        return False
    if values["engine"] == "torch" and values["precision"] != "fp32":
        return False
    drawn = values["temperature"] != 1.0 or values["top_k"] is not None
    return values["sampling"] or not (drawn or values["n_best"] > values["beam_size"])
