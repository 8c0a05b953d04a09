"""A sample of the vocabulary, from which the softmax of a large one is estimated.

N target words of a batch, V vocabulary, W words of the sample.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor


class WordSample(NamedTuple):
    """Words of a vocabulary that stand for all of its words."""

    words: Int[Tensor, " W"]
    """Their ids, ascending."""
    counts: Float[Tensor, " W"]
    """The number of words that each one stands for; they sum to V."""
    places: Int[Tensor, " V"]
    """The place of each word in `words`; meaningless for words that are not in the sample."""


def draw_words(targets: Int[Tensor, " N"], *, vocabulary: int, drawn: int, multiple: int = 1) -> WordSample | None:
    """The words of `targets`, which stand for themselves, and `drawn` others (1 or more), which stand for all others.

    A few more others are drawn where all would not be a multiple of `multiple` words. None where there are no more
    others than that: the sample would be the vocabulary.

    All others have the same chance, so that sum_w count_w f(w) is an unbiased estimate of the sum of f over the
    vocabulary. Importance sampling of the softmax is due to Bengio & Senécal 2003. Jean et al. 2015, section 3, use one
    sample for many predictions, so that it multiplies matrices: it is fixed for each part of the corpus,
    and stands for itself alone. Here each batch has a sample of its own, in which the words of the batch, mostly the
    frequent ones, are certain, and only the rest of the sum is estimated.
    """
    certain = torch.zeros(vocabulary, dtype=torch.bool, device=targets.device)
    certain[targets] = True
    others = (~certain).nonzero().squeeze(1)
    drawn += -(vocabulary - len(others) + drawn) % multiple
    if len(others) <= drawn:
        return None
    counts = certain.to(torch.get_default_dtype())
    counts[others[torch.randperm(len(others), device=others.device)[:drawn]]] = len(others) / drawn
    words = counts.nonzero().squeeze(1)
    places = torch.zeros_like(certain, dtype=torch.long)
    places[words] = torch.arange(len(words), device=words.device)
    return WordSample(words=words, counts=counts[words], places=places)
