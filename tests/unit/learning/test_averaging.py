"""The moving average of the weights against its formula."""

import pytest
import torch

from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.decoding.load import translator_of
from seq2seq_cli.learning.averaging import Average
from seq2seq_cli.model.seq2seq import Seq2Seq
from tests.tiny import fresh_tiny, tiny_config, tiny_model

TIED = [
    *("model.decoder.readout=attentional", "model.decoder.embedding_size=12", "model.encoder.embedding_size=12"),
    "model.tied_embeddings=all",
]


@torch.no_grad()
def train(model: Seq2Seq, average: Average, updates: list[float]) -> None:
    """Set all weights to each of these values, as if by training."""
    for value in updates:
        for weight in model.parameters():
            weight.fill_(value)
        average.update_parameters(model)


def value_of(average: Average) -> float:
    values = torch.cat([weight.flatten() for weight in average.module.parameters()])
    assert values.min() == values.max()
    return values[0].item()


def test_it_starts_with_the_first_weights_and_averages_over_more_updates_each_time() -> None:
    model = tiny_model().train()
    average = Average(model, 0.9)
    train(model, average, [4.0])
    assert value_of(average) == 4.0
    # d_2 = 2/11: 4 * 2/11 + 1 * 9/11.
    train(model, average, [1.0])
    assert value_of(average) == pytest.approx(17 / 11)
    # d_3 = 3/12: a quarter of that, and three quarters of 2.
    train(model, average, [2.0])
    assert value_of(average) == pytest.approx(17 / 44 + 1.5)
    # From n = 81 on, n / (9 + n) is 0.9 or more.
    train(model, average, [1.0] * 300)
    train(model, average, [0.0] * 5)
    assert value_of(average) == pytest.approx(0.9**5)

    assert model.training
    assert all((weight == 0.0).all() and weight.requires_grad for weight in model.parameters())
    assert not average.module.training
    assert not any(weight.requires_grad for weight in average.module.parameters())


def test_tied_weights_stay_tied_and_are_averaged_once() -> None:
    model = tiny_model(*TIED)
    average = Average(model, 0.5)
    train(model, average, [8.0, 0.0, 0.0])
    assert average.module.output.weight is average.module.encoder.embedding.weight
    assert average.module.output.weight is average.module.decoder.embedding.weight
    assert value_of(average) == pytest.approx(8 * (2 / 11) * (3 / 12))


def test_the_averaged_model_translates(corpus: PreparedCorpus) -> None:
    config = tiny_config(corpus)
    model = fresh_tiny(corpus, config).model
    average = Average(model, 0.9)
    average.update_parameters(model)
    ours, theirs = (translator_of(m, corpus.codecs, config.decoding) for m in (average.module, model.eval()))
    assert [t.text for t in ours.translate(["a b c"])] == [t.text for t in theirs.translate(["a b c"])]
    average.update_parameters(model)  # after an inference, too
