"""The loss: how surprised the model is by the true words.

B batch, S source length, T target length, N real target tokens of the batch.
"""

import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from seq2seq_cli.corpus.batches import Batch
from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.text.vocabulary import PAD
from seq2seq_cli.training.forcing import decoder_inputs, draw_forced


def batch_loss(model: Seq2Seq, batch: Batch, *, teacher_forcing: float) -> tuple[Float[Tensor, ""], int]:
    """Summed negative log-likelihood of the target words (nats) and how many they are, EOS counted, padding not."""
    memory, state = model.encode(batch.src, batch.src_lengths)
    forced = draw_forced(len(batch.src), teacher_forcing)
    inputs = decoder_inputs(model, batch.tgt_in, forced, state, memory)
    decoded = model.decoder(inputs, state, memory)
    real = batch.tgt_out != PAD
    # The output layer is the largest product of the model: padding is left out before it, not after.
    logits = model.output(decoded.features[real]).float()
    return F.cross_entropy(logits, batch.tgt_out[real], reduction="sum"), len(logits)
