"""The GRU as its paper has it, with the reset gate before the product.

B batch, N positions, X input, K directions, L layers in all directions, H hidden, E output (K H), G gates (3H).
"""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn


class ChoGRU(nn.GRU):
    """r, z = sigmoid(W x + U h), n = tanh(W x + U (r h)), h' = (1 - z) n + z h; Cho et al. 2014, section 2.3, eq. 5-8.

    Torch's GRU resets after the product: n = tanh(W x + r (U h)). The weights have torch's names, shapes and first
    values. A step is computed by several kernels where torch has one, and takes longer.
    """

    def forward(  # type: ignore[override]  # with lengths in the place of packed sequences
        self,
        inputs: Float[Tensor, "B N X"],
        start: Float[Tensor, "L B H"] | None = None,
        *,
        lengths: Int[Tensor, " B"] | None = None,
    ) -> tuple[Float[Tensor, "B N E"], Float[Tensor, "L B H"]]:
        """The output at each position (zero at padding), and the last real state of each layer and direction.

        `start` None: zeros. `lengths` counts the real positions of each row; None: all are.
        """
        if torch.onnx.is_in_onnx_export():  # as torch's, without lengths: decoding/engines/graphs.py sets both
            return super().forward(inputs, start)
        directions = 2 if self.bidirectional else 1
        if start is None:
            start = inputs.new_zeros(self.num_layers * directions, inputs.shape[0], self.hidden_size)
        lasts: list[Tensor] = []
        for layer, before in enumerate(torch.split(start, directions)):
            if layer > 0:
                inputs = F.dropout(inputs, self.dropout, self.training)
            weights = self.all_weights[layer * directions : (layer + 1) * directions]
            runs = [
                _run(inputs, hidden, of_direction, lengths, backwards=direction > 0)
                for direction, (hidden, of_direction) in enumerate(zip(before.unbind(0), weights, strict=True))
            ]
            outputs, last = zip(*runs, strict=True)
            inputs = torch.cat(outputs, dim=-1)
            lasts += last
        return inputs, torch.stack(lasts)


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
