"""Dropout: of each entry by itself, of the same entries at every word of a sentence, of whole words.

B batch, N positions, X size of a vector, D embedding, L layers, H hidden.
"""

import math
from dataclasses import replace

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from seq2seq_cli.model.state import DropoutMasks, RNNState


class Dropout(nn.Module):
    """Each entry of a vector by itself; Srivastava et al. 2014, section 4, scaled in training and not afterwards.

    On a CPU four entries share a draw of 64 bits, so that their share is one of 65,536; torch takes a draw for each,
    which is most of the time of its dropout.
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, vectors: Float[Tensor, "*N X"]) -> Float[Tensor, "*N X"]:
        """Set this share of the entries to zero, and scale the others; in evaluation, nothing."""
        if not self.training or not self.share:
            return vectors
        if vectors.device.type != "cpu":
            return F.dropout(vectors, self.share)
        dropped = min(round(self.share * 2**16), 2**16 - 1)
        stays = _random_bits(vectors.shape) >= dropped - 2**15  # of numbers that are as often negative
        return vectors * stays.to(vectors.dtype).mul_(2**16 / (2**16 - dropped))


class LockedDropout(nn.Module):
    """Variational dropout: one mask a sentence, the same at each position; Gal & Ghahramani 2016, section 4.

    It is for what goes into an RNN's layers: the word vectors, and the states of the layer below. The paper drops the
    recurrent state h_{t-1} in the same way; here it stays whole, since torch's RNNs run over a sentence in one call
    that nothing can reach into. The rows of the word matrix (section 4.2) are `WordDropout`'s.
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, vectors: Float[Tensor, "B *N X"]) -> Float[Tensor, "B *N X"]:
        """Set the same entries to zero at all positions of a row, and scale the others; in evaluation, nothing."""
        if not self.training:
            return vectors
        rows, *positions, size = vectors.shape
        return vectors * self.draw(vectors, rows, *(1 for _ in positions), size)

    def draw(self, like: Tensor, *shape: int) -> Tensor:
        """A mask of that shape, on the device of `like`: 0, or 1 / (1 - share) where an entry stays."""
        return F.dropout(torch.ones(shape, dtype=like.dtype, device=like.device), self.share)


class WordDropout(nn.Module):
    """Whole word vectors are zero: Sennrich, Haddow & Birch 2016 (WMT), and Sennrich & Zhang 2019 for small corpora.

    Each position is drawn by itself, as theirs are. Gal & Ghahramani 2016, section 4.2, draw each word type of a
    sentence once; few words come twice in one, and a decoder would have to carry its draws from step to step.
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, vectors: Float[Tensor, "*N D"]) -> Float[Tensor, "*N D"]:
        """Set this share of the vectors to zero, and scale the others; in evaluation, nothing."""
        if not self.training or not self.share:
            return vectors
        return vectors * F.dropout(torch.ones_like(vectors[..., :1]), self.share)


def make_dropout(share: float, *, variational: bool) -> Dropout | LockedDropout:
    """Dropout of the entries of vectors."""
    return LockedDropout(share) if variational else Dropout(share)


def locked(state: RNNState, dropout: nn.Module, *, words: Tensor) -> RNNState:
    """The first state of a decoder's RNN with the masks of all its steps, for word vectors as in the matrix `words`.

    The same state where nothing is locked: in evaluation, and with a dropout that is not variational.
    """
    if not (dropout.training and isinstance(dropout, LockedDropout)):
        return state
    layers, rows, size = state.hidden.shape
    masks = DropoutMasks(
        words=dropout.draw(words, rows, words.shape[1]), layers=dropout.draw(words, layers - 1, rows, size)
    )
    return replace(state, masks=masks)


def drop_words(
    vectors: Float[Tensor, "B *N D"], masks: DropoutMasks | None, dropout: nn.Module
) -> Float[Tensor, "B *N D"]:
    """The word vectors of a decoder's steps, dropped as its state says, or else as drawn now."""
    if masks is None or not dropout.training:
        dropped: Tensor = dropout(vectors)
        return dropped
    return vectors * (masks.words if vectors.ndim == 2 else masks.words.unsqueeze(1))


def _random_bits(shape: torch.Size) -> Int[Tensor, "*N X"]:
    """Sixteen of them for each place, four places to a draw."""
    draws = torch.empty(math.ceil(shape.numel() / 4), dtype=torch.int64).random_(-(2**63), None)
    return draws.view(torch.int16)[: shape.numel()].view(shape)
