import pytest
import torch
from torch.nn.utils.rnn import pad_sequence

from seq2seq_cli.compute.precision import computing
from seq2seq_cli.config.choices import Precision
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.corpus.batches import Batch
from seq2seq_cli.learning.loss import batch_loss
from seq2seq_cli.model.build import build_model
from seq2seq_cli.text.vocabulary import BOS, EOS, PAD
from tests.tiny import CPU, TINY

SOURCES = [[5, 6, EOS], [7, EOS], [8, 9, 10, 4, EOS]]
TARGETS = [[4, 5, 6], [7], [9, 9]]


def padded(rows: list[list[int]]) -> torch.Tensor:
    return pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=PAD)


def batch(rows: list[int]) -> Batch:
    return Batch(
        src=padded([SOURCES[i] for i in rows]),
        src_lengths=torch.tensor([len(SOURCES[i]) for i in rows]),
        tgt_in=padded([[BOS, *TARGETS[i]] for i in rows]),
        tgt_out=padded([[*TARGETS[i], EOS] for i in rows]),
        tgt_lengths=torch.tensor([len(TARGETS[i]) + 1 for i in rows]),
    )


def test_is_the_summed_negative_log_likelihood_of_the_reference_words() -> None:
    torch.manual_seed(0)
    model = build_model(load_config(None, TINY).model, src_size=12, tgt_size=12).eval()
    loss = batch_loss(model, batch([0, 1, 2]), teacher_forcing=1.0)
    expected = 0.0
    for src, tgt in zip(SOURCES, TARGETS, strict=True):
        logits, _ = model(torch.tensor([src]), torch.tensor([len(src)]), torch.tensor([[BOS, *tgt]]))
        probabilities = logits[0].softmax(-1)
        expected -= sum(probabilities[t, word].log().item() for t, word in enumerate([*tgt, EOS]))
    assert loss.tokens == sum(len(tgt) + 1 for tgt in TARGETS)
    assert loss.nll.item() == pytest.approx(expected, abs=1e-4)
    assert loss.objective.item() == pytest.approx(expected, abs=1e-4)


def test_the_loss_of_a_batch_is_the_sum_over_its_sentences() -> None:
    torch.manual_seed(0)
    model = build_model(load_config(None, TINY).model, src_size=12, tgt_size=12).double().eval()
    for teacher_forcing in (0.0, 1.0):
        together = batch_loss(model, batch([0, 1, 2]), teacher_forcing=teacher_forcing)
        alone = sum(batch_loss(model, batch([i]), teacher_forcing=teacher_forcing).nll.item() for i in range(3))
        assert together.nll.item() == pytest.approx(alone, abs=1e-4)


ATTENTIONAL = "model.decoder.readout=attentional"
KINDS = {
    "bahdanau": ["model.decoder.kind=bahdanau", ATTENTIONAL],
    "luong": ["model.decoder.kind=luong", ATTENTIONAL],
    "feeding": ["model.decoder.input_feeding=true", ATTENTIONAL],
    "gru": ["model.encoder.cell=gru", "model.decoder.cell=gru", "model.decoder.kind=bahdanau", ATTENTIONAL],
    "rnnsearch": ["model.encoder.directions=joined", "model.bridge=linear", "model.decoder.readout=maxout"],
    "heads": ["model.attention.score=additive", "model.attention.heads=3", "model.attention.scope=local_p"],
    "hard": ["model.attention.scope=hard", "model.decoder.kind=bahdanau"],
}


@pytest.mark.parametrize("precision", ["fp32", "bf16", "bf16-mixed"])
@pytest.mark.parametrize("kind", KINDS)
def test_gradients_reach_every_parameter_with_predictions_as_inputs(kind: str, precision: Precision) -> None:
    torch.manual_seed(0)
    model = build_model(load_config(None, [*TINY, *KINDS[kind]]).model, src_size=12, tgt_size=12)
    with computing(precision, CPU):
        loss = batch_loss(model, batch([0, 1, 2]), teacher_forcing=0.0).objective
        torch.autograd.backward(loss)
    assert loss.dtype == torch.float32
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name
        assert (parameter.grad != 0).any(), name
