"""The worked example of a tutorial, step by step, its numbers computed by hand beside the model's."""

import math

import pytest
import torch
from torch import nn

from seq2seq_cli.config.schema.model import DecoderConfig
from seq2seq_cli.model.attention.attention import Attention
from seq2seq_cli.model.attention.scopes import GlobalScope
from seq2seq_cli.model.attention.scores import AdditiveScore, Sizes
from seq2seq_cli.model.decoder import BahdanauDecoder
from seq2seq_cli.model.state import RNNState


def set_weight(layer: nn.Linear, rows: list[list[float]]) -> None:
    layer.weight.data = torch.tensor(rows)


def test_three_inputs_are_scored_weighted_summed_and_decoded() -> None:
    """Three annotations h1, h2, h3 of one number each, and a decoder that starts from 0: e, a, c, s, twice."""
    h = (0.5, -1.0, 2.0)
    score = AdditiveScore(Sizes(query=1, memory=1, attention=1, max_length=1))
    for layer, weight in ((score.W, 0.7), (score.U, 0.9), (score.v, 1.5)):
        set_weight(layer, [[weight]])
    attention = Attention(score=score, scope=GlobalScope(), memory_size=1)
    config = DecoderConfig(cell="gru", embedding_size=1, hidden_size=1, dropout=0.0, readout="state")
    decoder = BahdanauDecoder(config, attention, vocabulary_size=3, feedback_size=1)
    for name, parameter in decoder.rnn.named_parameters():
        parameter.data.zero_()
        if name == "weight_ih_l0":
            parameter.data[2, 1] = 1.0  # the candidate reads the context alone
    states = torch.tensor(h).view(1, 3, 1)
    memory = attention.make_memory(states, states[:, -1], torch.ones(1, 3, dtype=torch.bool))
    state = decoder.start(RNNState(hidden=torch.zeros(1, 1, 1)))

    s = 0.0
    for _ in range(2):
        e = [1.5 * math.tanh(0.7 * s + 0.9 * annotation) for annotation in h]
        a = [math.exp(score) / sum(map(math.exp, e)) for score in e]
        c = sum(weight * annotation for weight, annotation in zip(a, h, strict=True))
        # With all other weights 0, r = z = 1/2 and so s' = s / 2 + tanh(c) / 2.
        s = s / 2 + math.tanh(c) / 2

        before = state.rnn.top
        features, state, weights = decoder.step(torch.tensor([1]), state, memory)
        assert score(before.unsqueeze(1), memory.keys).flatten().tolist() == pytest.approx(e)
        assert weights.flatten().tolist() == pytest.approx(a)
        assert (weights @ states[0]).item() == pytest.approx(c)
        assert state.rnn.top.item() == pytest.approx(s)
        assert features.item() == pytest.approx(s)
