"""The quick way through a sentence against the plain one: outputs, and every gradient."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from seq2seq_cli.config.choices import Cell
from seq2seq_cli.model.recurrent import RNN, make_rnn
from seq2seq_cli.model.state import RNNState
from seq2seq_cli.model.unroll import HoistedRNN, PlainRNN, UnrolledRNN

B, T, D, H = 3, 5, 4, 6
JOINED = {"something beside the words": 2, "nothing beside them": 0}


def an_rnn(cell: Cell, layers: int, joined: int) -> RNN:
    torch.manual_seed(0)
    return make_rnn(cell, D + joined, H, layers=layers, dropout=0.0).double()


def walk(way: Callable[[RNN, Tensor, RNNState], UnrolledRNN], rnn: RNN, joined: int) -> list[Tensor]:
    """The outputs of each step, then the gradients of all that goes in: what goes with a word hangs on the last h."""
    torch.manual_seed(1)
    words, hidden, cell = (
        torch.randn(size, dtype=torch.float64) for size in ((B, T, D), *[(rnn.num_layers, B, H)] * 2)
    )
    leaves = [words, hidden, *([cell] if rnn.mode == "LSTM" else [])]
    for leaf in leaves:
        leaf.requires_grad_()
    steps = way(rnn, words, RNNState(hidden=hidden, cell=cell if rnn.mode == "LSTM" else None))
    outputs = [hidden[-1]]
    for _ in range(T):
        outputs.append(steps.step(outputs[-1][:, :joined].tanh()))
    summed = torch.stack([(output * (t + 1)).sin().sum() for t, output in enumerate(outputs)]).sum()
    return [*outputs[1:], *torch.autograd.grad(summed, [*leaves, *rnn.parameters()])]


@pytest.mark.parametrize("joined", JOINED.values(), ids=JOINED)
@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_outputs_and_gradients_are_those_of_one_step_after_the_other(cell: Cell, layers: int, joined: int) -> None:
    rnn = an_rnn(cell, layers, joined)
    for quick, plain in zip(walk(HoistedRNN, rnn, joined), walk(PlainRNN, rnn, joined), strict=True):
        torch.testing.assert_close(quick, plain, rtol=0, atol=1e-12)


def test_dropout_is_between_the_layers_while_training() -> None:
    rnn = make_rnn("lstm", D, H, layers=2, dropout=0.5)
    words, state = torch.zeros(B, 1, D), RNNState(hidden=torch.ones(2, B, H), cell=torch.ones(2, B, H))
    torch.manual_seed(0)
    training = [HoistedRNN(rnn, words, state).step(torch.zeros(B, 0)) for _ in range(2)]
    assert not torch.equal(*training)
    rnn.eval()
    quiet = [HoistedRNN(rnn, words, state).step(torch.zeros(B, 0)) for _ in range(2)]
    assert torch.equal(*quiet)
