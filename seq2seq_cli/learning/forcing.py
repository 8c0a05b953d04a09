"""Teacher forcing: the decoder's inputs in training are the reference words or its own predictions.

B batch, S source length, T target length.
"""

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.model.state import DecoderState, Memory
from seq2seq_cli.text.vocabulary import BOS, PAD


def draw_forced(sentences: int, probability: float) -> Bool[Tensor, " B"]:
    """True for each sentence whose decoder gets the reference words; one draw per sentence, as in the tutorials."""
    if probability >= 1.0:  # a score of held-out pairs draws nothing
        return torch.ones(sentences, dtype=torch.bool)
    return torch.rand(sentences) < probability


@torch.no_grad()
def decoder_inputs(
    model: Seq2Seq, tgt_in: Int[Tensor, "B T"], forced: Bool[Tensor, " B"], state: DecoderState, memory: Memory
) -> Int[Tensor, "B T"]:
    """`tgt_in` where `forced`, elsewhere the model's own greedy predictions; BOS at the start.

    Predictions are discrete and pass no gradient. So the sentences that are not forced are decoded here, and then all
    sentences go through the decoder together, with given inputs. In training the predictions are made with dropout, and
    with the draws of hard attention, as in the tutorials, which take them from the pass that is trained; here that pass
    drops other entries.
    """
    unforced = (~forced).nonzero().squeeze(1).to(tgt_in.device)
    length = tgt_in.shape[1]
    if not len(unforced) or length == 1:
        return tgt_in
    inputs = tgt_in.clone()
    inputs[unforced] = _own_predictions(
        model, tgt_in[unforced, 0], length, state.select(unforced), memory.select(unforced)
    )
    return inputs


def _own_predictions(
    model: Seq2Seq, bos: Int[Tensor, " B"], length: int, state: DecoderState, memory: Memory
) -> Int[Tensor, "B T"]:
    inputs = [bos]
    for _ in range(1, length):
        logits, state, _ = model.step(inputs[-1], state, memory)
        logits[:, [PAD, BOS]] = -torch.inf  # which no translation has
        inputs.append(logits.max(dim=-1).indices)  # equal to argmax, which takes twice as long on a CPU
    # Older versions of torch would reuse the bf16 copies of the weights made here, which pass no gradient.
    torch.clear_autocast_cache()
    return torch.stack(inputs, dim=1)
