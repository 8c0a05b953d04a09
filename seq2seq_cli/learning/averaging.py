"""The moving average of the weights, which often translates better than the weights after any single update."""

from collections.abc import Sequence
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

from seq2seq_cli.model.seq2seq import Seq2Seq


class Average:
    """An exponential moving average of a model's weights; Kingma & Ba 2015, section 7.2, after Polyak & Juditsky 1992.

    a_1 = w_1, a_n = d_n a_{n-1} + (1 - d_n) w_n, with d_n = min(decay, n / (9 + n)).

    The paper starts at zero and corrects for it, which gives all early updates the same weight. Here the average starts
    with the first weights, and n / (9 + n) limits it to about the last tenth of the updates, as in TensorFlow's
    ExponentialMovingAverage, so that the untrained weights have soon faded.
    """

    def __init__(self, model: Seq2Seq, decay: float) -> None:
        """Start from a copy of the weights of `model`; 0 <= `decay` < 1."""
        self.decay = decay
        # A deep copy, in which tied weights stay tied.
        self._averaged = AveragedModel(model, multi_avg_fn=self._blend)
        self._averaged.requires_grad_(requires_grad=False).eval()
        for part in self.model.modules():
            if isinstance(part, nn.RNNBase):
                part.flatten_parameters()  # CUDA warns of weights that are not in one piece of memory, as after a copy

    @property
    def model(self) -> Seq2Seq:
        """The model with the averaged weights, in evaluation mode; at first with those it started from."""
        return cast("Seq2Seq", self._averaged.module)

    def update(self, model: Seq2Seq) -> None:
        """Add the weights of `model` after an update to the average."""
        self._averaged.update_parameters(model)

    def state_dict(self) -> dict[str, Any]:
        """The averaged weights and the number of updates in them, as tensors by name."""
        return self._averaged.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what `state_dict` returned. Raises RuntimeError when it is of another model."""
        self._averaged.load_state_dict(state)

    def _blend(self, averages: Sequence[Tensor], weights: Sequence[Tensor], updates: Tensor | int) -> None:
        """Average in place the weights of one more update; `updates`, at least one, are in the averages already."""
        n = int(updates) + 1
        new = 1 - min(self.decay, n / (9 + n))
        with torch.no_grad():
            for average, weight in zip(averages, weights, strict=True):
                average.lerp_(weight, new)
