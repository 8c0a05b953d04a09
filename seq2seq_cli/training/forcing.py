"""Teacher forcing: what the decoder is fed while it learns, the true words or its own.

B batch, S source length, T target length.
"""

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from seq2seq_cli.model.seq2seq import Seq2Seq, evaluating
from seq2seq_cli.model.state import DecoderState, Memory


def draw_forced(batch_size: int, probability: float) -> Bool[Tensor, " B"]:
    """One draw a sentence: True where the true words are fed; Williams and Zipser 1989, drawn as the tutorials do."""
    return torch.rand(batch_size) < probability


def decoder_inputs(
    model: Seq2Seq, tgt_in: Int[Tensor, "B T"], forced: Bool[Tensor, " B"], state: DecoderState, memory: Memory
) -> Int[Tensor, "B T"]:
    """`tgt_in` where a sentence is forced; elsewhere BOS and the model's own greedy predictions.

    A prediction is a choice of words, and no gradient goes through a choice. So the free sentences are first written
    without gradient, and then all sentences take the same way through the decoder, as known inputs. The words
    are chosen without dropout: they are the model's predictions, not those of a random part of it.
    """
    free = (~forced).nonzero().squeeze(1).to(tgt_in.device)
    if not len(free):
        return tgt_in
    mixed = tgt_in.clone()
    mixed[free] = _own_predictions(model, tgt_in[free], state.detach().select(free), memory.detach().select(free))
    return mixed


@torch.no_grad()
def _own_predictions(
    model: Seq2Seq, tgt_in: Int[Tensor, "B T"], state: DecoderState, memory: Memory
) -> Int[Tensor, "B T"]:
    inputs = [tgt_in[:, 0]]
    with evaluating(model):
        for _ in range(1, tgt_in.shape[1]):
            logits, state, _ = model.step(inputs[-1], state, memory)
            inputs.append(logits.argmax(dim=-1))
    # Older versions of torch would go on with the bf16 copies of weights that were made here, which pass no gradient.
    torch.clear_autocast_cache()
    return torch.stack(inputs, dim=1)
