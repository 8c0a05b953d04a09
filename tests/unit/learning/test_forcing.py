import pytest
import torch

from seq2seq_cli.learning.forcing import decoder_inputs, draw_forced
from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.text.vocabulary import BOS, PAD
from tests.tiny import tiny_model

SRC = torch.tensor([[5, 6, 3], [7, 8, 3], [9, 3, 0]])
LENGTHS = torch.tensor([3, 3, 2])
TGT_IN = torch.tensor([[BOS, 4, 5, 6], [BOS, 7, 8, 9], [BOS, 5, 5, 5]])


def greedy_inputs(model: Seq2Seq, row: int) -> list[int]:
    """The inputs of one sentence by itself: BOS, then the most probable words."""
    memory, state = model.encode(SRC[row : row + 1], LENGTHS[row : row + 1])
    inputs = [BOS]
    for _ in range(1, TGT_IN.shape[1]):
        logits, state, _ = model.step(torch.tensor(inputs[-1:]), state, memory)
        logits[:, [PAD, BOS]] = -torch.inf
        inputs.append(int(logits.argmax()))
    return inputs


@pytest.mark.parametrize("forced", [[True, False, False], [False, True, False], [True] * 3])
def test_forced_sentences_get_the_reference_words_and_the_others_their_own_predictions(forced: list[bool]) -> None:
    network = tiny_model().eval()
    with torch.no_grad():
        network.output.bias[[PAD, BOS]] = 100.0  # which are never predicted
    memory, state = network.encode(SRC, LENGTHS)
    inputs = decoder_inputs(network, TGT_IN, torch.tensor(forced), state, memory)
    for row, is_forced in enumerate(forced):
        assert inputs[row].tolist() == (TGT_IN[row].tolist() if is_forced else greedy_inputs(network, row))


def test_drawn_once_per_sentence_with_the_given_probability() -> None:
    torch.manual_seed(0)
    draws = draw_forced(10_000, 0.3)
    # 10,000 draws at 0.3: the mean is within 4 standard deviations of it.
    assert abs(draws.float().mean().item() - 0.3) < 4 * (0.3 * 0.7 / 10_000) ** 0.5
    assert draw_forced(1000, 1.0).all()
    assert not draw_forced(1000, 0.0).any()
