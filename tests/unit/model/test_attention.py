"""What the formulas in `numpy_reference` do not say: draws, refusals, empty windows, mask and softmax."""

import math

import pytest
import torch
from torch import Tensor, nn

from seq2seq_cli.errors import InputError
from seq2seq_cli.model.attention.attention import Attended, Attention, ContextProvider, HardAttention, masked_softmax
from seq2seq_cli.model.attention.scopes import GlobalScope, MonotonicScope, PredictiveScope
from seq2seq_cli.model.attention.scores import DotScore, GeneralScore, LinearScore, LocationWordScore, Sizes

QUERY = torch.tensor([[[1.0, 2.0]]])
MEMORY = torch.tensor([[[3.0, -1.0], [0.5, 0.5]]])
FIRST = torch.tensor([[1]])
SIZES = Sizes(query=2, memory=2, attention=1, max_length=3)


def attend(attention: ContextProvider, query: Tensor, states: Tensor, mask: Tensor | None = None) -> Attended:
    """One query of one sentence, for the first target word."""
    if mask is None:
        mask = torch.ones(states.shape[:2], dtype=torch.bool)
    attended: Attended = attention(query, attention.make_memory(states, states[:, -1], mask), FIRST)
    return attended


def test_linear_weights_are_the_same_for_every_query() -> None:
    attention = Attention(score=LinearScore(SIZES), scope=GlobalScope(), memory_size=2)
    weights = [attend(attention, query, MEMORY).weights for query in (QUERY, -5 * QUERY)]
    torch.testing.assert_close(*weights)


def test_a_source_longer_than_a_location_score_has_positions_for_is_refused() -> None:
    score = LocationWordScore(Sizes(query=4, memory=2, attention=1, max_length=3))
    with pytest.raises(InputError, match=r"4 tokens, .* takes at most 3 \(model\.attention\.max_length\)"):
        score.keys(torch.zeros(1, 4, 2))


def test_the_window_of_local_p_is_around_a_predicted_position_with_a_gaussian() -> None:
    scope = PredictiveScope(query_size=2, window=1)
    nn.init.zeros_(scope.W.weight)
    attention = Attention(score=DotScore(SIZES), scope=scope, memory_size=2)
    # sigmoid(0) = 1/2: the middle of four words is position 2, whatever the query and the target word.
    weights = attend(attention, QUERY, torch.zeros(1, 4, 2)).weights.flatten().tolist()
    # sigma = D / 2 = 1/2: exp(-1 / (2 / 4)) one position away. The softmax is over the window, the Gaussian after it.
    assert weights == pytest.approx([math.exp(-2) / 3, 1 / 3, math.exp(-2) / 3, 0.0])


def test_an_empty_window_gives_no_weight_and_a_finite_gradient() -> None:
    score = GeneralScore(SIZES)
    attention = Attention(score=score, scope=MonotonicScope(window=1), memory_size=2)
    memory = attention.make_memory(MEMORY, MEMORY[:, -1], torch.tensor([[True, True]]))
    attended = attention(QUERY, memory, torch.tensor([[9]]))
    assert attended.weights.flatten().tolist() == [0.0, 0.0]
    assert attended.context.flatten().tolist() == [0.0, 0.0]
    attended.context.sum().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in attention.parameters())


def test_hard_attention_takes_the_most_probable_state_in_evaluation() -> None:
    attention = HardAttention(score=DotScore(SIZES), scope=GlobalScope(), memory_size=2).eval()
    attended = attend(attention, QUERY, MEMORY)
    assert attended.weights.flatten().tolist() == [0.0, 1.0]  # the dot scores are 1 and 1.5
    assert attended.context.flatten().tolist() == MEMORY[0, 1].tolist()
    assert attended.probabilities is None


def test_hard_attention_draws_from_its_weights_in_training_and_half_of_the_sentences_are_soft() -> None:
    torch.manual_seed(0)
    attention = HardAttention(score=DotScore(SIZES), scope=GlobalScope(), memory_size=2).train()
    draws = 4000
    states = torch.tensor([[0.0, 0.0], [math.log(3.0), 0.0], [9.0, 9.0]]).expand(draws, -1, -1)
    memory = attention.make_memory(states, states[:, -1], torch.tensor([[True, True, False]]).expand(draws, -1))
    query = torch.tensor([[[1.0, 7.0]]]).expand(draws, -1, -1)
    attended = attention(query, memory, torch.ones(draws, 1, dtype=torch.long))
    assert memory.soft_rows is not None
    assert attended.probabilities is not None
    expected = torch.tensor([0.25, 0.75, 0.0])
    torch.testing.assert_close(attended.probabilities, expected.expand(draws, 1, 3))
    torch.testing.assert_close(attended.weights[memory.soft_rows], attended.probabilities[memory.soft_rows])
    drawn = attended.weights[~memory.soft_rows]
    assert set(drawn.flatten().tolist()) == {0.0, 1.0}
    assert (drawn.sum(-1) == 1).all()
    # Both fractions are within 4 standard deviations of what they should be.
    assert abs(len(drawn) / draws - 0.5) < 4 * 0.5 / draws**0.5
    assert abs(drawn[:, 0, 0].mean().item() - 0.25) < 4 * (0.25 * 0.75 / len(drawn)) ** 0.5
    assert (drawn[..., 2] == 0).all()


def test_masked_softmax_is_zero_outside_and_never_nan() -> None:
    weights = masked_softmax(
        torch.tensor([[[0.0, 1e30, 0.0]], [[5.0, 5.0, 5.0]]]),
        torch.tensor([[[True, False, True]], [[False, False, False]]]),
    )
    assert weights.tolist() == [[[0.5, 0.0, 0.5]], [[0.0, 0.0, 0.0]]]


def test_masked_softmax_ignores_the_scores_of_padding() -> None:
    allowed = torch.tensor([[[True, True, False]]])
    reference = masked_softmax(torch.tensor([[[1.0, 2.0, 0.0]]]), allowed)
    for noise in (-1e30, 1e30, float("inf"), float("nan")):
        torch.testing.assert_close(masked_softmax(torch.tensor([[[1.0, 2.0, noise]]]), allowed), reference)
