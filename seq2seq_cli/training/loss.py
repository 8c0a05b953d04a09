"""The loss: how surprised the model is by the true words.

B batch, S source length, T target length, N real target tokens of the batch.
"""

import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from seq2seq_cli.corpus.batches import Batch
from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.text.vocabulary import PAD
from seq2seq_cli.training.forcing import ForcingUnit, decoder_inputs, draw_forced
from seq2seq_cli.training.reinforce import draw_loss


def batch_loss(
    model: Seq2Seq,
    batch: Batch,
    *,
    teacher_forcing: float,
    unit: ForcingUnit = "sentence",
    baseline: float | None = None,
) -> tuple[Float[Tensor, ""], int]:
    """Summed negative log-likelihood of the target words (nats) and how many they are, EOS counted, padding not.

    `baseline` is what hard attention expects a word's log-likelihood to be; None: what this batch has on average.
    """
    memory, state = model.encode(batch.src, batch.src_lengths)
    forced = draw_forced(batch.tgt_in.shape, teacher_forcing, unit)
    inputs = decoder_inputs(model, batch.tgt_in, forced, state, memory)
    decoded = model.decoder(inputs, state, memory)
    real = batch.tgt_out != PAD
    # The output layer is the largest product of the model: padding is left out before it, not after.
    logits = model.output(decoded.features[real]).float()
    if decoded.chances is None or memory.soft is None:
        return F.cross_entropy(logits, batch.tgt_out[real], reduction="sum"), len(logits)
    losses = F.cross_entropy(logits, batch.tgt_out[real], reduction="none")
    log_probabilities = losses.new_zeros(real.shape).masked_scatter(real, -losses.detach())
    draws = draw_loss(
        decoded,
        log_probabilities,
        real=real,
        soft=memory.soft,
        baseline=-losses.mean().item() if baseline is None else baseline,
        feeds_back=model.decoder.feeds_back,
    )
    return losses.sum() + draws, len(logits)
