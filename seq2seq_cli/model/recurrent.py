"""The RNNs of both sides: torch's LSTM (Hochreiter & Schmidhuber 1997), GRU and plain RNN, and the GRU of Cho et al.

Torch's GRU differs from the paper's, `ChoGRU`. The plain RNN is h' = tanh(W x + b + U h + d); Elman 1990.

B batch, N positions, X input, L layers, H hidden, E output (H, or 2H of both directions). `unroll.py` runs an RNN
whose input depends on the step before.
"""

import warnings
from collections.abc import Callable
from typing import TypeAlias

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from seq2seq_cli.config.choices import Cell
from seq2seq_cli.model.cho_gru import ChoGRU, cho_gru_cell
from seq2seq_cli.model.state import RNNState

RNN: TypeAlias = nn.LSTM | nn.GRU | nn.RNN | ChoGRU


def make_rnn(
    cell: Cell, input_size: int, hidden_size: int, *, layers: int, dropout: float, bidirectional: bool = False
) -> RNN:
    """An RNN with fresh weights, and dropout between its layers."""
    between_layers = dropout if layers > 1 else 0.0
    if cell == "gru_cho":
        return ChoGRU(input_size, hidden_size, layers, dropout=between_layers, bidirectional=bidirectional)
    kinds: dict[str, type[nn.LSTM | nn.GRU | nn.RNN]] = {"lstm": nn.LSTM, "gru": nn.GRU, "rnn": nn.RNN}
    return kinds[cell](
        input_size, hidden_size, layers, dropout=between_layers, bidirectional=bidirectional, batch_first=True
    )


def run_rnn(
    rnn: RNN,
    inputs: Float[Tensor, "B N X"],
    lengths: Int[Tensor, " B"],
    between: Callable[[Tensor], Tensor] | None = None,
) -> tuple[Float[Tensor, "B N E"], RNNState]:
    """Run over padded sequences from a zero state: the output at each position (zero at padding), the last state.

    `lengths` counts the real positions of each row and lives on the CPU, as packing requires. The last state has a row
    per layer and direction, in torch's order: the first layer's forward one, then its backward one. The outputs of
    each layer but the last pass through `between`.
    """
    if isinstance(rnn, ChoGRU):
        outputs, last = rnn(inputs, lengths=lengths, between=between)
        return outputs, _state(last)
    if between is not None and rnn.num_layers > 1:
        return _run_by_layers(rnn, inputs, lengths, between)
    if (lengths == inputs.shape[1]).all():
        # Nothing is padded: the common case, because batches have sentences of similar length, and twice as fast.
        outputs, last = rnn(inputs)
        return outputs, _state(last)
    # The RNN never sees the padding of packed sequences: a sentence has the same states alone and in any batch.
    packed, last = rnn(pack_padded_sequence(inputs, lengths, batch_first=True, enforce_sorted=False))
    outputs, _ = pad_packed_sequence(packed, batch_first=True, total_length=inputs.shape[1])
    return outputs, _state(last)


def continue_rnn(rnn: RNN, inputs: Float[Tensor, "B N X"], state: RNNState) -> Float[Tensor, "B N H"]:
    """Run forwards over whole sequences from a given state: the output at each position."""
    start = (state.hidden,) if state.cell is None else (state.hidden, state.cell)
    if state.masks is None or rnn.num_layers == 1 or not rnn.training:
        outputs: Tensor = rnn(inputs, start[0] if state.cell is None else start)[0]
        return outputs
    for layer in range(rnn.num_layers):
        if layer > 0:
            inputs = inputs * state.masks.layers[layer - 1].unsqueeze(1)
        inputs, *_ = _run_layer(rnn, layer, inputs, [part[layer : layer + 1] for part in start])
    return inputs


