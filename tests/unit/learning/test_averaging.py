"""The moving average of the weights against its formula."""

import pytest
import torch

from seq2seq_cli.config.loader import load_config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.decoding.load import translator_of
from seq2seq_cli.learning.averaging import Average
from seq2seq_cli.model.build import build_model
from seq2seq_cli.model.seq2seq import Seq2Seq
from tests.tiny import TINY, tiny_config

TIED = [
    *("model.decoder.readout=attentional", "model.decoder.embedding_size=12", "model.encoder.embedding_size=12"),
    "model.tied_embeddings=all",
]


def small_model(seed: int = 1, *overrides: str) -> Seq2Seq:
    torch.manual_seed(seed)
    return build_model(load_config(None, [*TINY, *overrides]).model, src_size=9, tgt_size=9)


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
    model = small_model()
    average = Average(model, 0.9)
    train(model, average, [4.0])
    assert value_of(average) == 4.0
    # d_2 = 2/11: 4 * 2/11 + 1 * 9/11.
    train(model, average, [1.0])
    assert value_of(average) == pytest.approx(17 / 11)
    # d_3 = 3/12: a quarter of that, and three quarters of 2.
    train(model, average, [2.0])
    assert value_of(average) == pytest.approx(17 / 44 + 1.5)


def test_in_the_long_run_the_decay_is_that_of_the_config() -> None:
    model = small_model()
    average = Average(model, 0.9)
    train(model, average, [1.0] * 81)
    # From n = 81 on, n / (9 + n) is 0.9 or more.
    train(model, average, [0.0] * 5)
    assert value_of(average) == pytest.approx(0.9**5)


def test_the_trained_model_is_left_alone() -> None:
    model = small_model().train()
    average = Average(model, 0.9)
    train(model, average, [3.0, 5.0])
    assert all((weight == 5.0).all() and weight.requires_grad for weight in model.parameters())
    assert model.training
    assert not average.module.training
    assert not any(weight.requires_grad for weight in average.module.parameters())


def test_tied_weights_stay_tied_and_are_averaged_once() -> None:
    model = small_model(1, *TIED)
    average = Average(model, 0.5)
    train(model, average, [8.0, 0.0, 0.0])
    assert average.module.output.weight is average.module.encoder.embedding.weight
    assert average.module.output.weight is average.module.decoder.embedding.weight
    assert value_of(average) == pytest.approx(8 * (2 / 11) * (3 / 12))


@pytest.mark.parametrize("overrides", [[], TIED], ids=["apart", "tied"])
def test_stopped_and_resumed_equals_never_stopped_bit_for_bit(overrides: list[str]) -> None:
    weights = torch.rand(6, generator=torch.Generator().manual_seed(3)).tolist()
    model = small_model(1, *overrides)
    whole, first = Average(model, 0.99), Average(model, 0.99)
    train(model, whole, weights)
    train(model, first, weights[:2])
    state = {name: tensor.clone() for name, tensor in first.state_dict().items()}
    second = Average(small_model(2, *overrides), 0.99)
    second.load_state_dict(state)
    train(model, second, weights[2:])
    assert second.state_dict().keys() == whole.state_dict().keys()
    for name, tensor in whole.state_dict().items():
        assert torch.equal(tensor, second.state_dict()[name]), name


def test_the_averaged_model_translates(corpus: PreparedCorpus) -> None:
    config = tiny_config(corpus)
    sizes = {"src_size": len(corpus.src_codec.vocabulary), "tgt_size": len(corpus.tgt_codec.vocabulary)}
    model = build_model(config.model, **sizes)
    average = Average(model, 0.9)
    average.update_parameters(model)
    ours, theirs = (translator_of(m, corpus.codecs, config.decoding) for m in (average.module, model.eval()))
    assert [t.text for t in ours.translate(["a b c"])] == [t.text for t in theirs.translate(["a b c"])]
    average.update_parameters(model)  # after an inference, too
