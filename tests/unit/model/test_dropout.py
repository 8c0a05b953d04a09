"""Dropout in training, of entries and of whole words; none in evaluation."""

from itertools import product
from typing import Any

import pytest
import torch

from seq2seq_cli.config.schema.model import EncoderConfig, ModelConfig
from seq2seq_cli.model.encoder import Encoder
from seq2seq_cli.model.recurrent import Dropout
from tests.unit.model.conftest import small_model
from tests.unit.model.test_contract import LENGTHS, SENTENCES, TARGETS, padded, same

DECODERS: dict[str, dict[str, Any]] = {
    "bahdanau": {"kind": "bahdanau"},
    "luong": {"kind": "luong"},
    "feeding": {"input_feeding": True, "readout": "attentional"},
    "maxout": {"readout": "maxout"},
}


def test_word_dropout_drops_whole_words_independently() -> None:
    torch.manual_seed(1)
    encoder = Encoder(EncoderConfig(word_dropout=0.2), vocabulary_size=12)
    dropped = encoder.word_dropout(torch.ones(40, 7, 8))
    assert torch.equal(dropped, dropped[..., :1].expand(40, 7, 8))
    assert set(dropped.unique().tolist()) == {0.0, 1.25}
    assert (dropped[:, :1] != dropped).any()


@pytest.mark.parametrize("p", [1e-6, 0.25, 0.99999])
def test_dropout_draws_each_entry_independently_and_scales_the_others(p: float) -> None:
    torch.manual_seed(1)
    vectors, dropout = torch.full((1000, 5, 8), -2.0, dtype=torch.float64, requires_grad=True), Dropout(p)
    first, second = dropout(vectors), dropout(vectors)
    (gradient,) = torch.autograd.grad(first.sum(), vectors)
    torch.testing.assert_close(-2 * gradient, first)
    # The nearest p that sixteen bits can draw.
    p = min(round(p * 2**16), 2**16 - 1) / 2**16
    assert set(first.unique().tolist()) <= {0.0, -2 / (1 - p)}
    for dropped, expected in (
        (first == 0, p),
        ((first == 0) & (second == 0), p**2),
        ((first[..., ::2] == 0) & (first[..., 1::2] == 0), p**2),
    ):
        deviation = (expected * (1 - expected) / dropped.numel()) ** 0.5
        assert dropped.double().mean().item() == pytest.approx(expected, abs=4 * deviation)
    assert dropout.eval()(vectors) is vectors


def test_the_memory_is_dropped_and_the_state_that_the_decoder_starts_from_is_not() -> None:
    config = EncoderConfig(embedding_size=5, hidden_size=6, directions="joined", state_dropout=0.25)
    encoder = Encoder(config, vocabulary_size=12)
    plain, last = encoder.eval()(padded(SENTENCES), LENGTHS)
    dropped, state = encoder.train()(padded(SENTENCES), LENGTHS)
    factors = (dropped != 0).float() / 0.75
    assert set(factors[plain != 0].unique().tolist()) == {0.0, factors.max().item()}
    torch.testing.assert_close(dropped, plain * factors)
    torch.testing.assert_close(state.hidden, last.hidden)


@pytest.mark.parametrize("decoder", DECODERS)
def test_the_readout_is_dropped_in_a_step_and_in_a_sentence(decoder: str) -> None:
    sizes = {"embedding_size": 5, "hidden_size": 6, "dropout": 0.0}
    sections = {"encoder": sizes, "decoder": {**sizes, **DECODERS[decoder]}}
    model = small_model(ModelConfig.model_validate(sections)).train()
    memory, state = model.encode(padded(SENTENCES), LENGTHS)
    words = torch.tensor(TARGETS)[:, 0]
    plain = model.decoder.step(words, state, memory)[0]
    model.decoder.readout_dropout.p = 0.25
    sentence = model.decoder(words.unsqueeze(1), state, memory)[0].squeeze(1)
    for dropped in (model.decoder.step(words, state, memory)[0], sentence):
        same(dropped, plain * (dropped != 0) / 0.75)
        assert (dropped == 0).any()
        assert (dropped != 0).any()


@pytest.mark.parametrize(
    ("side", "key"),
    [
        *product(("encoder", "decoder"), ("dropout", "word_dropout")),
        *(("encoder", "state_dropout"), ("decoder", "readout_dropout")),
    ],
)
def test_each_side_drops_while_training_and_learns_in_all_its_weights(side: str, key: str) -> None:
    sections = {"encoder": {"dropout": 0.0, "layers": 2}, "decoder": {"dropout": 0.0, "layers": 2}}
    sections[side][key] = 0.4
    model = small_model(ModelConfig.model_validate(sections)).train()
    src, tgt_in = padded(SENTENCES), torch.tensor(TARGETS)
    logits = model(src, LENGTHS, tgt_in)[0]
    assert not torch.equal(logits, model(src, LENGTHS, tgt_in)[0])
    torch.autograd.backward(logits.log_softmax(-1)[..., 1].sum())
    assert all(weight.grad is not None and (weight.grad != 0).any() for weight in model.parameters())
