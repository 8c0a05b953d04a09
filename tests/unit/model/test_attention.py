"""What the formulas in `numpy_reference` do not say: draws."""

import math

import torch

from seq2seq_cli.model.attention.attention import HardAttention
from seq2seq_cli.model.attention.scopes import GlobalScope
from seq2seq_cli.model.attention.scores import DotScore, Sizes

QUERY = torch.tensor([[[1.0, 2.0]]])
MEMORY = torch.tensor([[[3.0, -1.0], [0.5, 0.5]]])
SIZES = Sizes(query=2, memory=2, attention=1, max_length=3)


def test_hard_attention_takes_the_most_probable_state_in_evaluation() -> None:
    attention = HardAttention(score=DotScore(SIZES), scope=GlobalScope(), memory_size=2).eval()
    memory = attention.make_memory(MEMORY, MEMORY[:, -1], torch.tensor([[True, True]]))
    attended = attention(QUERY, memory, torch.tensor([[1]]))
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
