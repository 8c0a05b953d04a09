"""The values of the ``decoding`` section as translating has them, once they are checked.

The schema, which explains and checks them, needs pydantic, whose import takes a tenth of a second. A run has its values
beside its exported model, as plain data.
"""

from dataclasses import dataclass

from seq2seq_cli.config import choices


@dataclass(frozen=True, kw_only=True)
class DecodingOptions:
    """The values of `DecodingConfig`, key by key."""

    beam_size: int
    n_best: int
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
    precision: choices.DecodingPrecision
    threads: int | None
    max_length_factor: float | None
    max_length_extra: int
