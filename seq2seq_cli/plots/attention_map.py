"""The attention of one translation, as every picture of it takes it."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float


@runtime_checkable  # the tests check shapes at run time
class AttentionMap(Protocol):
    """A sentence, its translation and the attention weights; T target tokens, S source tokens."""

    @property
    def source(self) -> str:
        """The source sentence as given."""

    @property
    def text(self) -> str:
        """The translation as plain text."""

    @property
    def src_tokens(self) -> Sequence[str]:
        """The S source tokens: the columns."""

    @property
    def tgt_tokens(self) -> Sequence[str]:
        """The T target tokens: the rows."""

    @property
    def weights(self) -> Float[np.ndarray, "T S"]:
        """The attention weight of each source token for each target token; a row sums to 1, a local scope's to less."""
