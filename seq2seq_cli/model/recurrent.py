"""The RNNs of both sides: torch's LSTM (Hochreiter & Schmidhuber 1997), GRU and plain RNN, and the GRU of Cho et al.

The plain RNN is h' = tanh(W x + b + U h + d); Elman 1990. `unroll.py` runs RNNs whose input depends on the step before.

B batch, N positions, X input or any vector, L layers (of `ChoGRU`, in all directions), H hidden, E output (H, or 2H of
both directions), G gates (3H).
"""

import math
from typing import TypeAlias

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from seq2seq_cli.config.schema.model import DecoderConfig, EncoderConfig
from seq2seq_cli.model.state import RNNState

RNN: TypeAlias = nn.LSTM | nn.GRU | nn.RNN


def make_rnn(config: EncoderConfig | DecoderConfig, input_size: int, *, bidirectional: bool = False) -> RNN:
    """The RNN of a side with fresh weights, and dropout between its layers."""
    sizes = input_size, config.hidden_size, config.layers
    dropout = config.dropout if config.layers > 1 else 0.0
    kinds: dict[str, type[RNN]] = {"lstm": nn.LSTM, "gru": nn.GRU, "gru_cho": ChoGRU, "rnn": nn.RNN}
    return kinds[config.cell](*sizes, dropout=dropout, bidirectional=bidirectional, batch_first=True)


def run_rnn(
    rnn: RNN, inputs: Float[Tensor, "B N X"], lengths: Int[Tensor, " B"]
) -> tuple[Float[Tensor, "B N E"], RNNState]:
    """Run over padded sequences from a zero state: the output at each position (zero at padding), the last state.

    `lengths` counts the real positions of each row and lives on the CPU, as packing requires. The last state has a row
    per layer and direction, in torch's order: the first layer's forward one, then its backward one.
    """
    back = None
    if isinstance(rnn, ChoGRU):
        outputs, last = rnn(inputs, lengths=lengths)
    elif (lengths == inputs.shape[1]).all():
        # Nothing is padded: the common case, because batches have sentences of similar length, and twice as fast.
        outputs, last = rnn(inputs)
    else:
        # The RNN never sees the padding of packed sequences: a sentence has the same states alone and in any batch.
        # The rows are sorted here, because torch would wait for a GPU to put them back.
        order = lengths.argsort(descending=True)
        rows = order.to(inputs.device)
        packed, last = rnn(pack_padded_sequence(inputs.index_select(0, rows), lengths[order], batch_first=True))
        outputs, _ = pad_packed_sequence(packed, batch_first=True, total_length=inputs.shape[1])
        back = rows.argsort()
    hidden, cell = last if isinstance(rnn, nn.LSTM) else (last, None)
    state = RNNState(hidden=hidden, cell=cell)
    return (outputs, state) if back is None else (outputs.index_select(0, back), state.select(back))


def step_rnn(rnn: RNN, inputs: Float[Tensor, "B X"], state: RNNState) -> RNNState:
    """The state after one step through all layers, as by `rnn`, whose backward pass is three times as slow on a CPU."""
    hidden: list[Tensor] = []
    cell: list[Tensor] = []
    plain_cell = torch.rnn_tanh_cell if isinstance(rnn, nn.RNN) else torch.gru_cell
    next_hidden = cho_gru_cell if isinstance(rnn, ChoGRU) else plain_cell
    for layer, weights in enumerate(rnn.all_weights):
        if layer > 0:
            inputs = F.dropout(hidden[-1], rnn.dropout, rnn.training)
        if state.cell is None:
            hidden.append(next_hidden(inputs, state.hidden[layer], *weights))
        else:
            h, c = torch.lstm_cell(inputs, (state.hidden[layer], state.cell[layer]), *weights)
            hidden.append(h)
            cell.append(c)
    return RNNState(hidden=torch.stack(hidden), cell=torch.stack(cell) if cell else None)


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
        here = torch.arange(inputs.shape[1])
        mirrored = -1 - here + (len(here) if lengths is None else lengths.unsqueeze(1))
        # Each position has the one that it gets when the real ones are reversed; padding stays in place.
        places = torch.where(mirrored >= 0, mirrored, here).expand(len(inputs), -1).to(inputs.device).unsqueeze(2)
        padding = (mirrored < 0).unsqueeze(-1).to(inputs.device)
        inputs = inputs.masked_fill(padding, 0.0)  # a NaN there would come back in the gradient
        lasts: list[Tensor] = []
        for layer in range(self.num_layers):
            if layer > 0:
                inputs = F.dropout(inputs, self.dropout, self.training)
            directions = []
            for backwards in (False, True)[: 1 + self.bidirectional]:
                W, U, b, d = self.all_weights[len(lasts)]
                h = inputs.new_zeros(len(inputs), self.hidden_size) if start is None else start[len(lasts)]
                known, states = F.linear(inputs, W, b), []
                for of_position in (_at(known, places) if backwards else known).unbind(1):
                    h = _next(of_position, h, (U, d))
                    states.append(h)
                joined = torch.stack(states, dim=1)
                lasts.append(_at(joined, places[:, :1])[:, 0])  # the first place is that of the last real position
                directions.append(_at(joined, places) if backwards else joined)
            inputs = torch.cat(directions, dim=-1).masked_fill(padding, 0.0)
        return inputs, torch.stack(lasts)


def _at(vectors: Float[Tensor, "B N X"], places: Int[Tensor, "B M 1"]) -> Float[Tensor, "B M X"]:
    """The vectors at these positions."""
    return vectors.gather(1, places.expand(-1, -1, vectors.shape[2]))


def cho_gru_cell(inputs: Float[Tensor, "B X"], hidden: Float[Tensor, "B H"], *weights: Tensor) -> Float[Tensor, "B H"]:
    """The state after one step; the weights are W, U, and the biases of their products."""
    W, U, b, d = weights
    return _next(F.linear(inputs, W, b), hidden, (U, d))


def _next(
    known: Float[Tensor, "B G"], h: Float[Tensor, "B H"], weights: tuple[Float[Tensor, "G H"], Float[Tensor, " G"]]
) -> Float[Tensor, "B H"]:
    """The next state, from W x + b and from U and its bias."""
    U, d = weights
    H = U.shape[1]  # of a weight: so traced, the slices of weights are constants of the graph
    gates = torch.sigmoid(known[:, : 2 * H] + F.linear(h, U[: 2 * H], d[: 2 * H]))
    r, z = gates[:, :H], gates[:, H:]
    n = torch.tanh(known[:, 2 * H :] + F.linear(r * h, U[2 * H :], d[2 * H :]))
    return n + z * (h - n)


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
        draws = torch.empty(math.ceil(vectors.numel() / 4), dtype=torch.int64).random_(-(2**63), None)
        sixteen_bits = draws.view(torch.int16)[: vectors.numel()].view(vectors.shape)
        kept = sixteen_bits >= dropped - 2**15  # the smallest int16 is -2**15
        return vectors * kept.to(vectors.dtype).mul_(2**16 / (2**16 - dropped))
