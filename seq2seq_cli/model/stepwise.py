"""An RNN through a sentence whose words are known, and what goes with each word only when its step has come.

B batch, T target length, D words' vectors, X what goes with them, H hidden, N = X + H, G gates (4H).
"""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable

from seq2seq_cli.model.recurrent import RNN, one_step
from seq2seq_cli.model.state import RNNState


@runtime_checkable
class Steps(Protocol):
    """What goes through a sentence."""

    def advance(self, joined: Float[Tensor, "B X"]) -> Float[Tensor, "B H"]:
        """The top layer's next h, from [the next word; joined]."""


def stepwise(rnn: RNN, words: Float[Tensor, "B T D"], state: RNNState) -> Steps:
    """The steps through `words`, from `state`.

    On a GPU torch has a step of an RNN as one kernel, which many small ones, saving products, would not beat.
    """
    return (HoistedSteps if words.device.type == "cpu" else PlainSteps)(rnn, words, state)


class PlainSteps:
    """`one_step` by `one_step`."""

    def __init__(self, rnn: RNN, words: Float[Tensor, "B T D"], state: RNNState) -> None:
        self._rnn, self._words, self._state = rnn, iter(words.unbind(1)), state

    def advance(self, joined: Float[Tensor, "B X"]) -> Float[Tensor, "B H"]:
        """The top layer's next h, from [the next word; joined]."""
        self._state = one_step(self._rnn, torch.cat((next(self._words), joined), dim=-1), self._state)
        return self._state.top


class HoistedSteps:
    """The same, with all products that need not be in a step taken out of it."""

    def __init__(self, rnn: RNN, words: Float[Tensor, "B T D"], state: RNNState) -> None:
        self._rnn = rnn
        self._masks = state.masks if rnn.training else None
        cells = [None] * rnn.num_layers if state.cell is None else state.cell.unbind(0)
        # Only the first layer reads words.
        self._layers = [
            _Layer(weights, words if layer == 0 else words[..., :0], hidden, cell)
            for layer, (weights, hidden, cell) in enumerate(
                zip(rnn.all_weights, state.hidden.unbind(0), cells, strict=True)
            )
        ]

    def advance(self, joined: Float[Tensor, "B X"]) -> Float[Tensor, "B H"]:
        """The top layer's next h, from [the next word; joined]."""
        hidden = self._layers[0].advance(joined)
        for i, layer in enumerate(self._layers[1:]):
            inputs = F.dropout(hidden, self._rnn.dropout, self._rnn.training)
            hidden = layer.advance(inputs if self._masks is None else inputs * self._masks.layers[i])
        return hidden


class _Layer:
    """gates_t = (V y_t + b) + W [x_t; h_{t-1}], where y_t is a word and x_t what goes with it."""

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
        sums: Tensor = _LateProducts.apply(known, W, self._inputs)  # type: ignore[no-untyped-call]
        self._known = iter(sums.unbind(1))
        self._W = W.detach().t()
        self._hidden, self._cell = hidden, cell

    def advance(self, inputs: Float[Tensor, "B X"]) -> Float[Tensor, "B H"]:
        """The next h."""
        joined = torch.cat((inputs, self._hidden), dim=1).to(self._W.dtype)
        self._inputs.append(joined.detach())
        # Sums of products may be in bf16; what is carried from step to step is not.
        gates = torch.addmm(next(self._known), joined, self._W).to(torch.promote_types(joined.dtype, torch.float32))
        if self._cell is None:
            self._hidden = _gru(gates, self._hidden)
        else:
            self._hidden, self._cell = _lstm(gates, self._cell)
        return self._hidden


def _gate_weights(
    weights: Sequence[Tensor], words: int, *, lstm: bool
) -> tuple[Float[Tensor, "G D"], Float[Tensor, "G N"], Float[Tensor, " G"]]:
    """V, W and b of a layer; a GRU has a fourth gate here, because it needs V y + W x and W h of its third apart."""
    W_ih, W_hh, b_ih, b_hh = weights
    if not lstm:
        H = W_hh.shape[1]
        W_ih, b_ih = F.pad(W_ih, (0, 0, 0, H)), F.pad(b_ih, (0, H))
        W_hh, b_hh = (torch.cat((w[: 2 * H], torch.zeros_like(w[2 * H :]), w[2 * H :])) for w in (W_hh, b_hh))
    V, W_x = torch.split(W_ih, [words, W_ih.shape[1] - words], dim=1)
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


class _LateProducts(torch.autograd.Function):
    """The gradient of the W of `known_t + W x_t`, for all t in one product, where each x_t comes later.

    What is passed on is `known`. On the way back its gradient is that of all sums, and by then `inputs` has all x_t.
    """

    @staticmethod
    def forward(
        ctx: Any,
        known: Float[Tensor, "B T G"],
        weight: Float[Tensor, "G N"],  # noqa: ARG004  # has a gradient
        inputs: list[Tensor],
    ) -> Float[Tensor, "B T G"]:
        """`known`."""
        ctx.inputs = inputs
        return known.view_as(known)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, slopes: Float[Tensor, "B T G"]) -> tuple[Float[Tensor, "B T G"], Float[Tensor, "G N"], None]:
        """The gradient of `known`, and sum_t slope_t x_tᵀ."""
        inputs = torch.stack(ctx.inputs, dim=1)
        return slopes, slopes.flatten(0, 1).t() @ inputs.flatten(0, 1), None
