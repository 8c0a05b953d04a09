"""Scores and scopes by hand, and the promises of mask and softmax."""

import math

import pytest
import torch
from torch import Tensor, nn

from seq2seq_cli.errors import InputError
from seq2seq_cli.model.attention.attention import Attended, Attention, ContextProvider, HardAttention, masked_softmax
from seq2seq_cli.model.attention.no_attention import FixedContext, NoAttention
from seq2seq_cli.model.attention.scopes import GlobalScope, MonotonicScope, PredictiveScope
from seq2seq_cli.model.attention.scores import (
    AdditiveScore,
    ConcatScore,
    DotScore,
    GeneralScore,
    JoinedConcatScore,
    LinearScore,
    LocationScore,
    LocationWordScore,
    ScaledDotScore,
    Score,
    Sizes,
    StateFreeScore,
)

QUERY = torch.tensor([[[1.0, 2.0]]])
MEMORY = torch.tensor([[[3.0, -1.0], [0.5, 0.5]]])
FIRST = torch.tensor([[1]])
SIZES = Sizes(query=2, memory=2, attention=1, max_length=3)


def set_weight(layer: nn.Linear, rows: list[list[float]]) -> None:
    layer.weight.data = torch.tensor(rows)


def scores(score: Score) -> list[float]:
    return [float(number) for number in score(QUERY, score.keys(MEMORY)).detach().flatten()]


def attend(attention: ContextProvider, query: Tensor, states: Tensor, mask: Tensor | None = None) -> Attended:
    """One query of one sentence, for the first target word."""
    if mask is None:
        mask = torch.ones(states.shape[:2], dtype=torch.bool)
    attended: Attended = attention(query, attention.make_memory(states, states[:, -1], mask), FIRST)
    return attended


def softmax(*scores: float) -> list[float]:
    total = sum(map(math.exp, scores))
    return [math.exp(score) / total for score in scores]


@pytest.mark.parametrize(
    ("kind", "weights", "expected"),
    [
        (DotScore, {}, [1 * 3 - 2 * 1, 1 * 0.5 + 2 * 0.5]),
        (ScaledDotScore, {}, [1 / math.sqrt(2), 1.5 / math.sqrt(2)]),
        # W (3, -1) = (1, 1); W (0.5, 0.5) = (1.5, -0.5)
        (GeneralScore, {"W": [[1.0, 2.0], [0.0, -1.0]]}, [1 * 1 + 2 * 1, 1 * 1.5 - 2 * 0.5]),
        # W q = 0.5; U h = 0.5 and 0.35
        (
            AdditiveScore,
            {"W": [[0.1, 0.2]], "U": [[0.3, 0.4]], "v": [[2.0]]},
            [2 * math.tanh(1.0), 2 * math.tanh(0.85)],
        ),
        # q + h = (4, 1) and (1.5, 2.5)
        (ConcatScore, {"W": [[0.1, 0.2]], "v": [[-1.0]]}, [-math.tanh(0.6), -math.tanh(0.65)]),
        # W (1, 2, 3, -1) = 1 and W (1, 2, 0.5, 0.5) = 0.85, as for the additive score
        (JoinedConcatScore, {"W": [[0.1, 0.2, 0.3, 0.4]], "v": [[2.0]]}, [2 * math.tanh(1.0), 2 * math.tanh(0.85)]),
        (LocationScore, {"W": [[0.1, 0.2], [1.0, -1.0], [5.0, 5.0]]}, [0.5, -1.0]),
        (StateFreeScore, {"U": [[0.3, 0.4]], "v": [[2.0]]}, [2 * math.tanh(0.5), 2 * math.tanh(0.35)]),
    ],
)
def test_a_score_by_hand(kind: type[Score], weights: dict[str, list[list[float]]], expected: list[float]) -> None:
    score = kind(SIZES)
    for name, rows in weights.items():
        set_weight(getattr(score, name), rows)
    assert scores(score) == pytest.approx(expected)


def test_linear_by_hand_with_the_same_weights_for_every_query() -> None:
    score = LinearScore(SIZES)
    set_weight(score.w, [[0.1, 0.2, 0.3, 0.4]])
    score.w.bias.data = torch.tensor([7.0])
    assert scores(score) == pytest.approx([0.5 + 0.5 + 7, 0.5 + 0.35 + 7])
    attention = Attention(score=score, scope=GlobalScope(), memory_size=2)
    for query in (QUERY, -5 * QUERY):
        assert attend(attention, query, MEMORY).weights.flatten().tolist() == pytest.approx(softmax(0.5, 0.35))


