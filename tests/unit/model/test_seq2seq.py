"""The contract of every model: the paper's numbers, blind to padding and to its neighbours in the batch."""

import numpy as np
import pytest
import torch
from torch import Tensor

from seq2seq_cli.config.schema import ModelConfig
from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.text.vocabulary import PAD
from tests.unit.model.conftest import SRC_SIZE, TGT_SIZE
from tests.unit.model.numpy_reference import translate_forced

SENTENCES = [[4, 5, 6, 3], [7, 3], [8, 9, 10, 4, 4, 3]]
TARGETS = [[2, 5, 6, 7, 8], [2, 9, 10, 4, 12], [2, 11, 4, 4, 5]]
LENGTHS = torch.tensor([len(s) for s in SENTENCES])


def padded(rows: list[list[int]], extra: int = 0) -> Tensor:
    longest = max(map(len, rows)) + extra
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])


def test_equals_the_formulas_in_numpy(model: Seq2Seq, config: ModelConfig) -> None:
    logits, weights = model(padded(SENTENCES), LENGTHS, torch.tensor(TARGETS))
    for row, (src, tgt_in) in enumerate(zip(SENTENCES, TARGETS, strict=True)):
        expected_logits, expected_weights = translate_forced(model, config, src, tgt_in)
        np.testing.assert_allclose(logits[row].detach().numpy(), expected_logits, rtol=0, atol=1e-10)
        np.testing.assert_allclose(weights[row, :, : len(src)].detach().numpy(), expected_weights, rtol=0, atol=1e-10)


def test_forward_equals_step_by_step(model: Seq2Seq) -> None:
    tgt_in = torch.tensor(TARGETS)
    logits, weights = model(padded(SENTENCES), LENGTHS, tgt_in)
    memory, state = model.encode(padded(SENTENCES), LENGTHS)
    for t in range(tgt_in.shape[1]):
        step_logits, state, step_weights = model.step(tgt_in[:, t], state, memory)
        torch.testing.assert_close(logits[:, t], step_logits, rtol=0, atol=1e-12)
        torch.testing.assert_close(weights[:, t], step_weights, rtol=0, atol=1e-12)


def test_weights_sum_to_one_and_are_zero_on_padding(model: Seq2Seq) -> None:
    _, weights = model(padded(SENTENCES, extra=2), LENGTHS, torch.tensor(TARGETS))
    torch.testing.assert_close(weights.sum(-1), torch.ones(3, 5, dtype=torch.float64), rtol=0, atol=1e-12)
    for row, length in enumerate(LENGTHS):
        assert (weights[row, :, length:] == 0).all()
        assert (weights[row, :, :length] > 0).all()


def test_padding_and_order_of_the_batch_change_nothing(model: Seq2Seq) -> None:
    tgt_in = torch.tensor(TARGETS)
    logits, _ = model(padded(SENTENCES), LENGTHS, tgt_in)
    with_padding, _ = model(padded(SENTENCES, extra=4), LENGTHS, tgt_in)
    torch.testing.assert_close(with_padding, logits, rtol=0, atol=1e-12)
    order = [2, 0, 1]
    reordered, _ = model(padded([SENTENCES[i] for i in order]), LENGTHS[order], tgt_in[order])
    torch.testing.assert_close(reordered, logits[order], rtol=0, atol=1e-12)
    alone, _ = model(torch.tensor([SENTENCES[1]]), LENGTHS[1:2], tgt_in[1:2])
    torch.testing.assert_close(alone, logits[1:2], rtol=0, atol=1e-12)


def test_state_and_memory_of_chosen_rows_go_on_as_before(model: Seq2Seq) -> None:
    tokens = torch.tensor([5, 6, 7])
    memory, state = model.encode(padded(SENTENCES), LENGTHS)
    logits, _, weights = model.step(tokens, state, memory)
    rows = torch.tensor([2, 2, 0])
    chosen_logits, _, chosen_weights = model.step(tokens[rows], state.select(rows), memory.select(rows))
    torch.testing.assert_close(chosen_logits, logits[rows], rtol=0, atol=1e-12)
    torch.testing.assert_close(chosen_weights, weights[rows], rtol=0, atol=1e-12)


def test_gradients_are_finite_and_reach_every_parameter(model: Seq2Seq) -> None:
    logits, _ = model.train()(padded(SENTENCES), LENGTHS, torch.tensor(TARGETS))
    logits.log_softmax(-1)[..., 1].sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name
        assert (parameter.grad != 0).any(), name


def test_dropout_only_while_training(model: Seq2Seq) -> None:
    src, tgt_in = padded(SENTENCES), torch.tensor(TARGETS)
    torch.testing.assert_close(model(src, LENGTHS, tgt_in)[0], model(src, LENGTHS, tgt_in)[0], rtol=0, atol=0)
    model.train()
    assert not torch.equal(model(src, LENGTHS, tgt_in)[0], model(src, LENGTHS, tgt_in)[0])


@pytest.mark.parametrize("size", [SRC_SIZE, TGT_SIZE])
def test_a_word_beyond_the_vocabulary_is_refused(model: Seq2Seq, size: int) -> None:
    beyond = torch.tensor([[size]])
    with pytest.raises(IndexError):
        model(beyond if size == SRC_SIZE else torch.tensor([[4]]), torch.tensor([1]), beyond)