def step_rnn(rnn: RNN, inputs: Float[Tensor, "B X"], state: RNNState) -> RNNState:
    """The state after one step through all layers.

    It equals `rnn` on sequences of length 1, whose backward pass takes three times as long on a CPU.
    """
    hidden: list[Tensor] = []
    cell: list[Tensor] = []
    next_hidden = _cell_without_memory(rnn)
    for layer, weights in enumerate(rnn.all_weights):
        if layer > 0:
            inputs = F.dropout(hidden[-1], rnn.dropout, rnn.training)
            if state.masks is not None and rnn.training:
                inputs = inputs * state.masks.layers[layer - 1]
        if state.cell is None:
            hidden.append(next_hidden(inputs, state.hidden[layer], *weights))
        else:
            h, c = torch.lstm_cell(inputs, (state.hidden[layer], state.cell[layer]), *weights)
            hidden.append(h)
            cell.append(c)
    return RNNState(hidden=torch.stack(hidden), cell=torch.stack(cell) if cell else None, masks=state.masks)


def _cell_without_memory(rnn: RNN) -> Callable[..., Tensor]:
    """One step of a layer of an RNN that has no c."""
    if isinstance(rnn, ChoGRU):
        return cho_gru_cell
    return torch.rnn_tanh_cell if isinstance(rnn, nn.RNN) else torch.gru_cell


def _run_by_layers(
    rnn: nn.LSTM | nn.GRU | nn.RNN,
    inputs: Float[Tensor, "B N X"],
    lengths: Int[Tensor, " B"],
    between: Callable[[Tensor], Tensor],
) -> tuple[Float[Tensor, "B N E"], RNNState]:
    """`run_rnn`, one layer after the other."""
    directions = 2 if rnn.bidirectional else 1
    zeros = [inputs.new_zeros(directions, len(inputs), rnn.hidden_size)] * (2 if isinstance(rnn, nn.LSTM) else 1)
    lasts: list[list[Tensor]] = []
    for layer in range(rnn.num_layers):
        if layer > 0:
            inputs = between(inputs)
        if (lengths == inputs.shape[1]).all():
            inputs, *last = _run_layer(rnn, layer, inputs, zeros)
        else:
            packed = pack_padded_sequence(inputs, lengths, batch_first=True, enforce_sorted=False)
            data, *last = _run_layer(rnn, layer, packed.data, zeros, packed.batch_sizes)
            outputs = PackedSequence(data, packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices)
            inputs, _ = pad_packed_sequence(outputs, batch_first=True, total_length=inputs.shape[1])
            last = [state[:, packed.unsorted_indices] for state in last]
        lasts.append(last)
    hidden, *cell = (torch.cat(by_layer) for by_layer in zip(*lasts, strict=True))
    return inputs, RNNState(hidden=hidden, cell=cell[0] if cell else None)


def _run_layer(
    rnn: RNN, layer: int, inputs: Tensor, start: list[Tensor], batch_sizes: Tensor | None = None
) -> tuple[Tensor, ...]:
    """One layer in all its directions over whole sequences: the outputs, then the last state, in parts like `start`.

    `inputs` are batch first, or the data of a packed sequence with these `batch_sizes`.
    """
    if isinstance(rnn, ChoGRU):
        return rnn.run_layer(layer, inputs, start[0])
    directions = 2 if rnn.bidirectional else 1
    by_direction = rnn.all_weights[layer * directions : (layer + 1) * directions]
    weights: list[Tensor] = [weight for weights in by_direction for weight in weights]
    settings = (rnn.bias, 1, 0.0, rnn.training, rnn.bidirectional)
    with warnings.catch_warnings():
        # CUDA wants the weights of a call in one piece of memory: those of all layers are, one layer's are copied.
        warnings.filterwarnings("ignore", message="RNN module weights are not part of single contiguous")
        if isinstance(rnn, nn.LSTM):
            if batch_sizes is None:
                return torch.lstm(inputs, start, weights, *settings, True)
            return torch.lstm(inputs, batch_sizes, start, weights, *settings)
        run = torch.rnn_tanh if isinstance(rnn, nn.RNN) else torch.gru
        if batch_sizes is None:
            return run(inputs, start[0], weights, *settings, True)
        return run(inputs, batch_sizes, start[0], weights, *settings)


def _state(last: Tensor | tuple[Tensor, Tensor]) -> RNNState:
    return RNNState(hidden=last) if isinstance(last, Tensor) else RNNState(hidden=last[0], cell=last[1])
