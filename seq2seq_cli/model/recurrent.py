"""The RNNs of both sides: torch's LSTM (Hochreiter & Schmidhuber 1997) and GRU (Cho et al. 2014).

B batch, N positions, X input, L layers, H hidden, E output (H, or 2H of both directions); `stepwise.py` has the way
through a sentence in which each input hangs on the step before.
"""

from typing import Literal, TypeAlias

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from seq2seq_cli.model.state import RNNState

RNN: TypeAlias = nn.LSTM | nn.GRU


def make_rnn(
    cell: Literal["lstm", "gru"], input_size: int, hidden_size: int, *, layers: int, dropout: float, both_ways: bool
) -> RNN:
    """An RNN with fresh weights; dropout is between its layers."""
    kinds: dict[str, type[RNN]] = {"lstm": nn.LSTM, "gru": nn.GRU}
    between_layers = dropout if layers > 1 else 0.0
    return kinds[cell](
        input_size, hidden_size, layers, dropout=between_layers, bidirectional=both_ways, batch_first=True
    )


def read_all(
    rnn: RNN, inputs: Float[Tensor, "B N X"], lengths: Int[Tensor, " B"]
) -> tuple[Float[Tensor, "B N E"], RNNState]:
    """Run over whole sequences from a zero state: the output at each position (zero at padding), the last state.

    `lengths` counts the real positions of each row and lives on the CPU, where packing wants it. The last state has
    a row for each layer and direction, as torch orders them: the first layer's forward, then its backward one.
    """
    if (lengths == inputs.shape[1]).all():
        # Nothing is padded: the common case, since batches are of like length, and twice as fast.
        outputs, last = rnn(inputs)
        return outputs, _state(last)
    # Packed, the RNN never sees padding: a sentence gives the same states alone and in any batch.
    packed, last = rnn(pack_padded_sequence(inputs, lengths, batch_first=True, enforce_sorted=False))
    outputs, _ = pad_packed_sequence(packed, batch_first=True, total_length=inputs.shape[1])
    return outputs, _state(last)


def read_on(rnn: RNN, inputs: Float[Tensor, "B N X"], state: RNNState) -> Float[Tensor, "B N H"]:
    """Run over whole sequences, forwards, from a given state: the output at each position."""
    outputs: Tensor = rnn(inputs, state.hidden if state.cell is None else (state.hidden, state.cell))[0]
    return outputs


def one_step(rnn: RNN, inputs: Float[Tensor, "B X"], state: RNNState) -> RNNState:
    """One step through all layers.

    The same as `rnn` on a sequence of one, whose backward pass takes three times as long on a CPU.
    """
    hidden: list[Tensor] = []
    cell: list[Tensor] = []
    for layer, weights in enumerate(rnn.all_weights):
        if layer > 0:
            inputs = F.dropout(hidden[-1], rnn.dropout, rnn.training)
        if state.cell is None:
            hidden.append(torch.gru_cell(inputs, state.hidden[layer], *weights))
        else:
            h, c = torch.lstm_cell(inputs, (state.hidden[layer], state.cell[layer]), *weights)
            hidden.append(h)
            cell.append(c)
    return RNNState(hidden=torch.stack(hidden), cell=torch.stack(cell) if cell else None)


def _state(last: Tensor | tuple[Tensor, Tensor]) -> RNNState:
    return RNNState(hidden=last) if isinstance(last, Tensor) else RNNState(hidden=last[0], cell=last[1])
