"""Output layer and cross-entropy in one, which saves the largest tensor of the model, the logits of all words.

N target words, taken in chunks of C, and these in parts of P; R readout, V target vocabulary, or W sampled words of it.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from seq2seq_cli.compute.device import product_dtype

CHUNK_ON_CPU = 2**23
"""Logits per chunk, 16 MB in bf16; each chunk costs a pass over the gradient of W. Measured."""
PART_ON_CPU = 2**21
"""Logits per part: as many as stay in the cache until their gradient is computed. Measured."""
COMPILED_MULTIPLE = 64
"""On a CPU, oneDNN compiles code for each new shape of a product in bf16, which takes ten times as long as the product:
so numbers of rows and of sampled words are multiples of this."""
CHUNK_ELSEWHERE = 2**25
"""Logits per chunk and part on a GPU, which has no such cache and is faster with larger products; 128 MB in fp32."""


class ChunkSizes(NamedTuple):
    """The largest numbers of words taken at a time."""

    chunk: int
    """C: the gradients of their logits are kept until the gradient of W is computed from them."""
    part: int
    """P: the words whose logits are in memory."""
    multiple: int = 1
    """Rows of zeros are added to the features so that they, chunks and parts come in multiples of this number."""


class WordSample(NamedTuple):
    """Words of a vocabulary that stand for all of its words."""

    words: Int[Tensor, " W"]
    """Their ids, ascending."""
    counts: Float[Tensor, " W"]
    """The number of words that each one stands for; they sum to V."""
    places: Int[Tensor, " V"]
    """The place of each word in `words`; meaningless for words that are not in the sample."""


def output_loss(
    features: Float[Tensor, "N R"],
    output: nn.Linear,
    targets: Int[Tensor, " N"],
    *,
    label_smoothing: float = 0.0,
    sampled_words: int | None = None,
    sizes: ChunkSizes | None = None,
) -> tuple[Float[Tensor, ""], Float[Tensor, " N"]]:
    """The losses of `targets` under softmax(W f + b), with W and b of `output`.

    Returns the objective, their sum with label smoothing, through which the gradient goes; and -log p of each word, in
    nats, without smoothing and without gradient. Label smoothing makes the target distribution 1 - ε on the reference
    word plus ε/V on every word; Szegedy et al. 2016, section 7. With `sampled_words`, the sums over the vocabulary, of
    the softmax and of label smoothing, are estimated from the words of `targets` and so many others, drawn again:
    `draw_words`. `sizes` None: the sizes for the device. Under autocast the products are in its dtype, softmax and loss
    in fp32. The words are drawn where `targets` lie: on a GPU that would wait for it.
    """
    device = features.device.type
    dtype = product_dtype(features)
    weight: Tensor = output.weight
    bias: Tensor = output.bias
    smoothed = torch.full_like(bias, label_smoothing / len(bias))
    constant: Tensor | float = 0.0
    multiple = COMPILED_MULTIPLE if dtype == torch.bfloat16 and device == "cpu" else 1
    if sampled_words is not None and (
        sample := draw_words(targets, vocabulary=len(bias), drawn=sampled_words, multiple=multiple)
    ):
        targets = sample.places[targets]
        words, counts = (part.to(weight.device, non_blocking=True) for part in (sample.words, sample.counts))
        weight = weight.index_select(0, words)
        # A word that stands for n has n times its part of the softmax's sum: n exp(z) = exp(z + log n).
        log_counts = counts.to(bias).log()
        bias = bias[words] + log_counts
        smoothed = smoothed[words] * counts
        constant = len(targets) * smoothed @ log_counts  # which label smoothing would take for a part of z
    if sizes is None:
        chunk, part = (CHUNK_ON_CPU, PART_ON_CPU) if device == "cpu" else (CHUNK_ELSEWHERE, CHUNK_ELSEWHERE)
        sizes = ChunkSizes(max(1, chunk // len(bias)), max(1, part // len(bias)), multiple)
    # Inside a Function gradients are always off.
    wants_gradient = torch.is_grad_enabled()
    with torch.autocast(device, enabled=False):
        objective, nll = _OutputLoss.apply(  # type: ignore[no-untyped-call]
            features, weight, bias, targets.to(weight.device), label_smoothing, smoothed, sizes, dtype, wants_gradient
        )
    return objective + constant, nll


class _OutputLoss(torch.autograd.Function):
    """The summed loss and its gradient: z = W f + b, dz = softmax(z) - target, df = dz W, dW = dzᵀ f.

    Forward computes the gradient too, part by part, so that the logits are neither kept nor computed twice; backward
    only scales it.
    """

    @staticmethod
    def forward(
        ctx: Any,
        features: Float[Tensor, "N R"],
        weight: Float[Tensor, "V R"],
        bias: Float[Tensor, " V"],
        targets: Int[Tensor, " N"],
        smoothing: float,
        smoothed: Float[Tensor, " V"],
        sizes: ChunkSizes,
        dtype: torch.dtype,
        wants_gradient: bool,
    ) -> tuple[Float[Tensor, ""], Float[Tensor, " N"]]:
        """The summed objective, and -log p of each word."""
        W, f = weight.to(dtype), F.pad(features.to(dtype), (0, 0, 0, -len(features) % sizes.multiple))
        df, dW, db = torch.empty_like(f), None, torch.zeros_like(bias)
        # Chunks larger than a part serve the gradient of W alone.
        C = _even(len(f), sizes.chunk if wants_gradient else min(sizes.chunk, sizes.part), sizes.multiple)
        P = _even(C, sizes.part, sizes.multiple)
        # All chunks and parts use the same memory: a new allocation costs as much as a pass over it.
        of_chunk = W.new_empty(C, len(W))
        exact = torch.promote_types(dtype, torch.float32)
        of_part = W.new_empty(P, len(W), dtype=exact) if exact != dtype else None
        losses = []
        for f_chunk, targets_chunk, df_chunk in _split(C, f, targets, df):
            dz_chunk = of_chunk[: len(f_chunk)]
            for z, f_part, target, df_part in _split(P, dz_chunk, f_chunk, targets_chunk, df_chunk):
                torch.mm(f_part, W.t(), out=z)
                z_real = z[: len(target)]  # the rows behind stay zero, as their features are
                dz = (z_real if of_part is None else of_part[: len(target)].copy_(z_real)).add_(bias)
                losses.append(_losses_and_gradient(dz, target.unsqueeze(1), smoothing, smoothed))
                if wants_gradient:
                    db += dz.sum(0)
                    z_real.copy_(dz)
                    torch.mm(z, W, out=df_part)
            if wants_gradient:
                dW = _add_product(dW, dz_chunk.t(), f_chunk, weight.dtype)
        ctx.features_dtype, ctx.rows = features.dtype, len(features)
        ctx.save_for_backward(df, dW, db)
        objectives, nlls = (torch.cat(of_parts) for of_parts in zip(*losses, strict=True))
        ctx.mark_non_differentiable(nlls)
        return objectives.sum(), nlls

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, scale: Float[Tensor, ""], _: Tensor) -> tuple[Tensor | None, ...]:
        """The gradients of features, weight and bias."""
        df, dW, db = ctx.saved_tensors
        # The scale is mostly 1, which saves a pass over dW. On a GPU, reading it would wait for the kernels.
        if scale.device.type != "cpu" or scale != 1:
            df, dW, db = df * scale, dW * scale, db * scale
        return df[: ctx.rows].to(ctx.features_dtype), dW, db, *[None] * 6


def draw_words(targets: Int[Tensor, " N"], *, vocabulary: int, drawn: int, multiple: int = 1) -> WordSample | None:
    """The words of `targets`, which stand for themselves, and `drawn` others (1 or more), which stand for all others.

    A few more others are drawn where all would not be a multiple of `multiple` words. None where there are no more
    others than that: the sample would be the vocabulary.

    All others have the same chance, so that sum_w count_w f(w) is an unbiased estimate of the sum of f over the
    vocabulary. Importance sampling of the softmax is due to Bengio & Senécal 2003. Jean et al. 2015, section 3, use one
    sample for many predictions, so that it multiplies matrices: it is fixed for each part of the corpus,
    and stands for itself alone. Here each batch has a sample of its own, in which the words of the batch, mostly the
    frequent ones, are certain, and only the rest of the sum is estimated.
    """
    certain = torch.zeros(vocabulary, dtype=torch.bool, device=targets.device)
    certain[targets] = True
    others = (~certain).nonzero().squeeze(1)
    drawn += -(vocabulary - len(others) + drawn) % multiple
    if len(others) <= drawn:
        return None
    counts = certain.to(torch.get_default_dtype())
    counts[others[torch.randperm(len(others), device=others.device)[:drawn]]] = len(others) / drawn
    words = counts.nonzero().squeeze(1)
    places = torch.zeros_like(certain, dtype=torch.long)
    places[words] = torch.arange(len(words), device=words.device)
    return WordSample(words=words, counts=counts[words], places=places)


def _even(count: int, most: int, multiple: int) -> int:
    """The size of each part when `count` is divided into as few nearly equal parts of at most `most` as possible.

    It is rounded up to a multiple of `multiple`.
    """
    return math.ceil(count / math.ceil(count / most) / multiple) * multiple


def _split(rows: int, *tensors: Tensor) -> Iterator[tuple[Tensor, ...]]:
    """The tensors in parts of that many rows, side by side."""
    return zip(*(torch.split(tensor, rows) for tensor in tensors), strict=True)


def _add_product(
    total: Float[Tensor, "V R"] | None, a: Float[Tensor, "V C"], b: Float[Tensor, "C R"], dtype: torch.dtype
) -> Float[Tensor, "V R"]:
    """total + a b, in place; a b as `dtype` where there is no total yet, because zeros would cost one more pass."""
    if total is None:
        return (a @ b).to(dtype)
    return total.addmm_(a, b) if a.dtype == total.dtype else total.add_(a @ b)


def _losses_and_gradient(
    z: Float[Tensor, "P V"], target: Int[Tensor, "P 1"], smoothing: float, smoothed: Float[Tensor, " V"]
) -> tuple[Float[Tensor, " P"], Float[Tensor, " P"]]:
    """Objective and -log p of each row's target; `z` becomes the gradient of the summed objective.

    Label smoothing gives the target 1 - `smoothing` and each word its part of `smoothed`, whose sum is `smoothing`.
    """
    highest, of_target = z.amax(1, keepdim=True), z.gather(1, target)
    expected = (z @ smoothed).unsqueeze(1) if smoothing else 0.0
    p = torch.softmax(z, 1, out=z)
    # The largest p is exp(highest - log sum exp z), which saves a pass over exp(z).
    log_sum = highest - p.amax(1, keepdim=True).log()
    nll = log_sum - of_target
    objective = log_sum - (1 - smoothing) * of_target - expected
    if smoothing:
        p -= smoothed
    p.scatter_add_(1, target, torch.full_like(of_target, smoothing - 1))
    return objective.squeeze(1), nll.squeeze(1)
