"""Precision of the matrix products of a training step; weights, sums of gradients and the loss stay fp32."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import torch
from torch import Tensor

from seq2seq_cli.compute.device import is_gpu
from seq2seq_cli.config.choices import Precision, PrecisionName


def choose_precision(name: PrecisionName, device: torch.device) -> Precision:
    """The precision of that name; `auto` is bf16-mixed where the device has units for such products, otherwise fp32.

    On a CPU without these units, bf16 is emulated, and slower than fp32.
    """
    if name != "auto":
        return name
    return "bf16-mixed" if _has_bf16_units(device) else "fp32"


@contextmanager
def computing(precision: Precision, device: torch.device) -> Iterator[None]:
    """A context in which a step, forward and backward, uses the precision.

    bf16 keeps all tensors fp32 and lets torch multiply them with fewer bits, as bf16 on a CPU with AMX, as TF32 on a
    GPU; bf16-mixed makes the products bf16 tensors, too.
    """
    with ExitStack() as put_back:
        if precision == "bf16":
            put_back.callback(torch.set_float32_matmul_precision, torch.get_float32_matmul_precision())
            torch.set_float32_matmul_precision("medium")
        elif precision == "bf16-mixed":
            put_back.enter_context(torch.autocast(device.type, dtype=torch.bfloat16))
            if device.type == "cpu" and not torch.ops.mkldnn._is_mkldnn_bf16_supported():  # noqa: SLF001  # no public way
                # oneDNN has no LSTM in bf16 for CPUs without AVX-512, and torch asks it all the same; its own LSTM has.
                put_back.callback(setattr, torch.backends.mkldnn, "enabled", torch.backends.mkldnn.enabled)
                torch.backends.mkldnn.enabled = False  # type: ignore[assignment]  # declared as its value
        yield


def product_dtype(tensor: Tensor) -> torch.dtype:
    """The dtype that matrix products of the tensor have here: autocast's or its own."""
    device = tensor.device.type
    return torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else tensor.dtype


def has_full_products(tensor: Tensor) -> bool:
    """Whether matrix products of the tensor have at least the precision of fp32 here."""
    exact = torch.get_float32_matmul_precision() == "highest"
    return tensor.dtype == torch.float64 or (tensor.dtype == torch.float32 and exact)


def _has_bf16_units(device: torch.device) -> bool:
    if is_gpu(device):
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    # Older versions of torch have no list of what a CPU can do.
    capabilities: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    return device.type == "cpu" and any(capabilities.get(unit) for unit in ("amx_bf16", "avx512_bf16"))
