"""REINFORCE, the gradient of hard attention's draws; Xu et al. 2015, section 4.1.

B batch, T target length, S source length.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from seq2seq_cli.model.attention.attention import Attended

REWARD_WEIGHT = 1.0
"""λ_r."""
ENTROPY_WEIGHT = 0.002
"""λ_e: keeps the distributions from becoming sharp before the alignment is learned."""
BASELINE_DECAY = 0.9
"""Weight of the old baseline in the new one."""


def reinforce_loss(
    attended: Attended,
    log_probabilities: Float[Tensor, "B T"],
    *,
    real: Bool[Tensor, "B T"],
    soft_rows: Bool[Tensor, " B"],
    baseline: float | Float[Tensor, ""],
    context_reaches_rnn: bool,
) -> Float[Tensor, ""]:
    """Zero, with the gradient -sum_t [λ_r R_t ∂ log a_t(s_t) + λ_e ∂ H(a_t)] of the draws s_t ~ a_t.

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
    gain = REWARD_WEIGHT * reward * chosen + ENTROPY_WEIGHT * entropy
    loss = -gain.masked_fill(~real | soft_rows.unsqueeze(1), 0.0).sum()
    return loss - loss.detach()


def next_baseline(baseline: float | None, mean_log_probability: float) -> float:
    """b_k = 0.9 b_{k-1} + 0.1 log p, from the first batch's mean log p on; Xu et al. 2015, section 4.1."""
    if baseline is None:
        return mean_log_probability
    return BASELINE_DECAY * baseline + (1 - BASELINE_DECAY) * mean_log_probability
