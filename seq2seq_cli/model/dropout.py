"""Dropout of single entries, of the same entries at every position of a sentence, and of whole words.

B batch, N positions, X size of a vector, D embedding, L layers, H hidden.
"""

import math
from dataclasses import replace

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from seq2seq_cli.model.state import DropoutMasks, RNNState


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


class VariationalDropout(nn.Dropout):
    """One mask per sentence, the same at every position; Gal & Ghahramani 2016, section 4.

    It applies to the inputs of an RNN's layers: the word vectors, and the states of the layer below. The paper also
    drops entries of the recurrent state h_{t-1}; here that stays whole, because torch runs an RNN over a sentence in
    one call. `WordDropout` drops rows of the word matrix (section 4.2).
    """

    def forward(self, vectors: Float[Tensor, "B *N X"]) -> Float[Tensor, "B *N X"]:
        """The vectors times the mask of their row; in evaluation, the same vectors."""
        if not self.training or not self.p:
            return vectors
        rows, *positions, size = vectors.shape
        return vectors * self.draw(vectors, rows, *(1 for _ in positions), size)

    def draw(self, like: Tensor, *shape: int) -> Tensor:
        """A mask of that shape, of the dtype and on the device of `like`: 0 with probability p, else 1 / (1 - p)."""
        return F.dropout(torch.ones(shape, dtype=like.dtype, device=like.device), self.p)


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


def make_dropout(p: float, *, variational: bool) -> Dropout | VariationalDropout:
    """Dropout of the entries of vectors."""
    return VariationalDropout(p) if variational else Dropout(p)


def with_dropout_masks(state: RNNState, dropout: nn.Module, *, words: Tensor) -> RNNState:
    """A decoder's first state with the masks of all its steps, for word vectors like the rows of the matrix `words`.

    Without variational dropout and in evaluation, the same state.
    """
    if not (isinstance(dropout, VariationalDropout) and dropout.training and dropout.p):
        return state
    layers, rows, size = state.hidden.shape
    masks = DropoutMasks(
        words=dropout.draw(words, rows, words.shape[1]), layers=dropout.draw(words, layers - 1, rows, size)
    )
    return replace(state, masks=masks)


def drop_word_entries(
    vectors: Float[Tensor, "B *N D"], masks: DropoutMasks | None, dropout: nn.Module
) -> Float[Tensor, "B *N D"]:
    """The word vectors of a decoder's steps, dropped by the masks of its state, or by new draws where it has none."""
    if masks is None or not dropout.training:
        dropped: Tensor = dropout(vectors)
        return dropped
    return vectors * (masks.words if vectors.ndim == 2 else masks.words.unsqueeze(1))


def _random_int16(shape: torch.Size) -> Int[Tensor, "*N X"]:
    """Sixteen random bits per entry, four entries from each draw of 64 bits."""
    draws = torch.empty(math.ceil(shape.numel() / 4), dtype=torch.int64).random_(-(2**63), None)
    return draws.view(torch.int16)[: shape.numel()].view(shape)
