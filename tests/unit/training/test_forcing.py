import torch

from seq2seq_cli.config.loader import load_config
from seq2seq_cli.model.build import build_model
from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.text.vocabulary import BOS
from seq2seq_cli.training.forcing import decoder_inputs, draw_forced
from tests.unit.training.conftest import TINY

SRC = torch.tensor([[5, 6, 3], [7, 8, 3], [9, 3, 0]])
LENGTHS = torch.tensor([3, 3, 2])
TGT_IN = torch.tensor([[BOS, 4, 5, 6], [BOS, 7, 8, 9], [BOS, 5, 5, 5]])


def model() -> Seq2Seq:
    torch.manual_seed(1)
    return build_model(load_config(None, TINY).model, src_size=12, tgt_size=12)


def greedy_inputs(model: Seq2Seq, row: int) -> list[int]:
    """BOS and the most likely word after each input, one sentence alone."""
    memory, state = model.encode(SRC[row : row + 1], LENGTHS[row : row + 1])
    inputs = [BOS]
    for _ in range(TGT_IN.shape[1] - 1):
        logits, state, _ = model.step(torch.tensor(inputs[-1:]), state, memory)
        inputs.append(int(logits.argmax()))
    return inputs


def test_forced_sentences_get_the_true_words_and_free_ones_their_own_predictions() -> None:
    network = model().eval()
    memory, state = network.encode(SRC, LENGTHS)
    inputs = decoder_inputs(network, TGT_IN, torch.tensor([True, False, False]), state, memory)
    assert inputs[0].tolist() == TGT_IN[0].tolist()
    assert inputs[1].tolist() == greedy_inputs(network, 1)
    assert inputs[2].tolist() == greedy_inputs(network, 2)


def test_own_predictions_are_made_without_dropout_and_leave_the_model_in_training() -> None:
    network = model().train()
    memory, state = network.encode(SRC, LENGTHS)
    free = torch.tensor([False, False, False])
    first, second = (decoder_inputs(network, TGT_IN, free, state, memory) for _ in range(2))
    assert torch.equal(first, second)
    assert network.training


def test_all_forced_is_the_true_words() -> None:
    network = model()
    memory, state = network.encode(SRC, LENGTHS)
    assert torch.equal(decoder_inputs(network, TGT_IN, torch.tensor([True] * 3), state, memory), TGT_IN)


def test_drawn_once_a_sentence_with_the_given_probability() -> None:
    torch.manual_seed(0)
    assert draw_forced(1000, 1.0).all()
    assert not draw_forced(1000, 0.0).any()
    # 10,000 draws at 0.3: the mean is within 4 standard deviations of it.
    assert abs(draw_forced(10_000, 0.3).float().mean().item() - 0.3) < 4 * (0.3 * 0.7 / 10_000) ** 0.5
