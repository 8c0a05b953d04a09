"""The contract of every model: the papers' numbers; steps equal the whole; padding and neighbours change nothing."""

import math
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from seq2seq_cli.config.schema.model import ModelConfig
from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.model.state import RNNState
from seq2seq_cli.text.vocabulary import PAD
from tests.unit.model.conftest import PARAMETERS, VOCABULARY, small_model
from tests.unit.model.numpy_reference import translate_forced

SENTENCES = [[4, 5, 6, 3], [7, 3], [8, 9, 10, 4, 4, 3]]
TARGETS = [[2, 5, 6, 7, 8], [2, 9, 10, 4, 12], [2, 11, 4, 4, 5]]
LENGTHS = torch.tensor([len(s) for s in SENTENCES])

STEPS = [[0, 1, 2], [2, 0, 1], [2, 2, 1], [1, 2, 2], [1]]
"""The sentences in the rows of each step: put elsewhere, doubled and taken out, as in a beam search."""

Outputs = tuple[Tensor, Tensor]
"""Logits and weights, of all rows and steps or of those in `STEPS`, one after the other."""


def padded(rows: list[list[int]], extra: int = 0) -> Tensor:
    longest = max(map(len, rows)) + extra
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])


def same(ours: Tensor, theirs: Tensor) -> None:
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


@pytest.mark.parametrize("config", PARAMETERS)
def test_every_legal_combination_keeps_the_contract(config: ModelConfig) -> None:
    model = small_model(config)
    with source_vectors(model) as vectors:
        logits, weights = model(padded(SENTENCES), LENGTHS, torch.tensor(TARGETS))
    gradients = gradients_of(picked((logits, weights)), model, vectors[0])
    step_by_step_equals_the_whole(model, (logits, weights), gradients)
    order_and_padding_of_nan_change_nothing(model, (logits, weights), gradients)
    gradients_are_finite_and_reach_every_parameter(model, config, gradients)
    with torch.no_grad():
        equals_the_formulas_in_numpy(model, config, logits, weights)
        weights_sum_to_one_over_real_words(config, weights)
        same(model(torch.tensor(SENTENCES[1:2]), LENGTHS[1:2], torch.tensor(TARGETS[1:2]))[0], logits[1:2])


@contextmanager
def source_vectors(model: Seq2Seq) -> Iterator[list[Tensor]]:
    """A list that receives the vectors of the source words of each encoding inside."""
    vectors: list[Tensor] = []
    hook = model.encoder.embedding.register_forward_hook(lambda _, __, output: vectors.append(output))
    yield vectors
    hook.remove()


def picked(outputs: Outputs) -> Outputs:
    """The logits and weights of the steps in `STEPS`."""
    logits, weights = (torch.cat([x[rows, t] for t, rows in enumerate(STEPS)]) for x in outputs)
    return logits, weights


def gradients_of(steps: Outputs, model: Seq2Seq, vectors: Tensor) -> dict[str, Tensor]:
    """The gradients of a function of all these numbers: of each parameter, and of the vectors of real source words."""
    objective = torch.stack([(x + torch.arange(x.numel()).view_as(x)).sin().sum() for x in steps]).sum()
    names, parameters = zip(*model.named_parameters(), strict=True)
    of_vectors, *of_parameters = torch.autograd.grad(
        objective, (vectors, *parameters), retain_graph=True, allow_unused=True, materialize_grads=True
    )
    return {"vectors": of_vectors[:, : int(LENGTHS.max())], **dict(zip(names, of_parameters, strict=True))}


def step_by_step_equals_the_whole(model: Seq2Seq, whole: Outputs, gradients: dict[str, Tensor]) -> None:
    with source_vectors(model) as vectors:
        memory, state = model.encode(padded(SENTENCES), LENGTHS)
    logits, weights = [], []
    for t, (before, rows) in enumerate(zip([STEPS[0], *STEPS], STEPS, strict=False)):
        order = torch.tensor([before.index(row) for row in rows])
        state, memory = state.select(order), memory.select(order)
        logits_t, state, weights_t = model.step(torch.tensor(TARGETS)[rows, t], state, memory)
        logits.append(logits_t)
        weights.append(weights_t)
    steps = torch.cat(logits), torch.cat(weights)
    for ours, theirs in zip(steps, picked(whole), strict=True):
        same(ours, theirs)
    for name, gradient in gradients_of(steps, model, vectors[0]).items():
        same(gradient, gradients[name])


