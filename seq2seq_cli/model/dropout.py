"""Dropout of single entries, and of whole words.

N positions, X size of a vector, D embedding.
"""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn


class Dropout(nn.Dropout):
    """Each entry dropped by itself; Srivastava et al. 2014, section 4, with the scaling in training.

    On a CPU one random number of 64 bits serves four entries, which rounds p to a multiple of 1/65,536. Torch's own
    dropout draws one number per entry, which takes most of its time.
    """

    def forward(self, vectors: Float[Tensor, "*N X"]) -> Float[Tensor, "*N X"]:
        """Zero with probability p, else the entry times 1 / (1 - p); in evaluation, the same vectors."""
        if not self.training or not self.p:
            return vectors
        if vectors.device.type != "cpu":
            return F.dropout(vectors, self.p)
        dropped = min(round(self.p * 2**16), 2**16 - 1)
        kept = _random_int16(vectors.shape) >= dropped - 2**15  # the smallest int16 is -2**15
        return vectors * kept.to(vectors.dtype).mul_(2**16 / (2**16 - dropped))


class WordDropout(nn.Dropout):
    """Whole word vectors dropped; Sennrich, Haddow & Birch 2016 (WMT), and Sennrich & Zhang 2019 for small corpora.

    Each position is drawn by itself, as theirs are. Gal & Ghahramani 2016, section 4.2, draw once per word type of a
    sentence; few words occur twice in one, and a decoder would have to carry its draws from step to step.
    """

    def forward(self, vectors: Float[Tensor, "*N D"]) -> Float[Tensor, "*N D"]:
        """Zero with probability p, else the vector times 1 / (1 - p); in evaluation, the same vectors."""
        if not self.training or not self.p:
            return vectors
        return vectors * F.dropout(torch.ones_like(vectors[..., :1]), self.p)


def _random_int16(shape: torch.Size) -> Int[Tensor, "*N X"]:
    """Sixteen random bits per entry, four entries from each draw of 64 bits."""
    draws = torch.empty(math.ceil(shape.numel() / 4), dtype=torch.int64).random_(-(2**63), None)
    return draws.view(torch.int16)[: shape.numel()].view(shape)
