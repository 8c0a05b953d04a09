"""In which numbers the products of a training step are computed. Weights, sums of gradients and the loss stay fp32."""

import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext

import torch
import torch.nn.functional as F

from seq2seq_cli.config.choices import Precision, PrecisionName

MARGIN = 1.15
"""How many times faster a precision has to be to be taken: a small difference would be chosen by chance."""
PRODUCT = (256, 256, 2048)
"""Rows, inputs and outputs of the product that is timed: large enough that one precision is clearly the fastest."""
ROUNDS = 6


def choose_precision(name: PrecisionName, device: torch.device) -> Precision:
    """The precision of the name; `auto` is what is fastest on the device.

    On a GPU that is bf16-mixed where it has units for it. On a CPU with units for bf16 they are timed, some 150 ms in
    all. Anything else takes fp32. A measurement can come out differently another time: a run that is to be repeated or
    resumed bit for bit has to be told the choice.
    """
    if name != "auto":
        return name
    if device.type == "cuda":
        return "bf16-mixed" if torch.cuda.is_bf16_supported(including_emulation=False) else "fp32"
    return _fastest(_measured()) if device.type == "cpu" and _has_bf16_units() else "fp32"


def computing(precision: Precision, device: torch.device) -> AbstractContextManager[object]:
    """What a step, forwards and backwards, is done in; afterwards everything is as before.

    bf16 leaves all tensors fp32, and lets the device multiply them as bf16; bf16-mixed makes the results of products
    bf16 too.
    """
    match precision:
        case "fp32":
            return nullcontext()
        case "bf16":
            return _products_through_bf16()
        case "bf16-mixed":
            return torch.autocast(device.type, dtype=torch.bfloat16)


@contextmanager
def _products_through_bf16() -> Iterator[None]:
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def _has_bf16_units() -> bool:
    # Older versions of torch do not tell what a CPU can do.
    capabilities: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    return any(capabilities.get(unit) for unit in ("avx512_bf16", "amx_bf16", "bf16"))


def _measured() -> dict[Precision, float]:
    """Seconds of a product on one core, forwards and backwards, in each precision."""
    threads = torch.get_num_threads()
    # The time of a single thread counts what it computes, not what it waits for because of other programs.
    torch.set_num_threads(1)
    try:
        return _product_seconds()
    finally:
        torch.set_num_threads(threads)


def _product_seconds() -> dict[Precision, float]:
    """The shortest time of a product in each precision."""
    seconds: dict[Precision, float] = {"fp32": torch.inf, "bf16-mixed": torch.inf, "bf16": torch.inf}
    rows, inputs, outputs = PRODUCT
    x, weight = torch.ones(rows, inputs, requires_grad=True), torch.ones(outputs, inputs, requires_grad=True)
    for _ in range(ROUNDS):
        for precision in seconds:
            begin = time.thread_time()
            with computing(precision, x.device):
                torch.autograd.grad(F.linear(x, weight).sum(), (x, weight))
            seconds[precision] = min(seconds[precision], time.thread_time() - begin)
    return seconds


def _fastest(seconds: Mapping[Precision, float]) -> Precision:
    """The precision that takes least time; one that is named later has to be faster by the `MARGIN`."""
    best, *others = seconds
    for other in others:
        # Less, not as little: a clock that ticks too slowly sees no time pass at all.
        if seconds[other] * MARGIN < seconds[best]:
            best = other
    return best
