"""The hoisted RNN against the plain one: outputs, and every gradient."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from seq2seq_cli.config.choices import Cell
from seq2seq_cli.config.schema.model import EncoderConfig
from seq2seq_cli.model.recurrent import RNN, make_rnn
from seq2seq_cli.model.state import RNNState
from seq2seq_cli.model.unroll import HoistedRNN, PlainRNN

B, T, D, H = 3, 5, 4, 6
FEEDBACK = {"with feedback": 2, "without feedback": 0}


def run(unroll: Callable[[RNN, Tensor, RNNState], PlainRNN | HoistedRNN], rnn: RNN, feedback: int) -> list[Tensor]:
    """The outputs of all steps, then the gradients of all inputs; the feedback is a function of the last h."""
    torch.manual_seed(1)
    words, hidden, cell = (
        torch.randn(size, dtype=torch.float64) for size in ((B, T, D), *[(rnn.num_layers, B, H)] * 2)
    )
    leaves = [words, hidden, *([cell] if rnn.mode == "LSTM" else [])]
    for leaf in leaves:
        leaf.requires_grad_()
    unrolled = unroll(rnn, words, RNNState(hidden=hidden, cell=cell if rnn.mode == "LSTM" else None))
    outputs = [hidden[-1]]
    for _ in range(T):
        outputs.append(unrolled.step(outputs[-1][:, :feedback].tanh()))
    summed = torch.stack([(output * (t + 1)).sin().sum() for t, output in enumerate(outputs)]).sum()
    return [*outputs[1:], *torch.autograd.grad(summed, [*leaves, *rnn.parameters()])]


@pytest.mark.parametrize("feedback", FEEDBACK.values(), ids=FEEDBACK)
@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_outputs_and_gradients_are_those_of_the_plain_rnn(cell: Cell, layers: int, feedback: int) -> None:
    torch.manual_seed(0)
    rnn = make_rnn(EncoderConfig(cell=cell, hidden_size=H, layers=layers), D + feedback).double()
    for hoisted, plain in zip(run(HoistedRNN, rnn, feedback), run(PlainRNN, rnn, feedback), strict=True):
        torch.testing.assert_close(hoisted, plain, rtol=0, atol=1e-12)


def test_dropout_is_between_the_layers_while_training() -> None:
    rnn = make_rnn(EncoderConfig(hidden_size=H, layers=2, dropout=0.5), D)
    words, state = torch.zeros(B, 1, D), RNNState(hidden=torch.ones(2, B, H), cell=torch.ones(2, B, H))
    torch.manual_seed(0)
    training = [HoistedRNN(rnn, words, state).step(torch.zeros(B, 0)) for _ in range(2)]
    assert not torch.equal(*training)
    rnn.eval()
    evaluated = [HoistedRNN(rnn, words, state).step(torch.zeros(B, 0)) for _ in range(2)]
    assert torch.equal(*evaluated)
