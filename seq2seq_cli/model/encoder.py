"""The encoder: from source words to one state per word.

B batch, S source length, D embedding, H hidden, E encoder output (H; 2H where two directions are joined), L layers.
"""

from functools import partial
from typing import cast

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from seq2seq_cli.config.schema.model import EncoderConfig
from seq2seq_cli.model.dropout import Dropout, VariationalDropout, WordDropout, make_dropout
from seq2seq_cli.model.recurrent import RNN, make_rnn, run_rnn
from seq2seq_cli.model.state import RNNState


class Encoder(nn.Module):
    """Embedding and RNN, with the states of all positions as outputs; Bahdanau et al. 2015, section 3.2.

    h_j = RNN(x_j, h_{j-1}) in one direction; in two, [h_j forward; h_j backward] (joined, Bahdanau et al. 2015, eq. 7)
    or their sum (summed). With residual connections the input of the third and of each higher layer is added to its
    output (Wu et al. 2016, section 3.1, eq. 6).
    """

    def __init__(self, config: EncoderConfig, *, vocabulary_size: int) -> None:
        super().__init__()
        self.directions = config.directions
        self.reverse = config.reverse
        self.size = config.memory_size
        self.embedding = nn.Embedding(vocabulary_size, config.embedding_size)
        self.word_dropout = WordDropout(config.word_dropout)
        self.dropout = make_dropout(config.dropout, variational=config.variational_dropout)
        self.state_dropout = Dropout(config.state_dropout)
        make = partial(make_rnn, config.cell, bidirectional=config.directions != "one")
        plain_layers = min(config.layers, 2) if config.residual else config.layers
        between = 0.0 if config.variational_dropout else config.dropout
        self.rnn = make(config.embedding_size, config.hidden_size, layers=plain_layers, dropout=between)
        self.residual = nn.ModuleList(
            make(self.size, config.hidden_size, layers=1, dropout=0.0) for _ in range(config.layers - plain_layers)
        )

    def forward(self, src: Int[Tensor, "B S"], lengths: Int[Tensor, " B"]) -> tuple[Float[Tensor, "B S E"], RNNState]:
        """The state at each source position (zero at padding), and the last real state of each layer.

        `lengths` counts the real tokens of each row and lives on the CPU. With `reverse` the RNN reads a sentence from
        its end, and each word's state stands at the word's own position.
        """
        if not self.reverse:
            states, last = self._run(src, lengths)
            return self.state_dropout(states), last
        positions = _reversed_positions(lengths, torch.arange(src.shape[1])).to(src.device)
        states, last = self._run(src.gather(1, positions), lengths)
        return self.state_dropout(states.gather(1, positions.unsqueeze(2).expand_as(states))), last

    def _run(self, src: Int[Tensor, "B S"], lengths: Int[Tensor, " B"]) -> tuple[Float[Tensor, "B S E"], RNNState]:
        between = self.dropout if self.training and isinstance(self.dropout, VariationalDropout) else None
        outputs, last = run_rnn(self.rnn, self.dropout(self.word_dropout(self.embedding(src))), lengths, between)
        states, lasts = self._merge(outputs), [self._merge_last(last)]
        for rnn in self.residual:
            outputs, last = run_rnn(cast("RNN", rnn), self.dropout(states), lengths)
            states = states + self._merge(outputs)
            lasts.append(self._merge_last(last))
        return states, _stack_layers(lasts)

    def _merge(self, outputs: Float[Tensor, "*N X"]) -> Float[Tensor, "*N E"]:
        """The directions joined, as torch gives them, or summed."""
        if self.directions != "summed":
            return outputs
        forward, backward = outputs.chunk(2, dim=-1)
        return forward + backward

    def _merge_last(self, last: RNNState) -> RNNState:
        """One state per layer, from one per layer and direction."""
        if self.directions == "one":
            return last
        hidden, cell = last.hidden, last.cell
        return RNNState(
            hidden=self._merge(torch.cat((hidden[0::2], hidden[1::2]), dim=-1)),
            cell=None if cell is None else self._merge(torch.cat((cell[0::2], cell[1::2]), dim=-1)),
        )


def _reversed_positions(lengths: Int[Tensor, " B"], positions: Int[Tensor, " S"]) -> Int[Tensor, "B S"]:
    """For each position, where its token comes from when the real tokens are reversed; padding stays in place."""
    reversed_ = lengths.unsqueeze(1) - 1 - positions
    return torch.where(reversed_ >= 0, reversed_, positions)


def _stack_layers(states: list[RNNState]) -> RNNState:
    if len(states) == 1:
        return states[0]
    cells = [state.cell for state in states if state.cell is not None]
    return RNNState(hidden=torch.cat([state.hidden for state in states]), cell=torch.cat(cells) if cells else None)
