"""Precision of the matrix products of a training step; weights, sums of gradients and the loss stay fp32."""

import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext

import torch
import torch.nn.functional as F
from torch import Tensor

from seq2seq_cli.config.choices import Precision, PrecisionName

MARGIN = 1.15
"""Least speed-up for which a precision is chosen over the one before it: smaller ones may be chance."""
PRODUCT = (256, 256, 2048)
"""Rows, inputs and outputs of the product that is timed: large enough for a clear difference."""
ROUNDS = 6
"""Measurements of each precision; the shortest counts."""


def choose_precision(name: PrecisionName, device: torch.device) -> Precision:
    """The precision of that name; for `auto`, the fastest one on the device.

    `auto` is bf16-mixed on a GPU with bf16 units; on a CPU with bf16 units all precisions are timed, which takes some
    150 ms; otherwise it is fp32. Two measurements may choose differently: to repeat or resume a run bit for bit, name
    the precision.
    """
    if name != "auto":
        return name
    if device.type == "cuda":
        return "bf16-mixed" if torch.cuda.is_bf16_supported(including_emulation=False) else "fp32"
    return _fastest(_product_seconds()) if device.type == "cpu" and _has_bf16_units() else "fp32"


def computing(precision: Precision, device: torch.device) -> AbstractContextManager[object]:
    """A context in which a step, forward and backward, uses the precision.

    bf16 keeps all tensors fp32 and lets torch multiply them with fewer bits, as bf16 on a CPU with AMX, as TF32 on a
    GPU; bf16-mixed makes the products bf16 tensors, too.
    """
    match precision:
        case "fp32":
            return nullcontext()
        case "bf16":
            return _products_through_bf16()
        case "bf16-mixed":
            return _bf16_numbers(device)


def product_dtype(tensor: Tensor) -> torch.dtype:
    """The dtype that matrix products of the tensor have here: autocast's or its own."""
    device = tensor.device.type
    return torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else tensor.dtype


def has_full_products(tensor: Tensor) -> bool:
    """Whether matrix products of the tensor have at least the precision of fp32 here."""
    exact = torch.get_float32_matmul_precision() == "highest"
    return tensor.dtype == torch.float64 or (tensor.dtype == torch.float32 and exact)


@contextmanager
def _products_through_bf16() -> Iterator[None]:
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


@contextmanager
def _bf16_numbers(device: torch.device) -> Iterator[None]:
    with torch.autocast(device.type, dtype=torch.bfloat16):
        if device.type != "cpu" or torch.ops.mkldnn._is_mkldnn_bf16_supported():  # noqa: SLF001  # no public way
            yield
            return
        # oneDNN has no LSTM in bf16 for CPUs without AVX-512, and torch asks it all the same; its own LSTM has.
        before = torch.backends.mkldnn.enabled
        torch.backends.mkldnn.enabled = False  # type: ignore[assignment]  # torch declares the property as its value
        try:
            yield
        finally:
            torch.backends.mkldnn.enabled = before


def _has_bf16_units() -> bool:
    # Older versions of torch have no list of what a CPU can do.
    capabilities: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    return any(capabilities.get(unit) for unit in ("avx512_bf16", "amx_bf16", "bf16"))


def _product_seconds() -> dict[Precision, float]:
    """Shortest seconds for a product, forward and backward, on one core, in each precision."""
    seconds: dict[Precision, float] = {"fp32": torch.inf, "bf16-mixed": torch.inf, "bf16": torch.inf}
    rows, inputs, outputs = PRODUCT
    x, weight = torch.ones(rows, inputs, requires_grad=True), torch.ones(outputs, inputs, requires_grad=True)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # whose CPU time leaves out waiting for other programs
    try:
        for precision in list(seconds) * ROUNDS:
            begin = time.thread_time()
            with computing(precision, x.device):
                torch.autograd.grad(F.linear(x, weight).sum(), (x, weight))
            seconds[precision] = min(seconds[precision], time.thread_time() - begin)
    finally:
        torch.set_num_threads(threads)
    return seconds


def _fastest(seconds: Mapping[Precision, float]) -> Precision:
    """The fastest precision; a later one must be faster by the `MARGIN` than those before it."""
    best, *others = seconds
    for other in others:
        # Not <=: with a coarse clock, all times may be 0.
        if seconds[other] * MARGIN < seconds[best]:
            best = other
    return best
