"""Choices and limits of several keys or modules, each named once: for the schema and the layers above.

What a single key allows is with that key in the schema. Nothing is imported here but typing, so that the commands offer
these choices without pydantic.
"""

from typing import Literal, TypeAlias

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
