import pytest
import torch
from torch import Tensor

from seq2seq_cli.compute.device import computing
from seq2seq_cli.compute.ragged import Ragged
from seq2seq_cli.config.choices import Precision
from seq2seq_cli.config.schema.training import TrainingConfig
from seq2seq_cli.corpus.batches import Batch, collate
from seq2seq_cli.corpus.prepared import ParallelIds
from seq2seq_cli.learning.loss import batch_loss
from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.text.vocabulary import BOS, EOS
from tests.tiny import CPU, tiny_model

SOURCES = [[5, 6, EOS], [7, EOS], [8, 9, 10, 4, EOS]]
TARGETS = [[4, 5, 6], [7], [9, 9]]


def batch(rows: list[int]) -> Batch:
    return collate(ParallelIds(src=Ragged.of([src[:-1] for src in SOURCES]), tgt=Ragged.of(TARGETS)), rows)


def test_is_the_summed_negative_log_likelihood_of_the_reference_words_and_draws_nothing() -> None:
    model = tiny_model().eval()
    before = torch.get_rng_state()
    loss = batch_loss(model, batch([0, 1, 2]), teacher_forcing=1.0)
    assert torch.equal(torch.get_rng_state(), before)
    expected = 0.0
    for src, tgt in zip(SOURCES, TARGETS, strict=True):
        logits, _ = model(torch.tensor([src]), torch.tensor([len(src)]), torch.tensor([[BOS, *tgt]]))
        probabilities = logits[0].softmax(-1)
        expected -= sum(probabilities[t, word].log().item() for t, word in enumerate([*tgt, EOS]))
    assert loss.tokens == sum(len(tgt) + 1 for tgt in TARGETS)
    assert loss.nll.item() == pytest.approx(expected, abs=1e-4)
    assert loss.objective.item() == pytest.approx(expected, abs=1e-4)


def test_the_loss_of_a_batch_of_own_predictions_is_the_sum_over_its_sentences() -> None:
    model = tiny_model().double().eval()
    together = batch_loss(model, batch([0, 1, 2]), teacher_forcing=0.0)
    alone = sum(batch_loss(model, batch([i]), teacher_forcing=0.0).nll.item() for i in range(3))
    assert together.nll.item() == pytest.approx(alone, abs=1e-4)


@pytest.mark.parametrize("kind", ["luong", "bahdanau"])
def test_the_doubly_stochastic_penalty_is_that_of_the_paper(kind: str) -> None:
    model = tiny_model(f"model.decoder.kind={kind}").double().eval()
    plain, penalised = (
        batch_loss(model, batch([0, 1, 2]), teacher_forcing=1.0, training=TrainingConfig(doubly_stochastic=weight))
        for weight in (0.0, 0.7)
    )
    # Xu et al. 2015, eq. 14, one sentence at a time: no padding on either side.
    expected = 0.0
    for src, tgt in zip(SOURCES, TARGETS, strict=True):
        _, weights = model(torch.tensor([src]), torch.tensor([len(src)]), torch.tensor([[BOS, *tgt]]))
        expected += sum((1 - weights[0, :, word].sum().item()) ** 2 for word in range(len(src)))
    assert (penalised.objective - plain.objective).item() == pytest.approx(0.7 * expected, rel=1e-5)
    assert penalised.nll.item() == plain.nll.item()
    of_penalty = torch.autograd.grad(penalised.objective - plain.objective, model.encoder.embedding.weight)[0]
    assert of_penalty.isfinite().all()
    assert (of_penalty != 0).any()


def inputs_of(model: Seq2Seq, *, teacher_forcing: float) -> Tensor:
    """The words that the decoder is fed in `batch_loss`."""
    given: list[Tensor] = []
    hook = model.decoder.register_forward_pre_hook(lambda _, args: given.append(args[0]))
    batch_loss(model, batch([0, 1, 2]), teacher_forcing=teacher_forcing)
    hook.remove()
    return given[0]


# Dropout of a part of the network in the pass that predicts; in the tutorials it is that of the decoder.
@pytest.mark.parametrize(
    "key",
    [
        "model.encoder.dropout",
        "model.encoder.state_dropout",
        "model.decoder.dropout",
        "model.decoder.word_dropout",
        "model.decoder.readout_dropout",
    ],
)
def test_own_predictions_come_from_the_network_as_it_is_trained_with_its_dropout(key: str) -> None:
    off = [f"model.{side}.{name}=0" for side in ("encoder", "decoder") for name in ("dropout", "word_dropout")]
    model = tiny_model(*off, f"{key}=0.5")
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(5)
    predicted = {tuple(inputs_of(model.train(), teacher_forcing=0.0).flatten().tolist()) for _ in range(8)}
    assert len(predicted) > 1
    assert model.training
    evaluated = {tuple(inputs_of(model.eval(), teacher_forcing=0.0).flatten().tolist()) for _ in range(8)}
    assert len(evaluated) == 1
    reference = batch([0, 1, 2]).tgt_in
    assert torch.equal(inputs_of(model.train(), teacher_forcing=1.0), reference)


ATTENTIONAL = "model.decoder.readout=attentional"
KINDS = {
    "luong": ["model.decoder.kind=luong", ATTENTIONAL],
    "feeding": ["model.decoder.input_feeding=true", ATTENTIONAL],
    "rnnsearch": ["model.encoder.directions=joined", "model.bridge=linear", "model.decoder.readout=maxout"],
    "local": ["model.attention.score=additive", "model.attention.scope=local_p"],
    "hard": ["model.attention.scope=hard", "model.decoder.kind=bahdanau"],
    "hard_luong": ["model.attention.scope=hard", ATTENTIONAL],
    "hard_feeding": ["model.attention.scope=hard", "model.decoder.input_feeding=true", ATTENTIONAL],
    "cho": [
        *("model.encoder.cell=gru_cho", "model.decoder.cell=gru_cho", "model.encoder.directions=joined"),
        *("model.bridge=backward", "model.decoder.kind=bahdanau", "model.decoder.readout=maxout"),
    ],
    "plain": ["model.encoder.cell=rnn", "model.decoder.cell=rnn", "model.attention.score=location_word"],
}


@pytest.mark.parametrize("kind", KINDS)
def test_weights_that_have_become_nan_have_a_loss_of_nan(kind: str) -> None:
    model = tiny_model(*KINDS[kind])
    with torch.no_grad():
        model.encoder.embedding.weight.fill_(torch.nan)
    assert batch_loss(model, batch([0, 1, 2]), teacher_forcing=1.0).objective.isnan()


@pytest.mark.parametrize("precision", ["fp32", "bf16-mixed"])
@pytest.mark.parametrize("kind", KINDS)
def test_gradients_reach_every_parameter_with_predictions_as_inputs(kind: str, precision: Precision) -> None:
    model = tiny_model(*KINDS[kind])
    with computing(precision, CPU):
        loss = batch_loss(model, batch([0, 1, 2]), teacher_forcing=0.0).objective
        torch.autograd.backward(loss)
    assert loss.dtype == torch.float32
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name
        assert (parameter.grad != 0).any(), name
