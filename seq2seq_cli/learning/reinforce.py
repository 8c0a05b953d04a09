"""REINFORCE: how hard attention learns, since no gradient goes through a draw; Xu et al. 2015, section 4.1.

B batch, T target length, S source length.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from seq2seq_cli.model.decoder import Decoded

REWARD_WEIGHT = 1.0
"""λ_r."""
ENTROPY_WEIGHT = 0.002
"""λ_e: keeps a distribution from becoming sharp before it is known where to look."""
BASELINE_MEMORY = 0.9
"""Share of the old baseline in the new."""


def draw_loss(
    decoded: Decoded,
    log_probabilities: Float[Tensor, "B T"],
    *,
    real: Bool[Tensor, "B T"],
    soft: Bool[Tensor, " B"],
    baseline: float,
    feeds_back: bool,
) -> Float[Tensor, ""]:
    """Zero, with the gradient -sum_t [λ_r (R_t - b) ∂ log a_t(s_t) + λ_e ∂ H(a_t)] of the draws s_t ~ a_t.

    It is what they add to the gradient of a summed loss; Xu et al. 2015, the equations below eq. 11.
    `log_probabilities` are those of the true words, 0 where `real` says padding; `soft` sentences have no draws.
    The paper rewards each draw by log p(y | s) of the whole sentence. R_t is the mean over the words that the draw
    can have changed, which pulls the draw the same way on average and is less noisy: its own word and, where the
    context goes back into the RNN, all later ones. b, the `baseline`, is a moving average of the mean log p of a word.
    """
    assert decoded.probabilities is not None  # noqa: S101  # hard attention has them while training
    # The smallest normal number keeps what cannot be drawn finite.
    log_probabilities_of_draws = decoded.probabilities.float().clamp_min(torch.finfo(torch.float32).tiny).log()
    chosen = (decoded.weights.detach() * log_probabilities_of_draws).sum(dim=-1)
    entropy = -(decoded.probabilities * log_probabilities_of_draws).sum(dim=-1)
    reward = log_probabilities.detach()
    if feeds_back:
        reward = _from_here_on(reward) / _from_here_on(real.to(reward.dtype)).clamp_min(1.0)
    gain = REWARD_WEIGHT * (reward - baseline) * chosen + ENTROPY_WEIGHT * entropy
    loss = -gain[real & ~soft.unsqueeze(1)].sum()
    return loss - loss.detach()


def next_baseline(baseline: float | None, mean_log_probability: float) -> float:
    """b_k = 0.9 b_{k-1} + 0.1 log p; Xu et al. 2015, section 4.1. It begins with what the first batch has."""
    if baseline is None:
        return mean_log_probability
    return BASELINE_MEMORY * baseline + (1 - BASELINE_MEMORY) * mean_log_probability


def _from_here_on(x: Float[Tensor, "B T"]) -> Float[Tensor, "B T"]:
    """Sums from each step to the last."""
    return x.flip(1).cumsum(dim=1).flip(1)
