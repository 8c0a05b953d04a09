"""What there is to see of one translation."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float


@runtime_checkable  # the tests check it while they run
class AttentionMap(Protocol):
    """A sentence, its translation and the weights between their words; T target tokens, S source tokens."""

    @property
    def source(self) -> str:
        """The sentence as it was given."""

    @property
    def text(self) -> str:
        """Its translation as plain text."""

    @property
    def src_tokens(self) -> Sequence[str]:
        """The words of the source, one a column."""

    @property
    def tgt_tokens(self) -> Sequence[str]:
        """The words of the translation, one a row."""

    @property
    def weights(self) -> Float[np.ndarray, "T S"]:
        """How much each target word attended to each source word; rows sum to 1."""