def test_location_with_the_word_by_hand() -> None:
    """y = (3, -1), q = (1, 2): the query is [y; q]."""
    score = LocationWordScore(Sizes(query=4, memory=2, attention=1, max_length=3))
    set_weight(score.W, [[0.3, 0.4, 0.1, 0.2], [0.0, 1.0, 1.0, 0.0], [5.0, 5.0, 5.0, 5.0]])
    score.W.bias.data = torch.tensor([0.25, 0.0, 7.0])
    query = torch.tensor([[[3.0, -1.0, 1.0, 2.0]]])
    assert score(query, score.keys(MEMORY)).flatten().tolist() == pytest.approx([0.5 + 0.5 + 0.25, -1 + 1])
    with pytest.raises(InputError, match=r"4 tokens, .* takes at most 3 \(model\.attention\.max_length\)"):
        score.keys(torch.zeros(1, 4, 2))


def test_context_is_the_weighted_sum_of_the_memory() -> None:
    # Dot scores of the query with these states: log 1 and log 3, so the weights are 1/4 and 3/4.
    states = torch.tensor([[[0.0, 0.0], [math.log(3.0), 0.0]]])
    attention = Attention(score=DotScore(SIZES), scope=GlobalScope(), memory_size=2)
    attended = attend(attention, torch.tensor([[[1.0, 7.0]]]), states)
    assert attended.weights.flatten().tolist() == pytest.approx([0.25, 0.75])
    assert attended.context.flatten().tolist() == pytest.approx([0.75 * math.log(3.0), 0.0])


def allowed_positions(scope: MonotonicScope | PredictiveScope, query: Tensor, position: int, length: int) -> list[bool]:
    mask = torch.tensor([[True] * length + [False] * 2])
    return [bool(allowed) for allowed in scope(query, mask, torch.tensor([[position]])).allowed.flatten()]


def test_the_window_of_local_m_is_around_the_words_own_position() -> None:
    scope = MonotonicScope(window=1)
    assert allowed_positions(scope, QUERY, 1, 4) == [True, True, False, False, False, False]
    assert allowed_positions(scope, QUERY, 4, 4) == [False, False, True, True, False, False]
    assert allowed_positions(scope, QUERY, 6, 4) == [False] * 6


def test_the_window_of_local_p_is_around_a_predicted_position_with_a_gaussian() -> None:
    scope = PredictiveScope(query_size=2, window=1)
    set_weight(scope.W, [[0.0, 0.0], [0.0, 0.0]])
    # sigmoid(0) = 1/2: the middle of four words is position 2, whatever the query and the target word.
    mask = torch.tensor([[True] * 4])
    allowed, factor = scope(QUERY, mask, torch.tensor([[9]]))
    assert allowed.flatten().tolist() == [True, True, True, False]
    assert factor is not None
    # sigma = D / 2 = 1/2: exp(-1 / (2 / 4)) one position away
    assert factor.flatten().tolist()[:3] == pytest.approx([math.exp(-2), 1.0, math.exp(-2)])
    attention = Attention(score=DotScore(SIZES), scope=scope, memory_size=2)
    weights = attend(attention, QUERY, torch.zeros(1, 4, 2)).weights.flatten().tolist()
    # The softmax is over the window, the Gaussian comes after it.
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


def test_without_attention_the_weights_are_zero() -> None:
    nothing = attend(NoAttention(), QUERY, MEMORY)
    assert (nothing.context.shape, nothing.weights.flatten().tolist()) == ((1, 1, 0), [0.0, 0.0])
    fixed = FixedContext(memory_size=2)
    set_weight(fixed.V, [[1.0, 2.0], [0.0, 1.0]])
    same = attend(fixed, QUERY, MEMORY)
    # tanh(V h) of the last state (0.5, 0.5)
    assert same.context.flatten().tolist() == pytest.approx([math.tanh(1.5), math.tanh(0.5)])
    assert same.weights.flatten().tolist() == [0.0, 0.0]


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
