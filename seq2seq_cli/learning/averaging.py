"""The moving average of the weights, which often translates better than the weights of any one update."""

from collections.abc import Sequence
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

from seq2seq_cli.model.seq2seq import Seq2Seq


class Average:
    """An exponential moving average of a model's weights; Kingma & Ba 2015, section 7.2, after Polyak & Juditsky 1992.

    a_1 = w_1, a_n = d_n a_{n-1} + (1 - d_n) w_n, with d_n = min(decay, n / (9 + n)).

    The paper corrects the average for its start at zero, which weighs all early updates alike. Here the average begins
    with weights and reaches back over about a tenth of the updates, at most as far as `decay` says (the rule of
    TensorFlow's ExponentialMovingAverage): the first updates, when the model knows nothing, are soon forgotten.
    """

    def __init__(self, model: Seq2Seq, decay: float) -> None:
        """Begin with the weights of `model`, which stay its own; `decay` is at least 0 and below 1."""
        self.decay = decay
        # A deep copy: weights that are tied in the model are tied in it, and there once.
        self._averaged = AveragedModel(model, multi_avg_fn=self._blend)
        self._averaged.requires_grad_(requires_grad=False).eval()
        for part in self.model.modules():
            if isinstance(part, nn.RNNBase):
                part.flatten_parameters()  # a copy's weights are apart in memory, of which CUDA warns

    @property
    def model(self) -> Seq2Seq:
        """The model of the averaged weights, in evaluation mode; before the first update, of the weights as given."""
        return cast("Seq2Seq", self._averaged.module)

    def update(self, model: Seq2Seq) -> None:
        """Take in the weights of `model` after an update."""
        self._averaged.update_parameters(model)

    def state_dict(self) -> dict[str, Any]:
        """The averaged weights and how many updates are in them, as tensors by name."""
        return self._averaged.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on as where `state_dict` was called; RuntimeError when that was on another model."""
        self._averaged.load_state_dict(state)

    def _blend(self, averages: Sequence[Tensor], weights: Sequence[Tensor], updates: Tensor | int) -> None:
        """One update in place; `updates` are in the averages already, at least one."""
        n = int(updates) + 1
        new = 1 - min(self.decay, n / (9 + n))
        with torch.no_grad():
            for average, weight in zip(averages, weights, strict=True):
                average.lerp_(weight, new)
