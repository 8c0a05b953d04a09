"""Upper limits of the training speed on this machine, whatever the code.

The rate at which the machine multiplies large matrices, divided by the operations per target token, limits the tokens
per second. With matrices of the model's own sizes, which multiply more slowly, the limit is lower.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from timeit import Timer

import torch

from benchmarks.figures import Figure, Goal
from benchmarks.models import DECODERS, measured_config, prepared
from benchmarks.speed.operations import Product, Shape, operations_of_a_token, products
from seq2seq_cli.corpus.prepared import PreparedCorpus

SQUARE = 2048
OWN = "its own matrices"
"""Matrices of the model's own sizes, each in the faster precision."""
_PRECISIONS = {"fp32": torch.float32, "bf16": torch.bfloat16}
_GOAL = 60.0
"""Per cent of the limit that training is to reach."""
_REPEATS = 5
_SHORTEST = 0.01
"""Least duration of a measurement, in seconds."""


def measure_limits(pairs: Path, speeds: Mapping[str, float]) -> list[Figure]:
    """The machine's rates, the limits of each model, and how much of them the measured `speeds` reach, in per cent."""
    config = measured_config(DECODERS[0])
    with prepared(pairs, config) as corpus:
        shape = typical_batch(corpus, sentences=config.training.batch_size)
    rates = {name: SQUARE**3 * 2 / seconds_of(SQUARE, SQUARE, SQUARE, 1, dtype) for name, dtype in _PRECISIONS.items()}
    figures = [
        Figure(name=f"product of {SQUARE:,} x {SQUARE:,}, {name}", unit="Gflop/s", values=[rate / 1e9])
        for name, rate in rates.items()
    ]
    for decoder in DECODERS:
        figures += _limits(decoder, shape, rates, speeds.get(decoder))
    return figures


def typical_batch(corpus: PreparedCorpus, *, sentences: int) -> Shape:
    """A batch of sentences of the mean lengths of the training pairs."""
    ids = corpus.split("train")
    return Shape(
        sentences=sentences,
        src=round(float(ids.src.lengths.mean())) + 1,
        tgt=round(float(ids.tgt.lengths.mean())) + 1,
        vocabulary=len(corpus.codec("tgt").vocabulary),
    )


def _limits(decoder: str, shape: Shape, rates: Mapping[str, float], speed: float | None) -> Iterator[Figure]:
    model = measured_config(decoder).model
    operations = operations_of_a_token(model, shape)
    yield Figure(name=f"{decoder}, a target token", unit="Mflop", values=[operations / 1e6])
    limits = {f"{name}, large matrices": rate / operations for name, rate in rates.items()}
    fastest = (min(seconds_of_product(one, dtype) for dtype in _PRECISIONS.values()) for one in products(model, shape))
    limits[OWN] = shape.tokens / sum(fastest)
    for name, limit in limits.items():
        yield Figure(name=f"  at most, {name}", unit="target tokens/s", values=[limit])
    if speed:
        yield from fractions(speed, limits)


def fractions(speed: float, limits: Mapping[str, float]) -> Iterator[Figure]:
    """The speed in per cent of each limit; the goal is for the model's own matrices."""
    for name, limit in limits.items():
        goal = Goal(value=_GOAL) if name == OWN else None
        yield Figure(name=f"  reached, {name}", unit="%", values=[100 * speed / limit], goal=goal)


def seconds_of_product(product: Product, dtype: torch.dtype) -> float:
    """Seconds for a product, forward and backward; the gradient of the weights is computed once for all steps."""
    rows, inner, columns, batch = product.rows, product.inner, product.columns, product.batch
    stepwise = seconds_of(rows, inner, columns, batch, dtype) + seconds_of(rows, columns, inner, batch, dtype)
    if batch > 1:
        return product.steps * (stepwise + seconds_of(inner, rows, columns, batch, dtype))
    return product.steps * stepwise + seconds_of(inner, rows * product.steps, columns, batch, dtype)


@cache
def seconds_of(rows: int, inner: int, columns: int, batch: int, dtype: torch.dtype) -> float:
    """Seconds to multiply rows x inner by inner x columns, `batch` such products at a time.

    The fastest of several measurements, each with enough runs for the clock.
    """
    left, right = torch.randn(batch, rows, inner).to(dtype), torch.randn(batch, inner, columns).to(dtype)
    if batch == 1:
        left, right = left[0], right[0]
    timer = Timer(lambda: torch.matmul(left, right))
    timer.timeit(1)  # the first run is slower
    runs = max(1, round(_SHORTEST / max(timer.timeit(1), 1e-9)))
    return min(timer.repeat(_REPEATS, runs)) / runs
