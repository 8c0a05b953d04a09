"""Scores by hand, and what mask and softmax promise."""

import math

import pytest
import torch

from seq2seq_cli.model.attention.attention import Attention, masked_softmax
from seq2seq_cli.model.attention.scopes import GlobalScope
from seq2seq_cli.model.attention.scores import AdditiveScore, ConcatScore, DotScore, GeneralScore, Score
from seq2seq_cli.model.state import Memory

QUERY = torch.tensor([[[1.0, 2.0]]])
MEMORY = torch.tensor([[[3.0, -1.0], [0.5, 0.5]]])


def set_weight(layer: torch.nn.Linear, rows: list[list[float]]) -> None:
    layer.weight.data = torch.tensor(rows)


def scores(score: Score) -> list[float]:
    return score(QUERY, score.keys(MEMORY)).flatten().tolist()


def test_dot_by_hand() -> None:
    assert scores(DotScore()) == pytest.approx([1 * 3 - 2 * 1, 1 * 0.5 + 2 * 0.5])


def test_general_by_hand() -> None:
    score = GeneralScore(query_size=2, memory_size=2)
    set_weight(score.W, [[1.0, 2.0], [0.0, -1.0]])
    # W (3, -1) = (1, 1); W (0.5, 0.5) = (1.5, -0.5)
    assert scores(score) == pytest.approx([1 * 1 + 2 * 1, 1 * 1.5 - 2 * 0.5])


def test_additive_by_hand() -> None:
    score = AdditiveScore(query_size=2, memory_size=2, attention_size=1)
    set_weight(score.W, [[0.1, 0.2]])
    set_weight(score.U, [[0.3, 0.4]])
    set_weight(score.v, [[2.0]])
    # W q = 0.5; U k = 0.5 and 0.35
    assert scores(score) == pytest.approx([2 * math.tanh(1.0), 2 * math.tanh(0.85)])


def test_concat_by_hand() -> None:
    score = ConcatScore(query_size=2, attention_size=1)
    set_weight(score.W, [[0.1, 0.2]])
    set_weight(score.v, [[-1.0]])
    # q + k = (4, 1) and (1.5, 2.5)
    assert scores(score) == pytest.approx([-math.tanh(0.6), -math.tanh(0.65)])


def test_context_is_the_weighted_sum_of_the_memory() -> None:
    attention = Attention(score=DotScore(), scope=GlobalScope())
    # Dot scores of the query with these states: log 1 and log 3, so the weights are 1/4 and 3/4.
    states = torch.tensor([[[0.0, 0.0], [math.log(3.0), 0.0]]])
    mask = torch.tensor([[True, True]])
    context, weights = attention(torch.tensor([[[1.0, 7.0]]]), Memory(states=states, keys=states, mask=mask))
    assert weights.flatten().tolist() == pytest.approx([0.25, 0.75])
    assert context.flatten().tolist() == pytest.approx([0.75 * math.log(3.0), 0.0])


def test_two_equal_states_get_half_each() -> None:
    state = torch.randn(1, 1, 2)
    states = state.repeat(1, 2, 1)
    for score in (AdditiveScore(query_size=2, memory_size=2, attention_size=3), DotScore()):
        memory = Memory(states=states, keys=score.keys(states), mask=torch.tensor([[True, True]]))
        _, weights = Attention(score=score, scope=GlobalScope())(QUERY, memory)
        assert weights.flatten().tolist() == pytest.approx([0.5, 0.5])


def test_masked_softmax_is_zero_outside_and_never_nan() -> None:
    weights = masked_softmax(
        torch.tensor([[[0.0, 1e30, 0.0]], [[5.0, 5.0, 5.0]]]),
        torch.tensor([[[True, False, True]], [[False, False, False]]]),
    )
    assert weights.tolist() == [[[0.5, 0.0, 0.5]], [[0.0, 0.0, 0.0]]]


def test_masked_softmax_ignores_what_stands_on_padding() -> None:
    allowed = torch.tensor([[[True, True, False]]])
    reference = masked_softmax(torch.tensor([[[1.0, 2.0, 0.0]]]), allowed)
    for noise in (-1e30, 1e30, float("inf"), float("nan")):
        torch.testing.assert_close(masked_softmax(torch.tensor([[[1.0, 2.0, noise]]]), allowed), reference)
