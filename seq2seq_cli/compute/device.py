"""The device that computes, the precision of its matrix products, and deterministic algorithms."""

import os
import timeit
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

import torch
from torch import Tensor

from seq2seq_cli.compute.process_group import SINGLE, ProcessGroup
from seq2seq_cli.config.choices import DeviceName, Precision, PrecisionName
from seq2seq_cli.counts import counted
from seq2seq_cli.errors import UsageError

GPU = "cuda"
"""The type of the devices that compute beside the program: it goes on until it needs a result."""


def is_gpu(device: torch.device) -> bool:
    """Whether the device computes beside the program, and reads pinned memory."""
    return device.type == GPU


def choose_device(name: DeviceName, group: ProcessGroup = SINGLE) -> torch.device:
    """The device of that name; `auto` is the first of cuda, mps and cpu that exists.

    Each process on a machine gets a GPU of its own. Raises UsageError for a device that this machine lacks, or that
    several processes cannot train on together.
    """
    # No backend sums tensors of Apple's GPUs over processes, and a machine has only one.
    has_mps = torch.backends.mps.is_available() and group.size == 1
    found: dict[DeviceName, bool] = {"cuda": torch.cuda.is_available(), "mps": has_mps, "cpu": True}
    usable = [device for device, is_usable in found.items() if is_usable]
    name = usable[0] if name == "auto" else name
    if name not in usable:
        problem = "torch cannot use it here, or not in several processes"
        raise UsageError(f"--device {name}: {problem}; choose {', '.join(usable)} or auto")
    if name != "cuda":
        return torch.device(name)
    if group.local_rank >= torch.cuda.device_count():
        raise UsageError(
            f"--device cuda: this machine has {counted(torch.cuda.device_count(), 'GPU')}, and torchrun started"
            f" {group.local_rank + 1} or more processes: lower --nproc-per-node, or train on the cpu"
        )
    torch.cuda.set_device(group.local_rank)
    return torch.device(GPU, group.local_rank)


def describe_device(device: torch.device) -> str:
    """The device in words, for the first line of a run."""
    if is_gpu(device):
        return f"cuda ({torch.cuda.get_device_name(device)})"
    if device.type == "cpu":
        return f"cpu ({counted(torch.get_num_threads(), 'thread')})"
    return device.type


@contextmanager
def changed(change: Callable[[Any], object], inside: object, afterwards: object) -> Iterator[None]:
    """Change a setting inside the block, and change it back afterwards."""
    change(inside)
    try:
        yield
    finally:
        change(afterwards)


def denormals_as_zero() -> AbstractContextManager[None]:
    """Count numbers below 1e-38 as 0 inside the block, on a CPU: they take a twentieth of the time of a step.

    The threads that torch starts in the block do so until they end.
    """
    return changed(torch.set_flush_denormal, True, False)


def threads_among(models: int, place: int = 0) -> AbstractContextManager[None]:
    """Compute inside the block with a share of the threads, as the model at this place, from 0, of those side by side.

    The threads of a model wait for one another at each of its many small operations, those of two models do not.
    """
    threads = torch.get_num_threads()
    return changed(torch.set_num_threads, max(1, (threads + models - 1 - place) // models), threads)


def deterministic_algorithms() -> AbstractContextManager[None]:
    """Use deterministic algorithms of torch inside the block; torch warns of an operation that has none here."""
    # cuBLAS reads it at its first product on the GPU. A value of the user's stays.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    return changed(torch.set_deterministic_debug_mode, "warn", torch.get_deterministic_debug_mode())


def choose_precision(name: PrecisionName, device: torch.device) -> Precision:
    """The precision of that name; `auto` is bf16-mixed where the device multiplies faster in bf16, otherwise fp32.

    Of a CPU that has units for such products, the time of one is measured: with AVX-512 alone, it is half of the time
    in fp32 on processors of AMD, and twice that time on some of Intel. Without units, bf16 is emulated, and slower.
    """
    if name != "auto":
        return name
    return "bf16-mixed" if _has_bf16_units(device) and (is_gpu(device) or _is_faster_in_bf16()) else "fp32"


@contextmanager
def computing(precision: Precision, device: torch.device) -> Iterator[None]:
    """A context in which forward and backward use the precision; weights, sums of gradients and the loss stay fp32."""
    with ExitStack() as put_back:
        if precision == "bf16-mixed":
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


def _has_bf16_units(device: torch.device) -> bool:
    if is_gpu(device):
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    # Older versions of torch have no list of what a CPU can do.
    capabilities: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    return device.type == "cpu" and any(capabilities.get(unit) for unit in ("amx_bf16", "avx512_bf16"))


def _is_faster_in_bf16() -> bool:
    """Whether a product takes clearly less time than in fp32: a small difference may be chance. It takes some 30 ms."""

    def seconds(dtype: torch.dtype) -> float:
        matrix = torch.ones(512, 512, dtype=dtype)
        return min(timeit.repeat(lambda: matrix @ matrix, number=1, repeat=10))

    with threads_among(torch.get_num_threads()):  # by one: several wait for one another where other programs run
        return seconds(torch.bfloat16) < 0.8 * seconds(torch.float32)
