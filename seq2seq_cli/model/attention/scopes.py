"""Attention scopes: where a query may look.

B batch, T target length (1 in a single step), S source length, H query (decoder hidden).
"""

from typing import Protocol, runtime_checkable

from jaxtyping import Bool, Float
from torch import Tensor, nn


@runtime_checkable
class Scope(Protocol):
    """What a scope provides."""

    def __call__(self, query: Float[Tensor, "B T H"], mask: Bool[Tensor, "B S"]) -> Bool[Tensor, "B #T S"]:
        """True where a query may look; never at padding."""


class GlobalScope(nn.Module):
    """Every source word, at every step; Bahdanau et al. 2015, and Luong et al. 2015, section 3.1."""

    def forward(self, query: Float[Tensor, "B T H"], mask: Bool[Tensor, "B S"]) -> Bool[Tensor, "B 1 S"]:  # noqa: ARG002
        """The real tokens, whatever the query."""
        return mask.unsqueeze(1)
