"""The contract of every model: the papers' numbers, blind to padding and to its neighbours in the batch."""

import numpy as np
import pytest
import torch
from torch import Tensor

from seq2seq_cli.config.schema import ModelConfig
from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.text.vocabulary import PAD
from tests.unit.model.conftest import VOCABULARY, small_model
from tests.unit.model.numpy_reference import translate_forced

SENTENCES = [[4, 5, 6, 3], [7, 3], [8, 9, 10, 4, 4, 3]]
TARGETS = [[2, 5, 6, 7, 8], [2, 9, 10, 4, 12], [2, 11, 4, 4, 5]]
LENGTHS = torch.tensor([len(s) for s in SENTENCES])


def padded(rows: list[list[int]], extra: int = 0) -> Tensor:
    longest = max(map(len, rows)) + extra
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])


def same(ours: Tensor, theirs: Tensor) -> None:
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


@torch.no_grad()
def test_every_legal_combination_keeps_the_contract(model: Seq2Seq, config: ModelConfig) -> None:
    src, tgt_in = padded(SENTENCES), torch.tensor(TARGETS)
    logits, weights = model(src, LENGTHS, tgt_in)
    equals_the_formulas_in_numpy(model, config, logits, weights)
    weights_are_shares_of_real_words(config, weights)
    forward_equals_step_by_step(model, logits, weights)
    padding_and_order_change_nothing(model, logits)
    with torch.enable_grad():
        gradients_are_finite_and_reach_every_parameter(model, config)


def equals_the_formulas_in_numpy(model: Seq2Seq, config: ModelConfig, logits: Tensor, weights: Tensor) -> None:
    for row, (src, tgt_in) in enumerate(zip(SENTENCES, TARGETS, strict=True)):
        expected_logits, expected_weights = translate_forced(model, config, src, tgt_in)
        np.testing.assert_allclose(logits[row].numpy(), expected_logits, rtol=0, atol=1e-10)
        np.testing.assert_allclose(weights[row, :, : len(src)].numpy(), expected_weights, rtol=0, atol=1e-10)


def weights_are_shares_of_real_words(config: ModelConfig, weights: Tensor) -> None:
    """Which positions are outside a window follows from the formulas; here, that the sum is what it has to be."""
    for row, length in enumerate(LENGTHS):
        assert (weights[row, :, length:] == 0).all()
    total = weights.sum(-1)
    if config.attention.score in ("none", "fixed"):
        assert (total == 0).all()
    elif config.attention.scope == "local_p":
        assert ((total > 0) & (total <= 1)).all()
    elif config.attention.scope == "local_m":
        # The fifth word of a sentence translated from two looks at places 3 to 7: none is there.
        empty = torch.arange(1, 6) - config.attention.window > LENGTHS.unsqueeze(1)
        assert empty.any()
        same(total, (~empty).double())
    else:
        same(total, torch.ones_like(total))


def forward_equals_step_by_step(model: Seq2Seq, logits: Tensor, weights: Tensor) -> None:
    """Also when rows are taken out, put elsewhere and doubled on the way, as a search does."""
    memory, state = model.encode(padded(SENTENCES), LENGTHS)
    rows = torch.tensor([0, 1, 2])
    for t, chosen in enumerate(([0, 1, 2], [2, 0, 1], [0, 0, 2], [1], [0])):
        order = torch.tensor(chosen)
        rows, state, memory = rows[order], state.select(order), memory.select(order)
        step_logits, state, step_weights = model.step(torch.tensor(TARGETS)[rows, t], state, memory)
        same(step_logits, logits[rows, t])
        same(step_weights, weights[rows, t])


def padding_and_order_change_nothing(model: Seq2Seq, logits: Tensor) -> None:
    tgt_in = torch.tensor(TARGETS)
    same(model(padded(SENTENCES, extra=3), LENGTHS, tgt_in)[0], logits)
    order = [2, 0, 1]
    same(model(padded([SENTENCES[i] for i in order]), LENGTHS[order], tgt_in[order])[0], logits[order])
    same(model(torch.tensor([SENTENCES[1]]), LENGTHS[1:2], tgt_in[1:2])[0], logits[1:2])


def gradients_are_finite_and_reach_every_parameter(model: Seq2Seq, config: ModelConfig) -> None:
    memory, state = model.train().encode(padded(SENTENCES), LENGTHS)
    decoded = model.decoder(torch.tensor(TARGETS), state, memory)
    loss = model.output(decoded.features).log_softmax(-1)[..., 1].sum()
    if decoded.probabilities is not None:
        # What stands for the gradient of a draw; see test_reinforce.py.
        loss = loss + (decoded.probabilities * torch.arange(6)).sum()
    torch.autograd.backward(loss)
    for name, parameter in model.named_parameters():
        if name in without_gradient(config):
            continue
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name
        assert (parameter.grad != 0).any(), name


def without_gradient(config: ModelConfig) -> list[str]:
    """A softmax forgets what is the same for all its scores: the bias of the linear score, and half of its w."""
    return ["decoder.attention.score.w.bias"] if config.attention.score == "linear" else []


def test_dropout_only_while_training() -> None:
    model = small_model(ModelConfig())
    src, tgt_in = padded(SENTENCES), torch.tensor(TARGETS)
    torch.testing.assert_close(model(src, LENGTHS, tgt_in)[0], model(src, LENGTHS, tgt_in)[0], rtol=0, atol=0)
    model.train()
    assert not torch.equal(model(src, LENGTHS, tgt_in)[0], model(src, LENGTHS, tgt_in)[0])


@pytest.mark.parametrize("side", ["src", "tgt"])
def test_a_word_beyond_the_vocabulary_is_refused(side: str) -> None:
    model = small_model(ModelConfig())
    known, beyond = torch.tensor([[4]]), torch.tensor([[VOCABULARY]])
    with pytest.raises(IndexError):
        model(beyond if side == "src" else known, torch.tensor([1]), beyond if side == "tgt" else known)
