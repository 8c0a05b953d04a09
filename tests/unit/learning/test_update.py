"""One update: whose gradient it is, and what happens when it cannot be had."""

import math

import pytest
import torch

from seq2seq_cli.corpus.batches import collate
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.errors import TrainingError
from seq2seq_cli.learning.loss import PLAIN, batch_loss
from seq2seq_cli.learning.update import Updater
from seq2seq_cli.text.vocabulary import PAD
from tests.tiny import EXACT, fresh_tiny, tiny_config


@pytest.mark.parametrize("unit", ["token", "sentence"])
@pytest.mark.parametrize(
    "option", ["clip_norm=1e-3", "clip_norm=1e9", "clip_norm=null", "label_smoothing=0.3", "doubly_stochastic=1.0"]
)
def test_an_update_follows_the_clipped_gradient_of_the_mean_loss_that_the_config_asks_for(
    corpus: PreparedCorpus, option: str, unit: str
) -> None:
    settings = (f"training.{option}", f"training.loss_unit={unit}", "training.lr=1e-30")
    config = tiny_config(corpus, *EXACT, *settings)
    state, batch = fresh_tiny(corpus, config), collate(corpus.split("train"), range(16))
    updated = Updater(state, config.training).update(batch, fraction_done=0.0)
    weights, count = list(state.model.parameters()), batch.tokens if unit == "token" else 16
    losses = [batch_loss(state.model, batch, teacher_forcing=1.0, training=each) for each in (config.training, PLAIN)]
    gradients, of_plain = (torch.autograd.grad(loss.objective / count, weights) for loss in losses)
    norm = torch.cat([gradient.flatten() for gradient in gradients]).norm().item()
    assert updated.gradient_norm == pytest.approx(norm, rel=1e-5)
    clip_norm = config.training.clip_norm or math.inf
    for weight, gradient in zip(weights, gradients, strict=True):
        torch.testing.assert_close(weight.grad, gradient * min(1, clip_norm / norm), rtol=1e-4, atol=1e-6 * norm)
    # The loss that is reported is that of the reference words, per token, in any case.
    assert updated.loss == pytest.approx(losses[1].nll.item() / batch.tokens, rel=1e-6)
    assert all(map(torch.allclose, gradients, of_plain)) == option.startswith("clip_norm")


def test_a_gradient_that_is_not_finite_is_skipped_and_three_in_a_row_end_it(corpus: PreparedCorpus) -> None:
    config = tiny_config(corpus)
    state = fresh_tiny(corpus, config)
    batch = collate(corpus.split("train"), range(8))
    with torch.no_grad():
        state.model.output.bias[5] = float("inf")
    before = {name: weight.clone() for name, weight in state.model.state_dict().items()}
    for count in (1, 2):
        assert Updater(state, config.training).update(batch, fraction_done=0.0).skipped
        assert (state.progress.skipped, state.progress.skipped_in_row) == (count, count)
    with torch.no_grad():
        state.model.output.bias[5] = 0.0
    assert not Updater(state, config.training).update(batch, fraction_done=0.0).skipped
    assert (state.progress.skipped, state.progress.skipped_in_row) == (2, 0)
    state.model.load_state_dict(before)
    for _ in range(2):
        Updater(state, config.training).update(batch, fraction_done=0.0)
    with pytest.raises(TrainingError, match=r"3 steps in a row: lower training\.lr or training\.clip_norm$"):
        Updater(state, config.training).update(batch, fraction_done=0.0)
    state.progress.skipped_in_row = 2
    without = tiny_config(corpus, "training.clip_norm=null").training
    with pytest.raises(TrainingError, match=r": lower training\.lr, or set training\.clip_norm$"):
        Updater(state, without).update(batch, fraction_done=0.0)
    for name, weight in state.model.state_dict().items():
        torch.testing.assert_close(weight, before[name], msg=name, rtol=0, atol=0)


def test_sampled_words_and_those_of_the_batch_alone_have_a_gradient(corpus: PreparedCorpus) -> None:
    config = tiny_config(corpus, *EXACT, "training.sampled_words=3", "training.label_smoothing=0.1")
    state, batch = fresh_tiny(corpus, config), collate(corpus.split("train"), range(2))
    Updater(state, config.training).update(batch, fraction_done=0.0)
    gradient = state.model.output.weight.grad
    assert gradient is not None
    of_batch = set(batch.tgt_out[batch.tgt_out != PAD].tolist())
    assert len(of_batch) + 3 < len(gradient)
    with_gradient = set(gradient.abs().sum(1).nonzero().squeeze(1).tolist())
    assert of_batch < with_gradient
    assert len(with_gradient - of_batch) == 3
