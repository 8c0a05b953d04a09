"""The gradient of the draws of hard attention."""

import itertools
import math

import pytest
import torch
from torch import Tensor

from seq2seq_cli.learning.loss import ENTROPY_WEIGHT, next_baseline, reinforce_loss
from seq2seq_cli.model.attention.attention import Attended

PROBABILITIES = [0.2, 0.5, 0.3]


def gradient(
    weights: list[list[float]],
    log_probabilities: list[float],
    real: list[bool],
    *,
    context_reaches_rnn: bool = False,
    soft: bool = False,
) -> Tensor:
    """The gradient of the draws of one sentence with respect to their distributions, all of them `PROBABILITIES`."""
    probabilities = torch.tensor([[PROBABILITIES] * len(weights)], requires_grad=True)
    attended = Attended(
        context=torch.zeros(1, len(weights), 1), weights=torch.tensor([weights]), probabilities=probabilities
    )
    loss = reinforce_loss(
        attended,
        torch.tensor([log_probabilities]),
        real=torch.tensor([real]),
        soft_rows=torch.tensor([soft]),
        baseline=-1.5,
        context_reaches_rnn=context_reaches_rnn,
    )
    assert loss.item() == 0
    [gradient] = torch.autograd.grad(loss, probabilities)
    return gradient[0]


def of_entropy(probability: float) -> float:
    """The derivative of -λ H, where H = -sum a log a."""
    return ENTROPY_WEIGHT * (math.log(probability) + 1)


def test_a_word_better_than_expected_makes_its_draw_more_probable() -> None:
    first, second = gradient([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], [-0.5, -4.0], [True, True]).tolist()
    # -(log p - b) / a at what was drawn: b is -1.5.
    assert first == pytest.approx([of_entropy(0.2), -(-0.5 + 1.5) / 0.5 + of_entropy(0.5), of_entropy(0.3)])
    assert second == pytest.approx([-(-4.0 + 1.5) / 0.2 + of_entropy(0.2), of_entropy(0.5), of_entropy(0.3)])


def test_with_a_context_in_the_rnn_the_reward_is_the_sum_of_all_words_from_the_draw_on() -> None:
    # The last place is padding.
    weights = [[0.0, 1.0, 0.0]] * 3
    rows = gradient(weights, [-0.5, -4.0, 0.0], [True, True, False], context_reaches_rnn=True).tolist()
    assert rows[0][1] == pytest.approx(-(-0.5 - 4.0 + 2 * 1.5) / 0.5 + of_entropy(0.5))
    assert rows[1][1] == pytest.approx(-(-4.0 + 1.5) / 0.5 + of_entropy(0.5))
    assert rows[2] == [0.0, 0.0, 0.0]


def test_a_soft_sentence_has_no_draws() -> None:
    assert not gradient([PROBABILITIES], [-0.5], [True], soft=True).any()


def test_on_average_over_the_draws_of_two_words_it_is_the_gradient_of_their_expected_log_likelihood() -> None:
    first = torch.tensor([-0.5, -4.0, -1.0])
    second = torch.tensor([[-1.0, -2.0, -0.3], [-0.1, -3.0, -2.0], [-5.0, -0.7, -1.2]])  # depends on both draws
    a = torch.tensor([PROBABILITIES] * 2, requires_grad=True)
    expected = (a[0] * first).sum() + torch.einsum("i,j,ij->", a[0], a[1], second)
    [wanted] = torch.autograd.grad(-expected, a)

    found = torch.zeros(2, 3)
    for i, j in itertools.product(range(3), repeat=2):
        one_hot = [[float(place == drawn) for place in range(3)] for drawn in (i, j)]
        rewards = [first[i].item(), second[i, j].item()]
        drawn = gradient(one_hot, rewards, [True, True], context_reaches_rnn=True)
        found += PROBABILITIES[i] * PROBABILITIES[j] * (drawn - torch.tensor([of_entropy(p) for p in PROBABILITIES]))
    # The baseline adds the same to all three, which a softmax does not see.
    assert (found - found[:, :1]).tolist() == [
        pytest.approx(row, abs=1e-5) for row in (wanted - wanted[:, :1]).tolist()
    ]


def test_the_baseline_is_a_moving_average() -> None:
    first = next_baseline(None, -8.0)
    assert first == -8.0
    assert next_baseline(first, -3.0) == pytest.approx(0.9 * -8 + 0.1 * -3)
