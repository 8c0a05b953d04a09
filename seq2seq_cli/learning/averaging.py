"""The moving average of the weights, which often translates better than the weights after any single update."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

from seq2seq_cli.model.seq2seq import Seq2Seq


class Average(AveragedModel):
    """An exponential moving average of a model's weights; Kingma & Ba 2015, section 7.2, after Polyak & Juditsky 1992.

    a_1 = w_1, a_n = d_n a_{n-1} + (1 - d_n) w_n, with d_n = min(decay, n / (9 + n)).

    The paper starts at zero and corrects for it, which gives all early updates the same weight. Here the average starts
    with the first weights, and n / (9 + n) limits it to about the last tenth of the updates, as in TensorFlow's
    ExponentialMovingAverage, so that the untrained weights have soon faded.
    """

    module: Seq2Seq
    """The model with the averaged weights, in evaluation mode; at first with those it started from."""

    def __init__(self, model: Seq2Seq, decay: float) -> None:
        """Start from a copy of the weights of `model`, in which tied weights stay tied; 0 <= `decay` < 1."""
        super().__init__(model, multi_avg_fn=self._blend)
        self.decay = decay
        self.requires_grad_(requires_grad=False).eval()
        for part in self.module.modules():
            if isinstance(part, nn.RNNBase):
                part.flatten_parameters()  # CUDA warns of weights that are not in one piece of memory, as after a copy

    def _blend(self, averages: Sequence[Tensor], weights: Sequence[Tensor], updates: Tensor | int) -> None:
        """Average in place the weights of one more update; `updates`, at least one, are in the averages already."""
        n = int(updates) + 1
        new = 1 - min(self.decay, n / (9 + n))
        with torch.no_grad():
            for average, weight in zip(averages, weights, strict=True):
                average.lerp_(weight, new)
