"""Output layer and cross-entropy in one: the largest products of the model, without their largest tensor.

N target words, C of them at a time (a chunk, or a part of one), R readout, V target vocabulary.
"""

import math
from typing import Any, NamedTuple, cast

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

CHUNK_ON_CPU = 2**23
"""Logits at a time, 16 MB in bf16: each further chunk is one more pass over the gradient of W; measured."""
CHUNK_ELSEWHERE = 2**25
"""A GPU is faster with larger products; 128 MB in fp32."""
PART_ON_CPU = 2**21
"""Of a chunk, as many as stay in the cache until they are softmax and slope; measured. A GPU has no such cache."""


class WordLosses(NamedTuple):
    """What the true words cost."""

    objective: Float[Tensor, ""]
    """Summed cross-entropy with the smoothed truth; the gradient goes through it."""
    nll: Float[Tensor, " N"]
    """-log p of each true word, in nats, without smoothing and without gradient."""


def output_loss(
    features: Float[Tensor, "N R"],
    output: nn.Linear,
    targets: Int[Tensor, " N"],
    *,
    label_smoothing: float = 0.0,
    rows: int | None = None,
) -> WordLosses:
    """The losses of `targets` under softmax(W f + b), where W and b are those of `output`.

    The smoothed truth is ε/V on every word and 1 - ε more on the true one; Szegedy et al. 2016, section 7. `rows` is
    C; None: what suits the device. Under autocast the products are in its numbers, softmax and loss in fp32.
    """
    device = features.device.type
    numbers = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else features.dtype
    if rows is None:
        rows = max(1, (CHUNK_ON_CPU if device == "cpu" else CHUNK_ELSEWHERE) // output.out_features)
    # Inside of a Function gradients are off: that one is wanted has to be told.
    learning = torch.is_grad_enabled()
    with torch.autocast(device, enabled=False):
        losses = _OutputLoss.apply(  # type: ignore[no-untyped-call]
            features, output.weight, output.bias, targets, label_smoothing, rows, numbers, learning
        )
    return WordLosses(*cast("tuple[Tensor, Tensor]", losses))


class _OutputLoss(torch.autograd.Function):
    """Summed loss and its gradient, C rows at a time: z = W f + b, dz = softmax(z) - truth, dW = dzᵀ f, df = dz W.

    The gradient is made while the logits are at hand, so that they are neither kept nor computed twice; on the way
    back it is only scaled.
    """

    @staticmethod
    def forward(
        ctx: Any,
        features: Float[Tensor, "N R"],
        weight: Float[Tensor, "V R"],
        bias: Float[Tensor, " V"],
        targets: Int[Tensor, " N"],
        smoothing: float,
        rows: int,
        numbers: torch.dtype,
        learning: bool,
    ) -> tuple[Float[Tensor, ""], Float[Tensor, " N"]]:
        """The summed objective, and -log p of each word."""
        W, f = weight.to(numbers), features.to(numbers)
        df, dW, db = torch.empty_like(f), None, torch.zeros_like(bias)
        part = max(1, PART_ON_CPU // len(W)) if f.device.type == "cpu" else rows
        rows = _even(len(f), rows if learning else min(rows, part))
        part = _even(rows, part)
        # All chunks and parts in the same memory: a fresh one would cost as much as a pass over it.
        memory = W.new_empty(rows, len(W))
        exact = bias.new_empty(part, len(W)) if bias.dtype != numbers else None
        losses = []
        for f_chunk, truth, df_chunk in zip(*(torch.split(of_all, rows) for of_all in (f, targets, df)), strict=True):
            slopes = memory[: len(f_chunk)]
            parts = zip(*(torch.split(of_chunk, part) for of_chunk in (slopes, f_chunk, truth, df_chunk)), strict=True)
            for z, f_part, true_words, df_part in parts:
                torch.mm(f_part, W.t(), out=z)
                dz = (z if exact is None else exact[: len(z)].copy_(z)).add_(bias)
                losses.append(_losses_and_slopes(dz, true_words.unsqueeze(1), smoothing))
                if learning:
                    db += dz.sum(0)
                    torch.mm(z.copy_(dz), W, out=df_part)
            if learning:
                dW = _add_product(dW, slopes.t(), f_chunk, weight.dtype)
        ctx.numbers = features.dtype
        ctx.save_for_backward(df, dW, db)
        objectives, nlls = (torch.cat(of_parts) for of_parts in zip(*losses, strict=True))
        ctx.mark_non_differentiable(nlls)
        return objectives.sum(), nlls

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, scale: Float[Tensor, ""], _: Tensor) -> tuple[Tensor | None, ...]:
        """The gradient of the features, the weight and the bias, and none of all the rest."""
        df, dW, db = ctx.saved_tensors
        # A pass over W's gradient, which is known to be needless where asking does not wait for a GPU.
        if scale.device.type != "cpu" or scale != 1:
            df, dW, db = df * scale, dW * scale, db * scale
        return df.to(ctx.numbers), dW, db, *[None] * 5


def _even(count: int, most: int) -> int:
    """Parts of this size, at most as large as `most`, are nearly alike."""
    return math.ceil(count / math.ceil(count / most))


def _add_product(
    total: Float[Tensor, "V R"] | None, a: Float[Tensor, "V C"], b: Float[Tensor, "C R"], numbers: torch.dtype
) -> Float[Tensor, "V R"]:
    """total + a b, in its place, or a b alone in these numbers: zeros to begin with would be one more pass."""
    if total is None:
        return (a @ b).to(numbers)
    return total.addmm_(a, b) if a.dtype == total.dtype else total.add_(a @ b)


def _losses_and_slopes(
    z: Float[Tensor, "C V"], truth: Int[Tensor, "C 1"], smoothing: float
) -> tuple[Float[Tensor, " C"], Float[Tensor, " C"]]:
    """Objective and -log p of each row's true word; `z` is turned into the gradient of the summed objective."""
    best, true = z.amax(1, keepdim=True), z.gather(1, truth)
    mean = z.mean(1, keepdim=True) if smoothing else true
    p = torch.softmax(z, 1, out=z)
    # The largest p is exp(best - log sum exp z): what a pass over exp(z) would sum up is known from it.
    log_sum = best - p.amax(1, keepdim=True).log()
    nll = log_sum - true
    objective = (1 - smoothing) * nll + smoothing * (log_sum - mean)
    if smoothing:
        p -= smoothing / p.shape[1]
    p.scatter_add_(1, truth, torch.full_like(true, smoothing - 1))
    return objective.squeeze(1), nll.squeeze(1)
