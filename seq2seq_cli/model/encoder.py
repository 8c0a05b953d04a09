"""The encoder: from source words to one state per word.

B batch, S source length, D embedding, H hidden, X state (H; 2H where two directions are joined), E memory (X, or X + D
with `keeps_words`), L layers.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from seq2seq_cli.config.schema.model import EncoderConfig
from seq2seq_cli.model.recurrent import Dropout, make_rnn, run_rnn
from seq2seq_cli.model.state import RNNState


class Encoder(nn.Module):
    """Embedding and RNN, with the states of all positions as outputs; Bahdanau et al. 2015, section 3.2.

    h_j = RNN(x_j, h_{j-1}) in one direction; in two, [h_j forward; h_j backward] (joined, Bahdanau et al. 2015, eq. 7)
    or their sum (summed).
    """

    def __init__(self, config: EncoderConfig, *, vocabulary_size: int, keeps_words: bool = False) -> None:
        """With `keeps_words`, the vectors of the words follow the states of the RNN in the memory."""
        super().__init__()
        self.keeps_words = keeps_words
        self.directions = config.directions
        self.reverse = config.reverse
        self.embedding = nn.Embedding(vocabulary_size, config.embedding_size)
        # Whole words, each position by itself; Sennrich, Haddow & Birch 2016 (WMT), Sennrich & Zhang 2019.
        self.word_dropout = nn.Dropout1d(config.word_dropout)
        self.dropout = Dropout(config.dropout)
        self.state_dropout = Dropout(config.state_dropout)
        self.rnn = make_rnn(config, config.embedding_size, bidirectional=config.directions != "one")

    def forward(self, src: Int[Tensor, "B S"], lengths: Int[Tensor, " B"]) -> tuple[Float[Tensor, "B S E"], RNNState]:
        """The memory of each source position, whose RNN states are zero at padding, and each layer's last real state.

        `lengths` counts the real tokens of each row and lives on the CPU. With `reverse` the RNN reads a sentence from
        its end, and each word's state stands at the word's own position.
        """
        positions = None
        if self.reverse:
            # Each position has the token that it gets when the real ones are reversed; padding stays in place.
            here = torch.arange(src.shape[1])
            mirrored = lengths.unsqueeze(1) - 1 - here
            positions = torch.where(mirrored >= 0, mirrored, here).to(src.device)
            src = src.gather(1, positions)
        words = self.dropout(self.word_dropout(self.embedding(src)))
        outputs, last = run_rnn(self.rnn, words, lengths)
        states = self._merge(outputs)
        if self.keeps_words:
            states = torch.cat((states, words.to(states.dtype)), dim=-1)
        if positions is not None:
            states = states.gather(1, positions.unsqueeze(2).expand_as(states))
        return self.state_dropout(states), self._merge_last(last)

    def _merge(self, outputs: Float[Tensor, "*N Y"]) -> Float[Tensor, "*N X"]:
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
