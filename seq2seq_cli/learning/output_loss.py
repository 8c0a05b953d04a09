"""Output layer and cross-entropy in one: the largest products of the model, without their largest tensor.

N target words, C of them at a time (a chunk), P of those at a time (a part), R readout, V target vocabulary.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

CHUNK_ON_CPU = 2**23
"""Logits at a time, 16 MB in bf16: each further chunk is one more pass over the gradient of W; measured."""
PART_ON_CPU = 2**21
"""Of a chunk, as many as stay in the cache until they are softmax and slope; measured."""
CHUNK_ELSEWHERE = 2**25
"""A GPU has no such cache, and is faster with larger products; 128 MB in fp32."""


class Rows(NamedTuple):
    """How many words are taken at a time, at most."""

    chunk: int
    """C: their slopes are kept until the gradient of W is made of them."""
    part: int
    """P: their logits are made, softmaxed and done with."""


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
    rows: Rows | None = None,
) -> WordLosses:
    """The losses of `targets` under softmax(W f + b), where W and b are those of `output`.

    The smoothed truth is ε/V on every word and 1 - ε more on the true one; Szegedy et al. 2016, section 7. `rows` None
    is what suits the device. Under autocast the products are in its numbers, softmax and loss in fp32.
    """
    device = features.device.type
    dtype = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else features.dtype
    rows = rows or _rows(device, words=output.out_features)
    # Inside of a Function gradients are off: that one is wanted has to be told.
    learning = torch.is_grad_enabled()
    with torch.autocast(device, enabled=False):
        losses = _OutputLoss.apply(  # type: ignore[no-untyped-call]
            features, output.weight, output.bias, targets, label_smoothing, rows, dtype, learning
        )
    return WordLosses(*cast("tuple[Tensor, Tensor]", losses))


class _OutputLoss(torch.autograd.Function):
    """Summed loss and its gradient, by chunks and parts: z = W f + b, dz = softmax(z) - truth, df = dz W, dW = dzᵀ f.

    The gradient is made while the logits are at hand, so that they are neither kept nor computed twice; on the way
    back it is at most scaled.
    """

    @staticmethod
    def forward(
        ctx: Any,
        features: Float[Tensor, "N R"],
        weight: Float[Tensor, "V R"],
        bias: Float[Tensor, " V"],
        targets: Int[Tensor, " N"],
        smoothing: float,
        rows: Rows,
        dtype: torch.dtype,
        learning: bool,
    ) -> tuple[Float[Tensor, ""], Float[Tensor, " N"]]:
        """The summed objective, and -log p of each word."""
        W, f = weight.to(dtype), features.to(dtype)
        df, dW, db = torch.empty_like(f), None, torch.zeros_like(bias)
        # Without slopes to keep, there is nothing that a chunk is for.
        C = _even(len(f), rows.chunk if learning else min(rows.chunk, rows.part))
        P = _even(C, rows.part)
        # All chunks and parts in the same memory: a fresh one would cost as much as a pass over it.
        of_chunk = W.new_empty(C, len(W))
        exact = torch.promote_types(dtype, torch.float32)
        of_part = W.new_empty(P, len(W), dtype=exact) if exact != dtype else None
        losses = []
        for f_chunk, truths, df_chunk in _split(C, f, targets, df):
            slopes = of_chunk[: len(f_chunk)]
            for z, f_part, truth, df_part in _split(P, slopes, f_chunk, truths, df_chunk):
                torch.mm(f_part, W.t(), out=z)
                dz = (z if of_part is None else of_part[: len(z)].copy_(z)).add_(bias)
                losses.append(_losses_and_slopes(dz, truth.unsqueeze(1), smoothing))
                if learning:
                    db += dz.sum(0)
                    torch.mm(z.copy_(dz), W, out=df_part)
            if learning:
                dW = _add_product(dW, slopes.t(), f_chunk, weight.dtype)
        ctx.features_dtype = features.dtype
        ctx.save_for_backward(df, dW, db)
        objectives, nlls = (torch.cat(of_parts) for of_parts in zip(*losses, strict=True))
        ctx.mark_non_differentiable(nlls)
        return objectives.sum(), nlls

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, scale: Float[Tensor, ""], _: Tensor) -> tuple[Tensor | None, ...]:
        """The gradient of the features, the weight and the bias, and none of all the rest."""
        df, dW, db = ctx.saved_tensors
        # Mostly 1, which saves a pass over dW. A GPU is not asked: that would wait for it.
        if scale.device.type != "cpu" or scale != 1:
            df, dW, db = df * scale, dW * scale, db * scale
        return df.to(ctx.features_dtype), dW, db, *[None] * 5


def _rows(device: str, *, words: int) -> Rows:
    """What suits the device, for a vocabulary of so many words."""
    if device == "cpu":
        return Rows(chunk=max(1, CHUNK_ON_CPU // words), part=max(1, PART_ON_CPU // words))
    return Rows(chunk=max(1, CHUNK_ELSEWHERE // words), part=max(1, CHUNK_ELSEWHERE // words))


def _even(count: int, most: int) -> int:
    """The size, at most `most`, of as few parts as there can be, nearly alike."""
    return math.ceil(count / math.ceil(count / most))


def _split(rows: int, *tensors: Tensor) -> Iterator[tuple[Tensor, ...]]:
    """So many rows of each of the tensors, then the next ones."""
    return zip(*(torch.split(tensor, rows) for tensor in tensors), strict=True)


def _add_product(
    total: Float[Tensor, "V R"] | None, a: Float[Tensor, "V C"], b: Float[Tensor, "C R"], dtype: torch.dtype
) -> Float[Tensor, "V R"]:
    """total + a b, in its place, or a b alone as `dtype`: zeros to begin with would be one more pass."""
    if total is None:
        return (a @ b).to(dtype)
    return total.addmm_(a, b) if a.dtype == total.dtype else total.add_(a @ b)


def _losses_and_slopes(
    z: Float[Tensor, "P V"], truth: Int[Tensor, "P 1"], smoothing: float
) -> tuple[Float[Tensor, " P"], Float[Tensor, " P"]]:
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
