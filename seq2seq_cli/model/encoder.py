"""The encoder: source words in, one state a word out.

B batch, S source length, D embedding, E encoder output, L layers.
"""

from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from seq2seq_cli.model.state import DecoderState


class LSTMEncoder(nn.Module):
    """Embedding and LSTM; all states are kept, not only the last (Bahdanau et al. 2015, section 3.2, one direction)."""

    def __init__(
        self, *, vocabulary_size: int, embedding_size: int, hidden_size: int, layers: int, dropout: float
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary_size, embedding_size)
        self.dropout = nn.Dropout(dropout)
        between_layers = dropout if layers > 1 else 0.0
        self.rnn = nn.LSTM(embedding_size, hidden_size, layers, dropout=between_layers, batch_first=True)

    def forward(
        self, src: Int[Tensor, "B S"], lengths: Int[Tensor, " B"]
    ) -> tuple[Float[Tensor, "B S E"], DecoderState]:
        """The state at each source position (zero at padding) and the last real one of each layer.

        `lengths` counts the real tokens of each row and lives on the CPU, where packing wants it.
        """
        embedded = self.dropout(self.embedding(src))
        if (lengths == src.shape[1]).all():
            # Nothing is padded: the common case, since batches are of like length, and twice as fast.
            states, (hidden, cell) = self.rnn(embedded)
            return states, DecoderState(hidden=hidden, cell=cell)
        # Packed, the LSTM never sees padding: a sentence gives the same states alone and in any batch.
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        outputs, (hidden, cell) = self.rnn(packed)
        states, _ = pad_packed_sequence(outputs, batch_first=True, total_length=src.shape[1])
        return states, DecoderState(hidden=hidden, cell=cell)
