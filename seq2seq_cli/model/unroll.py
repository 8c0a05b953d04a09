"""RNNs unrolled step by step, where each input is a known word and a feedback from the step before.

The feedback is the context in Bahdanau's decoder and the attentional vector with input feeding.
B batch, T target length, D word vectors, X feedback, H hidden, N = X + H, G gates (4H).
"""

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from seq2seq_cli.model.recurrent import RNN, step_rnn
from seq2seq_cli.model.state import RNNState


def unroll(rnn: RNN, words: Float[Tensor, "B T D"], state: RNNState) -> "PlainRNN | HoistedRNN":
    """The RNN before the first of `words`, in `state`.

    On a GPU torch computes a step of an RNN in one kernel; the many small ones of `HoistedRNN` would be slower.
    """
    hoisted = words.device.type == "cpu" and type(rnn) in (nn.LSTM, nn.GRU)
    return (HoistedRNN if hoisted else PlainRNN)(rnn, words, state)


class PlainRNN:
    """`step_rnn`, word by word."""

    def __init__(self, rnn: RNN, words: Float[Tensor, "B T D"], state: RNNState) -> None:
        self._rnn, self._words, self._state = rnn, iter(words.unbind(1)), state

    def step(self, feedback: Float[Tensor, "B X"]) -> Float[Tensor, "B H"]:
        """The top layer's next h, from [the next word; feedback]."""
        self._state = step_rnn(self._rnn, torch.cat((next(self._words), feedback), dim=-1), self._state)
        return self._state.top


class HoistedRNN:
    """The same values, with all products that do not depend on the step before hoisted out of the loop."""

    def __init__(self, rnn: RNN, words: Float[Tensor, "B T D"], state: RNNState) -> None:
        self._rnn = rnn
        cells = [None] * rnn.num_layers if state.cell is None else state.cell.unbind(0)
        layers = zip(rnn.all_weights, state.hidden.unbind(0), cells, strict=True)
        # Only the first layer reads words.
        self._layers = [
            _HoistedLayer(weights, words if layer == 0 else words[..., :0], hidden, cell)
            for layer, (weights, hidden, cell) in enumerate(layers)
        ]

    def step(self, feedback: Float[Tensor, "B X"]) -> Float[Tensor, "B H"]:
        """The top layer's next h, from [the next word; feedback]."""
        hidden = self._layers[0].step(feedback)
        for layer in self._layers[1:]:
            hidden = layer.step(F.dropout(hidden, self._rnn.dropout, self._rnn.training))
        return hidden


class _HoistedLayer:
    """gates_t = (V y_t + b) + W [x_t; h_{t-1}], where y_t is a known word and x_t an input that the loop computes."""

    def __init__(
        self,
        weights: Sequence[Tensor],
        words: Float[Tensor, "B T D"],
        hidden: Float[Tensor, "B H"],
        cell: Float[Tensor, "B H"] | None,
    ) -> None:
        V, W, b = _gate_weights(weights, words.shape[2], lstm=cell is not None)
        known = F.linear(words, V, b)
        W = W.to(known.dtype)
        self._inputs: list[Tensor] = []
        known = _DeferredGradient.apply(known, W, self._inputs)  # type: ignore[no-untyped-call]
        self._known = iter(known.unbind(1))
        self._W = W.detach().t()
        self._hidden, self._cell = hidden, cell

    def step(self, inputs: Float[Tensor, "B X"]) -> Float[Tensor, "B H"]:
        """The layer's next h."""
        joined = torch.cat((inputs, self._hidden), dim=1).to(self._W.dtype)
        self._inputs.append(joined.detach())
        # Products may be in bf16; the state that goes from step to step is not.
        gates = torch.addmm(next(self._known), joined, self._W).to(torch.promote_types(joined.dtype, torch.float32))
        if self._cell is None:
            self._hidden = _gru(gates, self._hidden)
        else:
            self._hidden, self._cell = _lstm(gates, self._cell)
        return self._hidden


def _gate_weights(
    weights: Sequence[Tensor], word_size: int, *, lstm: bool
) -> tuple[Float[Tensor, "G D"], Float[Tensor, "G N"], Float[Tensor, " G"]]:
    """V, W and b of a layer. A GRU gets a fourth gate, because its third needs V y + W x and W h apart."""
    W_ih, W_hh, b_ih, b_hh = weights
    if not lstm:
        H = W_hh.shape[1]
        W_ih, b_ih = F.pad(W_ih, (0, 0, 0, H)), F.pad(b_ih, (0, H))
        W_hh, b_hh = (torch.cat((w[: 2 * H], torch.zeros_like(w[2 * H :]), w[2 * H :])) for w in (W_hh, b_hh))
    V, W_x = torch.split(W_ih, [word_size, W_ih.shape[1] - word_size], dim=1)
    return V, torch.cat((W_x, W_hh), dim=1), b_ih + b_hh


def _lstm(gates: Float[Tensor, "B G"], c: Float[Tensor, "B H"]) -> tuple[Float[Tensor, "B H"], Float[Tensor, "B H"]]:
    """c' = sigmoid(f) c + sigmoid(i) tanh(g), h' = sigmoid(o) tanh(c')."""
    i, f, g, o = gates.chunk(4, dim=1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


def _gru(gates: Float[Tensor, "B G"], h: Float[Tensor, "B H"]) -> Float[Tensor, "B H"]:
    """n = tanh(m + sigmoid(r) k), h' = n + sigmoid(z) (h - n)."""
    r, z, m, k = gates.chunk(4, dim=1)
    n = torch.tanh(m + torch.sigmoid(r) * k)
    return n + torch.sigmoid(z) * (h - n)


class _DeferredGradient(torch.autograd.Function):
    """The gradient of W in the sums known_t + W x_t, in one product for all t.

    Forward gives `known` unchanged, before any x_t exists; the loop appends each x_t to `inputs`. Backward runs when
    all are there; the arriving gradient belongs to the sums.
    """

    @staticmethod
    def forward(
        ctx: Any,
        known: Float[Tensor, "B T G"],
        weight: Float[Tensor, "G N"],  # noqa: ARG004  # an argument, so that backward can give its gradient
        inputs: list[Tensor],
    ) -> Float[Tensor, "B T G"]:
        ctx.inputs = inputs
        return known.view_as(known)

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, gradient: Float[Tensor, "B T G"]
    ) -> tuple[Float[Tensor, "B T G"], Float[Tensor, "G N"], None]:
        """The gradient of `known`, and sum_t gradient_t x_tᵀ."""
        inputs = torch.stack(ctx.inputs, dim=1)
        return gradient, gradient.flatten(0, 1).t() @ inputs.flatten(0, 1), None
