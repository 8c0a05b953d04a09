"""The loss of a batch, and what it rests on: teacher forcing, and REINFORCE for the draws of hard attention.

B batch, S source length, T target length, N target tokens of the batch without padding.
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from seq2seq_cli.config.schema.training import TrainingConfig
from seq2seq_cli.corpus.batches import Batch
from seq2seq_cli.learning.output_loss import output_loss
from seq2seq_cli.model.attention.attention import Attended
from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.model.state import DecoderState, Memory
from seq2seq_cli.text.vocabulary import BOS, PAD

ENTROPY_WEIGHT = 0.002
"""λ_e: keeps the distributions from becoming sharp before the alignment is learned."""
BASELINE_DECAY = 0.9
"""Weight of the old baseline in the new one."""
PLAIN = TrainingConfig(label_smoothing=0.0, sampled_words=None, doubly_stochastic=0.0, scheduled_sampling=None)
"""The options with which the objective is the negative log-likelihood alone."""


@dataclass(frozen=True, kw_only=True)
class BatchLoss:
    """The loss of a batch, summed over its target tokens with EOS and without padding."""

    objective: Float[Tensor, ""]
    """The training objective: with label smoothing, the penalty on the attention, and the gradient of its draws."""
    nll: Float[Tensor, ""]
    """Negative log-likelihood of the reference words, in nats, without gradient."""
    tokens: int
    weights: Float[Tensor, "B T S"] | None = None
    """The attention weights, without gradient; None in a model without attention."""


def batch_loss(
    model: Seq2Seq,
    batch: Batch,
    *,
    teacher_forcing: float,
    baseline: float | None = None,
    training: TrainingConfig = PLAIN,
) -> BatchLoss:
    """The loss of a batch, with the label smoothing, the sampled words and the penalty on the attention of `training`.

    The decoder gets the reference words with probability `teacher_forcing`, else its own predictions: drawn per
    sentence, or per word with scheduled sampling. `baseline` is the expected log-likelihood of a word that hard
    attention compares with; None: this batch's mean.
    """
    memory, state = model.encode(batch.src, batch.src_lengths)
    forced = draw_forced(batch.tgt_in.shape, teacher_forcing, per_word=training.scheduled_sampling is not None)
    inputs = decoder_inputs(model, batch.tgt_in, forced, state, memory)
    features, attended = model.decoder(inputs, state, memory)
    # Padding is removed before the output layer, the largest product of the model.
    objective, nll = output_loss(
        features.flatten(0, 1).index_select(0, batch.places),
        model.output,
        batch.tgt_tokens,
        label_smoothing=training.label_smoothing,
        sampled_words=training.sampled_words,
    )
    real = batch.tgt_out != PAD
    if attended.probabilities is not None and memory.soft_rows is not None:
        objective = objective + reinforce_loss(
            attended,
            nll.new_zeros(real.numel()).index_copy(0, batch.places, -nll).view(real.shape),
            real=real,
            soft_rows=memory.soft_rows,
            baseline=-nll.mean() if baseline is None else baseline,
            context_reaches_rnn=model.decoder.context_reaches_rnn,
        )
    if weight := training.doubly_stochastic:
        objective = objective + weight * doubly_stochastic_penalty(attended.weights, real, memory.mask)
    weights = attended.weights.detach() if model.decoder.attention.has_weights else None
    return BatchLoss(objective=objective, nll=nll.sum(), tokens=len(nll), weights=weights)


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


def doubly_stochastic_penalty(
    weights: Float[Tensor, "B T S"], tgt_real: Bool[Tensor, "B T"], src_real: Bool[Tensor, "B S"]
) -> Float[Tensor, ""]:
    """The sum over all source words s of (1 - sum_t a_ts)²; Xu et al. 2015, section 4.2.1, eq. 14.

    It asks the weights of a source word to sum to 1 over the target words, as a target word's do over the source.
    """
    summed = weights.float().masked_fill(~tgt_real.unsqueeze(2), 0.0).sum(dim=1)
    return (1 - summed).masked_fill(~src_real, 0.0).square().sum()


def reinforce_loss(
    attended: Attended,
    log_probabilities: Float[Tensor, "B T"],
    *,
    real: Bool[Tensor, "B T"],
    soft_rows: Bool[Tensor, " B"],
    baseline: float | Float[Tensor, ""],
    context_reaches_rnn: bool,
) -> Float[Tensor, ""]:
    """Zero, with the gradient -sum_t [R_t ∂ log a_t(s_t) + λ_e ∂ H(a_t)] of the draws s_t ~ a_t; λ_r is 1.

    The draws add this to the gradient of a summed loss; Xu et al. 2015, the equations below eq. 11. `log_probabilities`
    belong to the reference words, 0 where `real` is False (padding); the sentences in `soft_rows` have no draws. The
    paper's reward of each draw is log p(y | s) - b of the whole sentence. Here R_t is the sum of log p - b over the
    words that the draw can change, which has the same mean and less variance: its own word and, if the context reaches
    the RNN, all later ones. b, the `baseline`, is a moving average of a word's log p.
    """
    assert attended.probabilities is not None  # noqa: S101  # hard attention has them while training
    # The smallest normal number keeps the logarithm of a probability of 0 finite.
    log_probabilities_of_draws = attended.probabilities.float().clamp_min(torch.finfo(torch.float32).tiny).log()
    chosen = (attended.weights.detach() * log_probabilities_of_draws).sum(dim=-1)
    entropy = -(attended.probabilities * log_probabilities_of_draws).sum(dim=-1)
    reward = (log_probabilities.detach() - baseline) * real
    if context_reaches_rnn:
        reward = reward.flip(1).cumsum(dim=1).flip(1)  # from each step to the last
    gain = reward * chosen + ENTROPY_WEIGHT * entropy
    loss = -gain.masked_fill(~real | soft_rows.unsqueeze(1), 0.0).sum()
    return loss - loss.detach()


def next_baseline(baseline: float | None, mean_log_probability: float) -> float:
    """b_k = 0.9 b_{k-1} + 0.1 log p, from the first batch's mean log p on; Xu et al. 2015, section 4.1."""
    if baseline is None:
        return mean_log_probability
    return BASELINE_DECAY * baseline + (1 - BASELINE_DECAY) * mean_log_probability
