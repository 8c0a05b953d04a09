import math

import pytest
import torch

from seq2seq_cli.learning.loss import decoder_inputs, draw_forced, forcing_factor
from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.text.vocabulary import BOS, PAD
from tests.tiny import tiny_model

SRC = torch.tensor([[5, 6, 3], [7, 8, 3], [9, 3, 0]])
LENGTHS = torch.tensor([3, 3, 2])
TGT_IN = torch.tensor([[BOS, 4, 5, 6], [BOS, 7, 8, 9], [BOS, 5, 5, 5]])


def greedy_inputs(model: Seq2Seq, row: int, forced: list[bool]) -> list[int]:
    """The inputs of one sentence by itself: BOS, then the reference word where forced, else the most probable word."""
    memory, state = model.encode(SRC[row : row + 1], LENGTHS[row : row + 1])
    inputs = [BOS]
    for t in range(1, TGT_IN.shape[1]):
        logits, state, _ = model.step(torch.tensor(inputs[-1:]), state, memory)
        logits[:, [PAD, BOS]] = -torch.inf
        inputs.append(int(TGT_IN[row, t]) if forced[t] else int(logits.argmax()))
    return inputs


@pytest.mark.parametrize(
    "forced",
    [
        [[True] * 4, [False] * 4, [False] * 4],
        [[False, True, False, True], [False, True, True, True], [True, False, True, False]],
        [[True] * 4] * 3,
    ],
)
def test_forced_words_are_of_the_reference_and_the_others_predicted(forced: list[list[bool]]) -> None:
    network = tiny_model().eval()
    with torch.no_grad():
        network.output.bias[[PAD, BOS]] = 100.0  # which are never predicted
    memory, state = network.encode(SRC, LENGTHS)
    inputs = decoder_inputs(network, TGT_IN, torch.tensor(forced), state, memory)
    assert inputs.tolist() == [greedy_inputs(network, row, forced[row]) for row in range(3)]


def test_drawn_once_per_sentence_or_per_word_with_the_given_probability() -> None:
    torch.manual_seed(0)
    by_sentence, by_word = draw_forced((10_000, 3), 0.3), draw_forced((5_000, 2), 0.3, per_word=True)
    assert (by_sentence == by_sentence[:, :1]).all()
    assert (by_word[:, 0] != by_word[:, 1]).any()
    # 10,000 draws at 0.3: the mean is within 4 standard deviations of it.
    for draws in (by_sentence[:, 0], by_word):
        assert abs(draws.float().mean().item() - 0.3) < 4 * (0.3 * 0.7 / 10_000) ** 0.5
    for per_word in (False, True):
        assert draw_forced((1000, 2), 1.0, per_word=per_word).all()
        assert not draw_forced((1000, 2), 0.0, per_word=per_word).any()


def test_the_factor_falls_by_the_inverse_sigmoid_of_the_paper_to_one_half_and_zero() -> None:
    factors = [forcing_factor(step, 100) for step in range(2000)]
    assert factors == sorted(factors, reverse=True)
    assert factors[100] == pytest.approx(0.5)
    assert forcing_factor(10**9, 100) == 0.0
    k = 1 / (1 / factors[0] - 1)  # k / (k + exp(0))
    assert k * math.log(k) == pytest.approx(100)
    assert factors[30] == pytest.approx(k / (k + math.exp(30 / k)))
