"""How fast the machine's own products let a model train: what no better code gets past.

The operations of a target token over the rate at which the machine multiplies large matrices give the most tokens a
second; with the matrices as large as the model has them, its own limit is nearer.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

import torch
from torch import Tensor

from benchmarks.figures import Figure, Goal
from benchmarks.models import DECODERS, measured_config, prepared
from benchmarks.operations import Product, Shape, operations_of_a_token, products
from seq2seq_cli.corpus.prepared import PreparedCorpus

SQUARE = 2048
OWN = "its own matrices"
"""As large as the model has them, each in the precision that is faster."""
_PRECISIONS = {"fp32": torch.float32, "bf16": torch.bfloat16}
_SHARE = 60.0
"""Per cent of the floor that training is to reach."""
_REPEATS = 5
_SHORTEST = 0.01
"""Seconds that a measurement takes at least."""


def measure_floor(pairs: Path, speeds: Mapping[str, float]) -> list[Figure]:
    """The rates of the machine, each model's floor, and the share of it that the measured `speeds` reach."""
    config = measured_config(DECODERS[0])
    with prepared(pairs, config) as corpus:
        shape = typical_batch(corpus, sentences=config.training.batch_size)
    rates = {name: SQUARE**3 * 2 / seconds_of(SQUARE, SQUARE, SQUARE, 1, dtype) for name, dtype in _PRECISIONS.items()}
    figures = [
        Figure(name=f"product of {SQUARE:,} x {SQUARE:,}, {name}", unit="Gflop/s", values=[rate / 1e9])
        for name, rate in rates.items()
    ]
    for decoder in DECODERS:
        figures += _floors(decoder, shape, rates, speeds.get(decoder))
    return figures


def typical_batch(corpus: PreparedCorpus, *, sentences: int) -> Shape:
    """Sentences of the mean lengths of the training pairs."""
    ids = corpus.split("train")
    return Shape(
        sentences=sentences,
        src=round(float(ids.src_lengths.mean())) + 1,
        tgt=round(float(ids.tgt_lengths.mean())) + 1,
        vocabulary=len(corpus.tgt_codec.vocabulary),
    )


def _floors(decoder: str, shape: Shape, rates: Mapping[str, float], speed: float | None) -> Iterator[Figure]:
    model = measured_config(decoder).model
    operations = operations_of_a_token(model, shape)
    yield Figure(name=f"{decoder}, a target token", unit="Mflop", values=[operations / 1e6])
    floors = {f"{name}, large matrices": rate / operations for name, rate in rates.items()}
    fastest = (min(seconds_of_product(one, dtype) for dtype in _PRECISIONS.values()) for one in products(model, shape))
    floors[OWN] = shape.tokens / sum(fastest)
    for name, floor in floors.items():
        yield Figure(name=f"  at most, {name}", unit="target tokens/s", values=[floor])
    if speed:
        yield from shares(speed, floors)


def shares(speed: float, floors: Mapping[str, float]) -> Iterator[Figure]:
    """What per cent of each floor a speed is; the goal is a share of what large matrices allow at their fastest."""
    fastest = max((name for name in floors if name != OWN), key=floors.__getitem__)
    for name, floor in floors.items():
        goal = Goal(value=_SHARE) if name == fastest else None
        yield Figure(name=f"  reached, {name}", unit="%", values=[100 * speed / floor], goal=goal)


def seconds_of_product(product: Product, dtype: torch.dtype) -> float:
    """Forward and backward; the gradient of weights is taken once for all steps."""
    rows, inner, columns, batch = product.rows, product.inner, product.columns, product.batch
    stepwise = seconds_of(rows, inner, columns, batch, dtype) + seconds_of(rows, columns, inner, batch, dtype)
    if batch > 1:
        return product.steps * (stepwise + seconds_of(inner, rows, columns, batch, dtype))
    return product.steps * stepwise + seconds_of(inner, rows * product.steps, columns, batch, dtype)


@cache
def seconds_of(rows: int, inner: int, columns: int, batch: int, dtype: torch.dtype) -> float:
    """The shortest time in which the machine multiplies rows x inner with inner x columns, `batch` at a time."""
    left, right = torch.randn(batch, rows, inner).to(dtype), torch.randn(batch, inner, columns).to(dtype)
    if batch == 1:
        left, right = left[0], right[0]
    return shortest(lambda: torch.matmul(left, right))


def shortest(work: Callable[[], Tensor], clock: Callable[[], float] = time.perf_counter) -> float:
    """Seconds of the fastest of several measurements, each of as many runs as a clock needs."""
    work()
    started = clock()
    work()
    runs = max(1, round(_SHORTEST / max(clock() - started, 1e-9)))
    times = []
    for _ in range(_REPEATS):
        started = clock()
        for _ in range(runs):
            work()
        times.append((clock() - started) / runs)
    return min(times)
