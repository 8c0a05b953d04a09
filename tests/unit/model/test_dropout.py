"""Dropout in training, of entries, of the same entries at every word, of whole words; none in evaluation."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from seq2seq_cli.config.choices import Directions
from seq2seq_cli.config.schema.model import EncoderConfig, ModelConfig
from seq2seq_cli.learning.forcing import decoder_inputs
from seq2seq_cli.model.dropout import Dropout, VariationalDropout, WordDropout
from seq2seq_cli.model.encoder import Encoder
from seq2seq_cli.model.recurrent import make_rnn, run_rnn
from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.text.vocabulary import BOS, PAD
from tests.unit.model.conftest import small_model
from tests.unit.model.test_contract import LENGTHS, SENTENCES, TARGETS, padded, same

DECODERS: dict[str, dict[str, Any]] = {
    "bahdanau": {"kind": "bahdanau"},
    "luong": {"kind": "luong"},
    "feeding": {"input_feeding": True, "readout": "attentional"},
    "maxout": {"readout": "maxout"},
}
VARIATIONAL: dict[str, Any] = {"dropout": 0.4, "variational_dropout": True}


def deep_model(decoder: str, *, cell: str = "lstm", layers: int = 3, **values: Any) -> Seq2Seq:
    """Small, in training, with these values for both sides."""
    sizes = {"embedding_size": 5, "hidden_size": 6, "layers": layers, "cell": cell}
    sections = {"encoder": {**sizes, **values}, "decoder": {**sizes, **DECODERS[decoder], **values}}
    return small_model(ModelConfig.model_validate(sections)).train()


def test_a_variational_mask_is_the_same_at_each_position_and_differs_between_rows() -> None:
    torch.manual_seed(1)
    dropped = VariationalDropout(0.5)(torch.ones(4, 7, 64))
    assert torch.equal(dropped, dropped[:, :1].expand(4, 7, 64))
    assert set(dropped.unique().tolist()) == {0.0, 2.0}
    assert all((dropped[0, 0] != dropped[row, 0]).any() for row in (1, 2, 3))


def test_word_dropout_drops_whole_words_independently() -> None:
    torch.manual_seed(1)
    dropped = WordDropout(0.2)(torch.ones(40, 7, 8))
    assert torch.equal(dropped, dropped[..., :1].expand(40, 7, 8))
    assert set(dropped.unique().tolist()) == {0.0, 1.25}
    assert (dropped[:, :1] != dropped).any()


@given(p=st.integers(0, 2**16 - 1), shape=st.lists(st.integers(0, 9), min_size=1, max_size=3))
def test_dropout_sets_an_entry_to_zero_or_scales_it_by_the_inverse_of_what_is_kept(p: int, shape: list[int]) -> None:
    vectors = torch.full(shape, 3.0, dtype=torch.float64, requires_grad=True)
    dropped = Dropout(p / 2**16)(vectors)
    factors = (dropped != 0).double() / (1 - p / 2**16)
    torch.testing.assert_close(dropped, 3.0 * factors)
    (gradient,) = torch.autograd.grad(dropped.sum(), vectors)
    torch.testing.assert_close(gradient, factors)


@pytest.mark.parametrize("p", [1e-6, 0.25, 0.99999])
def test_dropout_draws_each_entry_independently(p: float) -> None:
    torch.manual_seed(1)
    vectors = torch.ones(1000, 5, 8, dtype=torch.float64)
    first, second = Dropout(p)(vectors), Dropout(p)(vectors)
    # The nearest p that sixteen bits can draw.
    p = min(round(p * 2**16), 2**16 - 1) / 2**16
    assert set(first.unique().tolist()) <= {0.0, 1 / (1 - p)}
    for dropped, expected in (
        (first == 0, p),
        ((first == 0) & (second == 0), p**2),
        ((first[..., ::2] == 0) & (first[..., 1::2] == 0), p**2),
    ):
        deviation = (expected * (1 - expected) / dropped.numel()) ** 0.5
        assert dropped.double().mean().item() == pytest.approx(expected, abs=4 * deviation)


@pytest.mark.parametrize(
    "dropout", [Dropout(0.3), VariationalDropout(0.3), WordDropout(0.3)], ids=["plain", "variational", "word"]
)
def test_the_expected_value_is_the_input(dropout: nn.Module) -> None:
    torch.manual_seed(2)
    vectors = torch.tensor([1.0, -2.0, 3.0]).expand(20_000, 2, 3)
    # The deviation of the mean of 20,000 draws of 1/0.7 or 0 is 0.0046; within four of them.
    ratio = dropout(vectors).mean(dim=0) / vectors[0]
    assert (ratio - 1).abs().max() < 4 * (0.3 / 0.7 / 20_000) ** 0.5
    assert dropout.eval()(vectors) is vectors


@pytest.mark.parametrize("cell", ["lstm", "gru", "gru_cho", "rnn"])
@pytest.mark.parametrize("directions", ["one", "joined"])
def test_layer_by_layer_is_torch_s_rnn_when_nothing_is_dropped(cell: Any, directions: Directions) -> None:
    torch.manual_seed(3)
    rnn = make_rnn(cell, 5, 6, layers=3, dropout=0.0, bidirectional=directions == "joined").double()
    inputs = torch.randn(3, 7, 5, dtype=torch.float64)
    for lengths in ([7, 2, 5], [7, 7, 7]):
        outputs, last = run_rnn(rnn, inputs, torch.tensor(lengths))
        ours, our_last = run_rnn(rnn, inputs, torch.tensor(lengths), lambda x: x)
        same(ours, outputs)
        same(our_last.hidden, last.hidden)
        assert (our_last.cell is None) == (last.cell is None)
        if our_last.cell is not None and last.cell is not None:
            same(our_last.cell, last.cell)


@pytest.mark.parametrize("directions", ["one", "joined", "summed"])
@pytest.mark.parametrize("residual", [False, True])
def test_the_encoder_drops_the_same_entries_at_every_word_before_each_layer(
    directions: Directions, residual: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = EncoderConfig(
        embedding_size=5,
        hidden_size=6,
        layers=4,
        directions=directions,
        residual=residual,
        dropout=0.4,
        variational_dropout=True,
    )
    encoder = Encoder(config, vocabulary_size=13)
    given: list[tuple[Tensor, Tensor]] = []
    for module in encoder.modules():
        if isinstance(module, VariationalDropout):
            module.register_forward_hook(lambda _, inputs, dropped: given.append((inputs[0], dropped)))
    encoder(padded(SENTENCES), LENGTHS)
    assert len(given) == 4
    for vectors, dropped in given:
        masks = dropped / vectors
        for row, length in enumerate(LENGTHS):
            torch.testing.assert_close(masks[row, :length], masks[row, :1].expand(int(length), -1))
        assert (masks[:, 0] == 0).any()
        assert (dropped[:, 0] != 0).any()


@pytest.mark.parametrize("cell", ["lstm", "gru"])
@pytest.mark.parametrize("decoder", DECODERS)
def test_with_the_masks_of_its_state_a_decoder_s_forward_equals_step_by_step(decoder: str, cell: str) -> None:
    model = deep_model(decoder, cell=cell, **VARIATIONAL)
    tgt_in = torch.tensor(TARGETS)
    memory, state = model.encode(padded(SENTENCES), LENGTHS)
    all_features, attended = model.decoder(tgt_in, state, memory)
    same(model.decoder(tgt_in, state, memory)[0], all_features)
    rows = torch.tensor([0, 1, 2])
    for t, chosen in enumerate(([0, 1, 2], [2, 0, 1], [0, 0, 2], [1], [0])):
        order = torch.tensor(chosen)
        rows, state, memory = rows[order], state.select(order), memory.select(order)
        features, state, weights = model.decoder.step(tgt_in[rows, t], state, memory)
        same(features, all_features[rows, t])
        same(weights, attended.weights[rows, t])


@pytest.mark.parametrize("decoder", DECODERS)
def test_a_decoder_s_masks_are_used_between_its_layers_and_for_its_words(decoder: str) -> None:
    """With all inputs of a layer dropped, or all words, the features no longer depend on the words."""
    model = deep_model(decoder, **VARIATIONAL)
    memory, state = model.encode(padded(SENTENCES), LENGTHS)
    masks = state.rnn.masks
    assert masks is not None
    assert masks.layers.shape == (2, 3, 6)
    assert masks.words.shape == (3, 5)

    def features(masks: Any, tokens: Tensor) -> Tensor:
        features: Tensor = model.decoder(tokens, replace(state, rnn=replace(state.rnn, masks=masks)), memory)[0]
        return features

    tgt_in, others = torch.tensor(TARGETS), torch.tensor(TARGETS) - 1
    assert not torch.equal(features(masks, tgt_in), features(masks, others))
    no_words = replace(masks, words=torch.zeros_like(masks.words))
    same(features(no_words, tgt_in), features(no_words, others))
    if decoder != "maxout":  # whose readout sees the words themselves
        for layer in range(2):
            no_layer = replace(masks, layers=masks.layers.index_fill(0, torch.tensor(layer), 0.0))
            same(features(no_layer, tgt_in), features(no_layer, others))


@pytest.mark.parametrize("decoder", DECODERS)
def test_nothing_is_dropped_in_evaluation(decoder: str) -> None:
    dropping = deep_model(decoder, word_dropout=0.3, **VARIATIONAL).eval()
    dropping.encoder.state_dropout.p = dropping.decoder.readout_dropout.p = 0.5
    plain = deep_model(decoder, dropout=0.0).eval()
    plain.load_state_dict(dropping.state_dict())
    src, tgt_in = padded(SENTENCES), torch.tensor(TARGETS)
    for ours, theirs in zip(dropping(src, LENGTHS, tgt_in), plain(src, LENGTHS, tgt_in), strict=True):
        assert torch.equal(ours, theirs)
    assert dropping.encode(src, LENGTHS)[1].rnn.masks is None


@pytest.mark.parametrize("decoder", DECODERS)
def test_with_variational_dropout_own_predictions_are_those_of_the_pass_that_is_trained(decoder: str) -> None:
    model = deep_model(decoder, **VARIATIONAL)
    memory, state = model.encode(padded(SENTENCES), LENGTHS)
    tgt_in = torch.tensor(TARGETS)
    inputs = decoder_inputs(model, tgt_in, torch.zeros(tgt_in.shape, dtype=torch.bool), state, memory)
    features, _ = model.decoder(inputs, state, memory)
    logits = model.output(features)
    logits[..., [PAD, BOS]] = -torch.inf
    assert torch.equal(logits.argmax(dim=-1)[:, :-1], inputs[:, 1:])
    assert model.training


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
    model = deep_model(decoder, layers=1, dropout=0.0)
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
    ("side", "values"),
    [
        *((side, VARIATIONAL) for side in ("encoder", "decoder")),
        *((side, {"dropout": 0.0, "word_dropout": 0.4}) for side in ("encoder", "decoder")),
        ("encoder", {"dropout": 0.0, "state_dropout": 0.4}),
        ("decoder", {"dropout": 0.0, "readout_dropout": 0.4}),
    ],
)
def test_each_side_drops_while_training_and_learns_in_all_its_weights(side: str, values: dict[str, Any]) -> None:
    sections = {"encoder": {"dropout": 0.0, "layers": 2}, "decoder": {"dropout": 0.0, "layers": 2}}
    sections[side].update(values)
    model = small_model(ModelConfig.model_validate(sections)).train()
    src, tgt_in = padded(SENTENCES), torch.tensor(TARGETS)
    logits = model(src, LENGTHS, tgt_in)[0]
    assert not torch.equal(logits, model(src, LENGTHS, tgt_in)[0])
    torch.autograd.backward(logits.log_softmax(-1)[..., 1].sum())
    assert all(weight.grad is not None and (weight.grad != 0).any() for weight in model.parameters())
