"""The section ``decoding``: the search for translations."""

from collections.abc import Iterator
from typing import Annotated, ClassVar

from pydantic import Field
from typing_extensions import override

from seq2seq_cli.config import choices
from seq2seq_cli.config.schema import NonNegativeInt, Positive, PositiveInt, Problem, Section, Seed, clash


class DecodingConfig(Section):
    """The search for translations."""

    prefix: ClassVar[str] = "decoding."
    beam_size: Annotated[int, Field(ge=1, le=choices.LARGEST_BEAM)] = 5
    """Hypotheses of a sentence that are kept at each step; 1: greedy search."""
    prune: Positive | None = 1.5
    """Largest distance in log-probability from the best hypothesis of the sentence; hypotheses farther below it are
    dropped, except the best ones, as many as --nbest asks for. null: none is dropped."""
    length_penalty: choices.LengthPenalty = "average"
    """Divisor of a translation's log-probability when translations of a sentence are compared. none: 1. average: its
    number of tokens n. gnmt: ((5 + n) / 6) ^ length_penalty_alpha."""
    length_penalty_alpha: Annotated[float, Field(ge=0.0, le=choices.LARGEST_LENGTH_ALPHA)] = 1.0
    """For gnmt only: its exponent; a larger one prefers longer translations."""
    coverage_penalty: Annotated[float, Field(ge=0.0, le=choices.LARGEST_INTEGER)] = 0.0
    """Weight of the penalty for source tokens without attention; GNMT's beta."""
    min_length: NonNegativeInt = 0
    """Fewest tokens of a translation."""
    no_repeat_ngram_size: NonNegativeInt = 3
    """Length of the n-grams that are limited; 0: no limit. No n-gram occurs more often in a translation than the most
    frequent one of its source does there. Where target tokens are characters (text.unit character, or word in Chinese),
    the n-grams are five times as long."""
    similar_pairs: Annotated[int, Field(ge=0, le=choices.MOST_SIMILAR_PAIRS)] = 0
    """Number of training pairs, those with the most similar sources, that the search consults; 0: none. At each step,
    the model's state is compared with its states in these pairs: tokens that follow similar states become more
    probable. With more than 0, training saves the training pairs in the run folder."""
    similar_pairs_weight: Annotated[float, Field(ge=0.0, le=choices.LARGEST_PAIRS_WEIGHT)] = 0.5
    """For similar_pairs only: largest share of the pairs in the probability of a token; less where no pair is in
    a similar state or the model is sure, none where it copies."""
    sampling: bool = False
    """Draw each token by its probability; no search, and beam_size does not matter."""
    temperature: Positive = 1.0
    """For sampling only: probabilities to the power of 1 / temperature are drawn from; below 1, likely tokens come more
    often."""
    seed: Seed = 1
    """For sampling only: seed of the random numbers; the same sentence and seed give the same sample."""
    max_source_length: PositiveInt = 100
    """Longest sentence that is translated whole, in units of text.unit (of characters, five times as many); a longer
    one is translated in parts."""
    batch_size: PositiveInt = 128
    """Most sentences that a thread translates at once; it does not change the translations."""
    engine: choices.EngineName = "auto"
    """Program that computes. torch: on any device. auto: ONNX Runtime with the exported model, but torch on other
    devices than the CPU, and where no exported model fits."""
    precision: choices.DecodingPrecision = "auto"
    """Precision of the output layer. auto: int8 where ONNX Runtime computes with one model and a beam of at most 10,
    but fp32 for the best tokens; one sentence in some 1,500 is translated otherwise than in fp32. fp32: always fp32."""
    threads: PositiveInt | None = None
    """Threads that compute; null: as many as there are cores."""
    max_length_factor: Annotated[float, Field(ge=0.0, le=choices.LARGEST_LENGTH_FACTOR)] | None = None
    """A translation has at most max_length_factor * source tokens + max_length_extra tokens. null: 1.5, or 1.4 times
    the target tokens per source token of the training pairs where that is more."""
    max_length_extra: Annotated[int, Field(ge=1, le=choices.MOST_EXTRA_TOKENS)] = 10
    """Tokens, or five times as many characters, that a translation may have besides max_length_factor."""

    @override
    def problems(self) -> Iterator[Problem]:
        """Beam search draws nothing."""
        if self.temperature != 1.0 and not self.sampling:
            yield clash(self, "temperature", "sampling", "beam search draws nothing")

    @property
    def options(self) -> choices.DecodingOptions:
        """The values without their rules, as translating has them."""
        return choices.DecodingOptions(**self.model_dump())

    @property
    def in_words(self) -> str:
        """The search in words, for reports and the model card."""
        if self.sampling:
            return "sampling"
        search = f"beam {self.beam_size}" if self.beam_size > 1 else "greedy"
        return f"{search}, {self.similar_pairs} similar pairs" if self.similar_pairs else search
