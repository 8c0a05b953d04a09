"""The GRU as its paper has it, with the reset gate before the product.

B batch, N positions, X input, K directions, L layers in all directions, H hidden, E output (K H), G gates (3H).
"""

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn


class ChoGRU(nn.RNNBase):
    """r, z = sigmoid(W x + U h), n = tanh(W x + U (r h)), h' = (1 - z) n + z h; Cho et al. 2014, section 2.3, eq. 5-8.

    Torch's GRU resets after the product: n = tanh(W x + r (U h)). The weights have torch's names, shapes and first
    values. A step is computed by several kernels where torch has one, and takes longer.
    """

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int, *, dropout: float, bidirectional: bool
    ) -> None:
        super().__init__(
            "GRU", input_size, hidden_size, num_layers, batch_first=True, dropout=dropout, bidirectional=bidirectional
        )

    def forward(
        self,
        inputs: Float[Tensor, "B N X"],
        start: Float[Tensor, "L B H"] | None = None,
        *,
        lengths: Int[Tensor, " B"] | None = None,
    ) -> tuple[Float[Tensor, "B N E"], Float[Tensor, "L B H"]]:
        """The output at each position (zero at padding), and the last real state of each layer and direction.

        `start` None: zeros. `lengths` counts the real positions of each row; None: all are.
        """
        directions = 2 if self.bidirectional else 1
        if start is None:
            start = inputs.new_zeros(self.num_layers * directions, inputs.shape[0], self.hidden_size)
        lasts = []
        for layer, before in enumerate(torch.split(start, directions)):
            if layer > 0:
                inputs = F.dropout(inputs, self.dropout, self.training)
            inputs, last = self._run_layer(layer, inputs, before, lengths)
            lasts.append(last)
        return inputs, torch.cat(lasts)

    def _run_layer(
        self,
        layer: int,
        inputs: Float[Tensor, "B N X"],
        start: Float[Tensor, "K B H"],
        lengths: Int[Tensor, " B"] | None,
    ) -> tuple[Float[Tensor, "B N E"], Float[Tensor, "K B H"]]:
        """One layer in all its directions: the output at each position, and the last state of each direction."""
        directions = 2 if self.bidirectional else 1
        weights = self.all_weights[layer * directions : (layer + 1) * directions]
        if torch.onnx.is_in_onnx_export():
            sizes = (directions, self.hidden_size)
            outputs, last = _OnnxGRU.apply(inputs, start, *sizes, *_in_onnx_order(weights))  # type: ignore[no-untyped-call]
            return outputs, last
        runs = [
            _run(inputs, before, of_direction, lengths, backwards=direction > 0)
            for direction, (before, of_direction) in enumerate(zip(start.unbind(0), weights, strict=True))
        ]
        outputs, lasts = zip(*runs, strict=True)
        return torch.cat(outputs, dim=-1), torch.stack(lasts)


def cho_gru_cell(inputs: Float[Tensor, "B X"], hidden: Float[Tensor, "B H"], *weights: Tensor) -> Float[Tensor, "B H"]:
    """The state after one step; the weights are W, U, and the biases of their products."""
    W, U, b, d = weights
    return _next(F.linear(inputs, W, b), hidden, (U, d))


def _next(
    known: Float[Tensor, "B G"], h: Float[Tensor, "B H"], weights: tuple[Float[Tensor, "G H"], Float[Tensor, " G"]]
) -> Float[Tensor, "B H"]:
    """The next state, from W x + b and from U and its bias."""
    U, d = weights
    H = h.shape[1]
    gates = torch.sigmoid(known[:, : 2 * H] + F.linear(h, U[: 2 * H], d[: 2 * H]))
    r, z = gates[:, :H], gates[:, H:]
    n = torch.tanh(known[:, 2 * H :] + F.linear(r * h, U[2 * H :], d[2 * H :]))
    return n + z * (h - n)


def _run(
    inputs: Float[Tensor, "B N X"],
    h: Float[Tensor, "B H"],
    weights: Sequence[Tensor],
    lengths: Int[Tensor, " B"] | None,
    *,
    backwards: bool,
) -> tuple[Float[Tensor, "B N H"], Float[Tensor, "B H"]]:
    """One direction of one layer: a state stays as it is while its row has padding."""
    W, U, b, d = weights
    positions = range(inputs.shape[1])
    real = None
    if lengths is not None and (lengths < inputs.shape[1]).any():
        real = (torch.arange(inputs.shape[1]) < lengths.unsqueeze(1)).to(inputs.device).unsqueeze(2)
        # A NaN in the padding would come back in the gradient.
        inputs = inputs.masked_fill(~real, 0.0)
    known = F.linear(inputs, W, b)
    outputs = [h] * len(positions)
    for t in reversed(positions) if backwards else positions:
        after = _next(known[:, t], h, (U, d))
        h = after if real is None else torch.where(real[:, t], after, h)
        outputs[t] = h
    joined = torch.stack(outputs, dim=1)
    return joined if real is None else joined.masked_fill(~real, 0.0), h


def _in_onnx_order(weights: Sequence[Sequence[Tensor]]) -> list[Tensor]:
    """W, U and [b; d] with a row per direction, the gates in the order z, r, n."""
    swapped = [
        [torch.cat((z, r, n)) for r, z, n in (part.chunk(3) for part in of_direction)] for of_direction in weights
    ]
    return [torch.stack(parts) for parts in zip(*((W, U, torch.cat((b, d))) for W, U, b, d in swapped), strict=True)]


class _OnnxGRU(torch.autograd.Function):
    """A layer in an exported graph, where the number of positions is not known: ONNX's own GRU."""

    @staticmethod
    def forward(
        ctx: Any,  # noqa: ARG004
        inputs: Float[Tensor, "B N X"],
        start: Float[Tensor, "K B H"],
        directions: int,
        hidden_size: int,
        *weights: Tensor,  # noqa: ARG004
    ) -> tuple[Float[Tensor, "B N E"], Float[Tensor, "K B H"]]:
        """Zeros of the right shapes: a graph holds no values."""
        return inputs.new_zeros(*inputs.shape[:2], directions * hidden_size), torch.zeros_like(start)

    @staticmethod
    def symbolic(
        graph: Any, inputs: Any, start: Any, directions: int, hidden_size: int, *weights: Any
    ) -> tuple[Any, Any]:
        """The nodes of the layer; B and N are exchanged, and all positions taken as real."""
        lengths = graph.op("Constant", value_t=torch.tensor([], dtype=torch.int32))
        outputs, last = graph.op(
            "GRU",
            *(graph.op("Transpose", inputs, perm_i=[1, 0, 2]), *weights, lengths, start),
            direction_s="bidirectional" if directions == 2 else "forward",
            hidden_size_i=hidden_size,
            linear_before_reset_i=0,
            outputs=2,
        )
        # N K B H -> B N K H -> B N E
        transposed = graph.op("Transpose", outputs, perm_i=[2, 0, 1, 3])
        shape = graph.op("Constant", value_t=torch.tensor([0, 0, -1]))
        return graph.op("Reshape", transposed, shape), last
