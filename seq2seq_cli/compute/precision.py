"""Precision of the matrix products of a training step; weights, sums of gradients and the loss stay fp32."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import torch
from torch import Tensor

from seq2seq_cli.config.choices import Precision, PrecisionName


def choose_precision(name: PrecisionName, device: torch.device) -> Precision:
    """The precision of that name; `auto` is bf16-mixed where the device has units for such products, otherwise fp32.

    On a CPU without these units, bf16 is emulated, and slower than fp32.
    """
    if name != "auto":
        return name
    return "bf16-mixed" if _has_bf16_units(device) else "fp32"


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


def _has_bf16_units(device: torch.device) -> bool:
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    # Older versions of torch have no list of what a CPU can do.
    capabilities: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    return device.type == "cpu" and any(capabilities.get(unit) for unit in ("amx_bf16", "avx512_bf16"))
