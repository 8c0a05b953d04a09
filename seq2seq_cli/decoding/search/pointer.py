"""The attention of a step as a pointer to the terms of a source, which shows where their translations go.

S source length with EOS.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from seq2seq_cli.shapes import Float

LEAST_PROBABILITY = 1e-3
"""The smallest probability, as attention may be on the source words of a term entirely, or not at all."""


@dataclass(frozen=True, kw_only=True)
class Pointer:
    """The probabilities with which the next tokens of a hypothesis are terms.

    With probability a, the attention weight on the source words of a term, the term comes next; with the rest, the
    token that the model prefers. See et al. 2017, "Get To The Point: Summarization with Pointer-Generator Networks",
    equation 9, where the attention decides between copying and writing too.

    A gain is the logarithm of such a probability, less that of the model: what ranks hypotheses beside log p.
    """

    terms: Sequence[float]
    """log a of each term."""
    other: float
    """log (1 - the sum of a): the gain of a token that belongs to no term."""
    asked: Mapping[int, float]
    """The model's log-probability of each token that brings the hypothesis further."""

    @classmethod
    def of(
        cls, weights: Float[np.ndarray, " S"], positions: Sequence[Sequence[int]], asked: Mapping[int, float]
    ) -> "Pointer":
        """The pointer from the attention weights of a step to terms with these positions in the source."""
        on_terms = [float(weights[list(of_term)].sum()) for of_term in positions]
        return cls(terms=[_log(a) for a in on_terms], other=_log(1 - sum(on_terms)), asked=asked)

    def begin(self, term: int, first_tokens: Iterable[int]) -> float:
        """The gain of a token that begins a term, whose forms have these first tokens; the model may mean it, too."""
        as_term = self.terms[term] + self.go_on(first_tokens)
        return max(as_term, self.other) + math.log1p(math.exp(-abs(as_term - self.other)))

    def go_on(self, tokens: Iterable[int]) -> float:
        """The gain of one of these tokens, of which the next must be one."""
        found = [self.asked[token] for token in set(tokens)]
        largest = max(found)  # so that no exponential is 0
        return -largest - math.log(sum(math.exp(log_p - largest) for log_p in found))


def _log(probability: float) -> float:
    return math.log(min(max(probability, LEAST_PROBABILITY), 1 - LEAST_PROBABILITY))
