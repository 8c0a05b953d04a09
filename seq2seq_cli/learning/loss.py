"""The loss: how surprised the model is by the true words.

B batch, S source length, T target length, N real target tokens of the batch.
"""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from seq2seq_cli.config.choices import ForcingUnit
from seq2seq_cli.corpus.batches import Batch
from seq2seq_cli.learning.forcing import decoder_inputs, draw_forced
from seq2seq_cli.learning.output_loss import output_loss
from seq2seq_cli.learning.reinforce import draw_loss
from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.text.vocabulary import PAD


@dataclass(frozen=True, kw_only=True)
class BatchLoss:
    """What a batch costs, summed over its target tokens: EOS counts, padding does not."""

    objective: Float[Tensor, ""]
    """What is minimised: with the smoothed truth, and with the draws of hard attention."""
    nll: Float[Tensor, ""]
    """Negative log-likelihood of the true words, in nats, without gradient."""
    tokens: int
    """How many target tokens there are."""


def batch_loss(
    model: Seq2Seq,
    batch: Batch,
    *,
    teacher_forcing: float,
    unit: ForcingUnit = "sentence",
    baseline: float | None = None,
    label_smoothing: float = 0.0,
) -> BatchLoss:
    """The loss of a batch, fed the true words with the chance `teacher_forcing`, else the model's own.

    `baseline` is what hard attention expects a word's log-likelihood to be; None: what this batch has on average.
    """
    memory, state = model.encode(batch.src, batch.src_lengths)
    forced = draw_forced(batch.tgt_in.shape, teacher_forcing, unit)
    inputs = decoder_inputs(model, batch.tgt_in, forced, state, memory)
    decoded = model.decoder(inputs, state, memory)
    real = batch.tgt_out != PAD
    # Padding is left out before the output layer, the largest product of the model, not after it.
    objective, nll = output_loss(
        decoded.features[real], model.output, batch.tgt_out[real], label_smoothing=label_smoothing
    )
    if decoded.probabilities is not None and memory.soft_rows is not None:
        objective = objective + draw_loss(
            decoded,
            nll.new_zeros(real.shape).masked_scatter(real, -nll),
            real=real,
            soft=memory.soft_rows,
            baseline=-nll.mean().item() if baseline is None else baseline,
            feeds_back=model.decoder.context_reaches_rnn,
        )
    return BatchLoss(objective=objective, nll=nll.sum(), tokens=len(nll))
