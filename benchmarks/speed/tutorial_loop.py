"""The training loop of the attention tutorials, as a peer: one sentence per step, one decoder call per word.

A Luong decoder with the concat score v · tanh(W (h + e)), the output layer on [h; c], teacher forcing drawn for each
sentence, plain Adam, fp32. Nothing is batched, and W (h + e) is computed anew for each target word.
"""

import random
from collections.abc import Iterator

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.config.schema.model import ModelConfig
from seq2seq_cli.corpus.prepared import ParallelIds
from seq2seq_cli.text.vocabulary import BOS, EOS

State = tuple[Tensor, Tensor]


class TutorialModel(nn.Module):
    """Encoder and decoder for a batch of one; the sizes are the config's."""

    def __init__(self, config: ModelConfig, *, src_size: int, tgt_size: int) -> None:
        super().__init__()
        encoder, decoder = config.encoder, config.decoder
        hidden = decoder.hidden_size
        size = config.attention.size or hidden
        self.dropout = decoder.dropout
        self.src_embedding = nn.Embedding(src_size, encoder.embedding_size)
        self.encoder = nn.LSTM(encoder.embedding_size, hidden, encoder.layers, batch_first=True)
        self.tgt_embedding = nn.Embedding(tgt_size, decoder.embedding_size)
        self.decoder = nn.LSTM(decoder.embedding_size, hidden, decoder.layers, batch_first=True)
        self.W = nn.Linear(hidden, size, bias=False)
        self.v = nn.Linear(size, 1, bias=False)
        self.output = nn.Linear(2 * hidden, tgt_size)

    def encode(self, src: list[int]) -> tuple[Tensor, State]:
        """The states of a source sentence and the last of them."""
        states, last = self.encoder(self.src_embedding(torch.tensor([src])))
        return states, last

    def decode(self, word: int, state: State, states: Tensor) -> tuple[Tensor, State]:
        """The log-probabilities of the next word, and the state to go on with."""
        embedded = F.dropout(self.tgt_embedding(torch.tensor([[word]])), self.dropout, self.training)
        h, state = self.decoder(embedded, state)
        weights = torch.softmax(self.v(torch.tanh(self.W(h + states))), dim=1)
        context = (weights * states).sum(dim=1, keepdim=True)
        return F.log_softmax(self.output(torch.cat((h, context), dim=-1))[0], dim=-1), state


def sentence_loss(model: TutorialModel, src: list[int], tgt: list[int], *, forced: bool) -> Tensor:
    """Summed negative log-likelihood of a target sentence, which ends with EOS, in nats.

    Unless ``forced``, the decoder is fed its own likeliest words instead of the true ones.
    """
    states, state = model.encode(src)
    loss, word = torch.zeros(()), BOS
    for expected in tgt:
        log_probabilities, state = model.decode(word, state, states)
        loss = loss + F.nll_loss(log_probabilities, torch.tensor([expected]))
        word = expected if forced else int(log_probabilities.argmax().item())
    return loss


def tutorial_loop(ids: ParallelIds, config: Config, *, src_size: int, tgt_size: int) -> Iterator[int]:
    """Train without end; yields the number of target tokens of each step, EOS counted."""
    training = config.training
    torch.manual_seed(training.seed)
    model = TutorialModel(config.model, src_size=src_size, tgt_size=tgt_size)
    optimiser = torch.optim.Adam(model.parameters(), lr=training.lr)
    chance = random.Random(training.seed)  # noqa: S311  # nothing secret
    while True:
        for pair in chance.sample(range(len(ids)), len(ids)):
            src, tgt = [*ids.src.row(pair).tolist(), EOS], [*ids.tgt.row(pair).tolist(), EOS]
            optimiser.zero_grad()
            loss = sentence_loss(model, src, tgt, forced=chance.random() < training.teacher_forcing)
            torch.autograd.backward(loss)
            optimiser.step()
            yield len(tgt)
