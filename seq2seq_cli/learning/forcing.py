"""Teacher forcing: what the decoder is fed while it learns, the true words or its own.

B batch, S source length, T target length.
"""

import math

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from seq2seq_cli.config.choices import ForcingUnit
from seq2seq_cli.config.schema import TrainingConfig
from seq2seq_cli.model.seq2seq import Seq2Seq, evaluating
from seq2seq_cli.model.state import DecoderState, Memory


def forcing_probability(training: TrainingConfig, step: int) -> float:
    """The chance ε_i of a true word at update i (counted from 0); Bengio et al. 2015, section 2.4.

    linear       k - c i
    exponential  k^i
    inverse      k / (k + exp(i / k))
    sigmoid

    Each k and c is such that half is left after `teacher_forcing_half` updates. The whole is scaled to begin with
    `teacher_forcing` (the inverse sigmoid just below it), and ends no lower than `teacher_forcing_min`.
    """
    half = training.teacher_forcing_half
    match training.teacher_forcing_decay:
        case "constant":
            return training.teacher_forcing
        case "linear":
            left = 1 - step / (2 * half)
        case "exponential":
            left = 0.5 ** (step / half)
        case "inverse_sigmoid":
            k = inverse_sigmoid_k(half)
            # k / (k + exp(i / k)) in a form that does not overflow.
            left = 0.5 + 0.5 * math.tanh((math.log(k) - step / k) / 2)
    floor = min(training.teacher_forcing_min, training.teacher_forcing)
    return max(floor, training.teacher_forcing * left)


def inverse_sigmoid_k(half: int) -> float:
    """The k for which exp(i / k) = k at i = `half`, where the inverse sigmoid has fallen to one half: k ln k = i."""
    k = half + math.e
    for _ in range(50):  # Newton's method, from above on a convex function, gets there in a few
        k -= (k * math.log(k) - half) / (math.log(k) + 1)
    return k


def draw_forced(shape: tuple[int, ...], probability: float, unit: ForcingUnit) -> Bool[Tensor, "B T"]:
    """True where the true words are fed, for `shape` (B, T).

    One draw a sentence, as the tutorials do, or one a token (Bengio et al. 2015).
    """
    if unit == "token":
        return torch.rand(shape) < probability
    return (torch.rand(shape[0]) < probability).unsqueeze(1).expand(shape)


def decoder_inputs(
    model: Seq2Seq, tgt_in: Int[Tensor, "B T"], forced: Bool[Tensor, "B T"], state: DecoderState, memory: Memory
) -> Int[Tensor, "B T"]:
    """`tgt_in` where it is forced; elsewhere the model's own greedy predictions, and BOS at the start.

    A prediction is a choice of words, and no gradient goes through a choice. So sentences that are not all forced are
    first written without gradient, and then all sentences take the same way through the decoder, as known inputs. The
    words are chosen without dropout: they are the model's predictions, not those of a random part of it.
    """
    free = (~forced[:, 1:]).any(dim=1).nonzero().squeeze(1)
    if not len(free):
        return tgt_in
    forced, free = forced[free].to(tgt_in.device), free.to(tgt_in.device)
    mixed = tgt_in.clone()
    mixed[free] = _own_predictions(
        model, tgt_in[free], forced, state.detach().select(free), memory.detach().select(free)
    )
    return mixed


@torch.no_grad()
def _own_predictions(
    model: Seq2Seq, tgt_in: Int[Tensor, "B T"], forced: Bool[Tensor, "B T"], state: DecoderState, memory: Memory
) -> Int[Tensor, "B T"]:
    inputs = [tgt_in[:, 0]]
    with evaluating(model):
        for t in range(1, tgt_in.shape[1]):
            logits, state, _ = model.step(inputs[-1], state, memory)
            # The first of the best words: argmax says the same, and takes twice as long on a CPU.
            inputs.append(torch.where(forced[:, t], tgt_in[:, t], logits.max(dim=-1).indices))
    # Older versions of torch would go on with the bf16 copies of weights that were made here, which pass no gradient.
    torch.clear_autocast_cache()
    return torch.stack(inputs, dim=1)
