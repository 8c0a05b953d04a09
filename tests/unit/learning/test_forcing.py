import pytest
import torch

from seq2seq_cli.config.schema.training import TrainingConfig
from seq2seq_cli.learning.forcing import decoder_inputs, draw_forced, forcing_probability, inverse_sigmoid_k
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
def test_forced_words_are_of_the_reference_and_the_others_predicted_from_the_inputs_before(
    forced: list[list[bool]],
) -> None:
    network = tiny_model().eval()
    with torch.no_grad():
        network.output.bias[[PAD, BOS]] = 100.0  # which are never predicted
    memory, state = network.encode(SRC, LENGTHS)
    inputs = decoder_inputs(network, TGT_IN, torch.tensor(forced), state, memory)
    assert inputs.tolist() == [greedy_inputs(network, row, forced[row]) for row in range(3)]
    for row, of_row in enumerate(forced):
        assert not all(of_row[1:]) or inputs[row].tolist() == TGT_IN[row].tolist()


def test_drawn_once_per_sentence_or_per_token_with_the_given_probability() -> None:
    torch.manual_seed(0)
    by_sentence = draw_forced((10_000, 3), 0.3, "sentence")
    assert (by_sentence == by_sentence[:, :1]).all()
    by_token = draw_forced((5_000, 2), 0.3, "token")
    assert (by_token[:, 0] != by_token[:, 1]).any()
    # 10,000 draws at 0.3: the mean is within 4 standard deviations of it.
    for draws in (by_sentence[:, 0], by_token):
        assert abs(draws.float().mean().item() - 0.3) < 4 * (0.3 * 0.7 / 10_000) ** 0.5
    for unit in ("sentence", "token"):
        assert draw_forced((1000, 2), 1.0, unit).all()
        assert not draw_forced((1000, 2), 0.0, unit).any()


def decaying(decay: str, **values: object) -> TrainingConfig:
    return TrainingConfig.model_validate(
        {"teacher_forcing": 1.0, "teacher_forcing_decay": decay, "teacher_forcing_half": 100, **values}
    )


@pytest.mark.parametrize("decay", ["linear", "exponential", "inverse_sigmoid"])
def test_a_decay_starts_at_the_first_probability_halves_and_ends_at_the_least(decay: str) -> None:
    training = decaying(decay, teacher_forcing=0.8, teacher_forcing_min=0.1)
    probabilities = [forcing_probability(training, step) for step in range(2000)]
    assert probabilities[0] == pytest.approx(0.8, rel=0.05)
    assert probabilities[100] == pytest.approx(0.4)
    assert probabilities[-1] == 0.1
    assert probabilities == sorted(probabilities, reverse=True)


def test_the_decays_are_those_of_the_paper() -> None:
    assert forcing_probability(decaying("linear"), 30) == pytest.approx(1 - 0.005 * 30)
    assert forcing_probability(decaying("exponential"), 30) == pytest.approx((0.5**0.01) ** 30)
    k = inverse_sigmoid_k(100)
    assert k * torch.tensor(k).log().item() == pytest.approx(100)
    expected = k / (k + torch.tensor(30 / k).exp().item())
    assert forcing_probability(decaying("inverse_sigmoid"), 30) == pytest.approx(expected)
    assert forcing_probability(decaying("inverse_sigmoid"), 10**9) == 0.0


def test_without_a_decay_it_stays_as_it_is() -> None:
    training = decaying("constant", teacher_forcing=0.5, teacher_forcing_min=0.7)
    assert [forcing_probability(training, step) for step in (0, 10**6)] == [0.5, 0.5]
