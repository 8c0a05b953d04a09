"""Where to compute."""

import ctypes
import re
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from seq2seq_cli.errors import TrainingError, UsageError


def choose_device(name: str, local_rank: int = 0) -> torch.device:
    """The device of that name; `auto` takes the first of cuda, mps and cpu that is there.

    Of several processes on this machine each has a GPU of its own, by its `local_rank`. Raises UsageError for a device
    that this machine lacks.
    """
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if name == "auto":
        name = next(device for device, found in there.items() if found)
    if not there[name]:
        found = ", ".join(device for device, found in there.items() if found)
        raise UsageError(f"--device {name}: this machine has none that torch can use; choose {found} or auto")
    if name != "cuda":
        return torch.device(name)
    if local_rank >= torch.cuda.device_count():
        raise UsageError(
            f"--device cuda: this machine has {torch.cuda.device_count()} for {local_rank + 1} or more processes: start"
            " as many with torchrun's --nproc-per-node, or train on the cpu"
        )
    torch.cuda.set_device(local_rank)
    return torch.device("cuda", local_rank)


def describe_device(device: torch.device) -> str:
    """The device in words, for the first line of a run."""
    if device.type == "cuda":
        return f"cuda ({torch.cuda.get_device_name(device)})"
    if device.type == "cpu":
        return f"cpu ({torch.get_num_threads()} threads)"
    return device.type


def peak_memory_mb(device: torch.device) -> int:
    """The most memory that was held so far, in units of 10^6 bytes: by the process, or on a GPU by torch."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) // 10**6
    # In kilobytes on Linux, in bytes on macOS.
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit // 10**6


def give_back_memory() -> None:
    """Return to the system what this process has freed, where its allocator is glibc's.

    That keeps freed memory between what is still in use. Tensors of many sizes leave ever more such gaps.
    """
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim:
            trim(0)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether torch says that a tensor does not fit in memory."""
    # The allocator of the CPU raises nothing more special than a RuntimeError.
    return isinstance(error, torch.OutOfMemoryError) or (
        isinstance(error, RuntimeError) and re.search("(allocate|enough) memory", str(error)) is not None
    )


@contextmanager
def memory_errors(device: torch.device) -> Iterator[None]:
    """Tell as a TrainingError that the memory did not suffice."""
    try:
        yield
    except RuntimeError as error:
        if not is_out_of_memory(error):
            raise
        raise TrainingError(
            f"out of memory on {device.type}: lower training.batch_size, or the sizes of the model"
        ) from error
