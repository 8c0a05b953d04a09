"""In which numbers the products of a training step are computed."""

from contextlib import AbstractContextManager, nullcontext
from typing import Literal

import torch

Precision = Literal["fp32", "bf16-mixed"]


def choose_precision(name: Literal["auto", "fp32", "bf16-mixed"], device: torch.device) -> Precision:
    """`auto` takes bf16-mixed where the device multiplies bf16 numbers in hardware, fp32 elsewhere.

    It goes by what the device can do, not by a measurement: the same machine always chooses the same.
    """
    if name != "auto":
        return name
    if device.type == "cuda":
        return "bf16-mixed" if torch.cuda.is_bf16_supported(including_emulation=False) else "fp32"
    # Older versions of torch do not tell what a CPU can do.
    capabilities: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)() if device.type == "cpu" else {}
    has_units = any(capabilities.get(unit) for unit in ("avx512_bf16", "amx_bf16", "arm_bf16"))
    return "bf16-mixed" if has_units else "fp32"


def mixed(precision: Precision, device: torch.device) -> AbstractContextManager[object]:
    """Inside, products are computed in bf16 if the precision says so; weights and loss stay fp32."""
    return nullcontext() if precision == "fp32" else torch.autocast(device.type, dtype=torch.bfloat16)