def order_and_padding_of_nan_change_nothing(model: Seq2Seq, whole: Outputs, gradients: dict[str, Tensor]) -> None:
    """More padding, of NaN in the vectors and the encoder's states, and the rows in another order."""
    order, back = [2, 0, 1], [1, 2, 0]
    src, tgt_in = padded([SENTENCES[row] for row in order], extra=3), padded([TARGETS[row] for row in order], extra=2)
    with source_vectors(model) as vectors, padding_of_nan(model):
        logits, weights = model(src, LENGTHS[order], tgt_in)
    found = logits[back][:, : len(STEPS)], weights[back][:, : len(STEPS), : int(LENGTHS.max())]
    for ours, theirs in zip(found, whole, strict=True):
        same(ours, theirs)
    for name, gradient in gradients_of(picked(found), model, vectors[0]).items():
        same(gradient[back] if name == "vectors" else gradient, gradients[name])


@contextmanager
def padding_of_nan(model: Seq2Seq) -> Iterator[None]:
    def vectors(_: nn.Module, inputs: tuple[Tensor], output: Tensor) -> Tensor:
        return output.masked_fill((inputs[0] == PAD).unsqueeze(-1), math.nan)

    def states(_: nn.Module, inputs: tuple[Tensor, Tensor], output: tuple[Tensor, RNNState]) -> tuple[Tensor, RNNState]:
        return output[0].masked_fill((inputs[0] == PAD).unsqueeze(-1), math.nan), output[1]

    parts = ((model.encoder.embedding, vectors), (model.decoder.embedding, vectors), (model.encoder, states))
    hooks = [part.register_forward_hook(fill) for part, fill in parts]
    yield
    for hook in hooks:
        hook.remove()


def equals_the_formulas_in_numpy(model: Seq2Seq, config: ModelConfig, logits: Tensor, weights: Tensor) -> None:
    for row, (src, tgt_in) in enumerate(zip(SENTENCES, TARGETS, strict=True)):
        expected_logits, expected_weights = translate_forced(model, config, src, tgt_in)
        np.testing.assert_allclose(logits[row].numpy(), expected_logits, rtol=0, atol=1e-10)
        np.testing.assert_allclose(weights[row, :, : len(src)].numpy(), expected_weights, rtol=0, atol=1e-10)


def weights_sum_to_one_over_real_words(config: ModelConfig, weights: Tensor) -> None:
    """Or to less, as the scope has it."""
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


def gradients_are_finite_and_reach_every_parameter(
    model: Seq2Seq, config: ModelConfig, gradients: dict[str, Tensor]
) -> None:
    if config.attention.scope == "hard":
        gradients = gradients_of_draws(model)
    for name, gradient in gradients.items():
        assert gradient.isfinite().all(), name
        # A softmax forgets what is the same for all its scores: the bias of the linear score.
        assert name == "decoder.attention.score.w.bias" or (gradient != 0).any(), name


def gradients_of_draws(model: Seq2Seq) -> dict[str, Tensor]:
    """The gradients of hard attention in training, with a stand-in for that of a draw; see test_reinforce.py."""
    with source_vectors(model) as vectors:
        memory, state = model.train().encode(padded(SENTENCES), LENGTHS)
    features, attended = model.decoder(torch.tensor(TARGETS), state, memory)
    model.eval()
    return gradients_of((model.output(features), attended.probabilities), model, vectors[0])


@pytest.mark.parametrize("side", ["src", "tgt"])
def test_a_word_beyond_the_vocabulary_is_refused(side: str) -> None:
    model = small_model(ModelConfig())
    known, beyond = torch.tensor([[4]]), torch.tensor([[VOCABULARY]])
    with pytest.raises(IndexError):
        model(beyond if side == "src" else known, torch.tensor([1]), beyond if side == "tgt" else known)
