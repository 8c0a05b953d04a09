"""Teacher forcing: the decoder's inputs in training are the reference words or its own predictions.

B batch, S source length, T target length.
"""

import math

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.model.state import DecoderState, Memory
from seq2seq_cli.text.vocabulary import BOS, PAD


def forcing_factor(step: int, half: int) -> float:
    """k / (k + exp(i / k)) at update i, counted from 0: the inverse sigmoid decay of Bengio et al. 2015, section 2.4.

    k is such that the factor is one half after `half` updates: k ln k = `half`.
    """
    k = half + math.e
    for _ in range(50):  # Newton's method on a convex function, from above, converges in a few iterations
        k -= (k * math.log(k) - half) / (math.log(k) + 1)
    return 0.5 + 0.5 * math.tanh((math.log(k) - step / k) / 2)  # the same, in a form that does not overflow


def draw_forced(shape: tuple[int, ...], probability: float, *, per_word: bool = False) -> Bool[Tensor, "B T"]:
    """True where the decoder gets the reference words, for `shape` (B, T).

    One draw per sentence, as in the tutorials, or one per word, as in scheduled sampling; Bengio et al. 2015.
    """
    if probability >= 1.0:  # a score of held-out pairs draws nothing
        return torch.ones(shape, dtype=torch.bool)
    return (torch.rand(shape if per_word else (shape[0], 1)) < probability).expand(shape)


@torch.no_grad()
def decoder_inputs(
    model: Seq2Seq, tgt_in: Int[Tensor, "B T"], forced: Bool[Tensor, "B T"], state: DecoderState, memory: Memory
) -> Int[Tensor, "B T"]:
    """`tgt_in` where `forced`, elsewhere the model's own greedy predictions; BOS at the start.

    Predictions are discrete and pass no gradient. So the sentences that are not forced everywhere are decoded here, and
    then all sentences go through the decoder together, with given inputs. In training the predictions are made with
    dropout, and with the draws of hard attention, as in the tutorials, which take them from the pass that is trained;
    here that pass drops other entries.
    """
    unforced = (~forced[:, 1:]).any(dim=1).nonzero().squeeze(1)
    if not len(unforced):
        return tgt_in
    forced, unforced = forced[unforced].to(tgt_in.device), unforced.to(tgt_in.device)
    given, state, memory = tgt_in[unforced], state.select(unforced), memory.select(unforced)
    words = [given[:, 0]]
    for t in range(1, given.shape[1]):
        logits, state, _ = model.step(words[-1], state, memory)
        logits[:, [PAD, BOS]] = -torch.inf  # which no translation has
        # Equal to argmax, which takes twice as long on a CPU.
        words.append(torch.where(forced[:, t], given[:, t], logits.max(dim=-1).indices))
    # Older versions of torch would reuse the bf16 copies of the weights made here, which pass no gradient.
    torch.clear_autocast_cache()
    inputs = tgt_in.clone()
    inputs[unforced] = torch.stack(words, dim=1)
    return inputs
