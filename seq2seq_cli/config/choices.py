"""Choices and limits of several keys or modules, each named once, and the values of the ``decoding`` section.

What a single key allows is with that key in the schema, which needs pydantic, whose import takes a tenth of a second:
the commands offer these choices, and translate with these values, without it.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias, get_args, get_origin

Unit: TypeAlias = Literal["word", "bpe", "character"]
"""The piece of text that has an id: a token of spaCy, a part of one, or a character."""

Cell: TypeAlias = Literal["lstm", "gru", "gru_cho", "rnn"]
ReadoutName: TypeAlias = Literal["state", "concat", "attentional", "lexical", "maxout"]

BatchUnit: TypeAlias = Literal["token", "sentence"]
"""The unit of a batch's size. sentence: pairs. token: rows x the longest of them, on the side where that is more; EOS
(or BOS) and padding are counted. A pair that is longer than the size is a batch of its own."""

Optimiser: TypeAlias = Literal["adam", "adamw", "adadelta", "muon", "sgd"]

Metric: TypeAlias = Literal["bleu", "chrf", "loss"]
"""A score of held-out sentences."""
METRIC_NAMES: dict[Metric, str] = {"bleu": "BLEU", "chrf": "chrF", "loss": "loss"}
"""The names that the field writes."""
CurveAxis: TypeAlias = Literal["epoch", "minutes", "tokens"]
CurveMeasure: TypeAlias = Literal[Metric, "entropy"]
"""The upper panel of learning curves: a held-out score or the attention's entropy; with the loss there is none."""

LengthPenalty: TypeAlias = Literal["none", "average", "gnmt"]
EngineName: TypeAlias = Literal["auto", "torch"]
DecodingPrecision: TypeAlias = Literal["auto", "fp32"]
DeviceName: TypeAlias = Literal["auto", "cpu", "cuda", "mps"]

LENGTH_FACTOR = 1.5
"""Target tokens per source token that a translation may have, unless the training pairs have more."""
LARGEST_LENGTH_FACTOR = 100.0
LARGEST_LENGTH_ALPHA = 10.0
LARGEST_BEAM = 1000
"""More hypotheses take gigabytes of memory, and translate worse; Koehn and Knowles 2017, section 3.6."""
LARGEST_INTEGER = 2**31 - 1
"""What the libraries can count to; no useful value comes near."""
MOST_SIMILAR_PAIRS = 1000
"""More take seconds per sentence, and are hardly similar."""
LARGEST_PAIRS_WEIGHT = 0.99
"""With 1, what no similar pair writes could not be written."""
MOST_EXTRA_TOKENS = 10_000
"""Tokens after which a translation ends in any case, whatever the model."""

Precision: TypeAlias = Literal["fp32", "bf16-mixed"]
PrecisionName: TypeAlias = Literal["auto", Precision]

_RANGES: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys(("beam_size", "n_best"), (1, LARGEST_BEAM)),
    **dict.fromkeys(("prune", "temperature"), (math.ulp(0.0), math.inf)),
    **dict.fromkeys(("max_source_length", "batch_size", "threads"), (1, LARGEST_INTEGER)),
    "length_penalty_alpha": (0, LARGEST_LENGTH_ALPHA),
    "similar_pairs": (0, MOST_SIMILAR_PAIRS),
    "similar_pairs_weight": (0, LARGEST_PAIRS_WEIGHT),
    "seed": (0, 2**32 - 1),
    "max_length_factor": (0, LARGEST_LENGTH_FACTOR),
    "max_length_extra": (1, MOST_EXTRA_TOKENS),
}
"""The least and the largest value of keys; of others, 0 and the largest integer."""


@dataclass(frozen=True, kw_only=True)
class DecodingOptions:
    """The values of `DecodingConfig`, key by key, and what the commands ask for.

    A run has them beside its exported model, as plain data, which may come from a stranger: types and ranges are
    checked here once more.
    """

    n_best: int = 1
    """Translations of a sentence, best first; at most `beam_size`. Of samples, equal ones are given once."""
    beam_size: int
    prune: float | None
    length_penalty: LengthPenalty
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
    engine: EngineName
    precision: DecodingPrecision
    threads: int | None
    max_length_factor: float | None
    max_length_extra: int

    def __post_init__(self) -> None:
        """Raise ValueError for a value that the schema does not allow."""
        for field in fields(self):
            value = getattr(self, field.name)
            if not _fits(value, field.type, *_RANGES.get(field.name, (0, LARGEST_INTEGER))):
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
