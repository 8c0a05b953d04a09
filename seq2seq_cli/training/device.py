"""Where to compute."""

import ctypes
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from seq2seq_cli.errors import TrainingError, UsageError
from seq2seq_cli.training.world import ALONE, World

_CUBLAS = "CUBLAS_WORKSPACE_CONFIG"
# Of glibc's malloc.h.
_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3


def choose_device(name: str, world: World = ALONE) -> torch.device:
    """The device of that name; `auto` takes the first of cuda, mps and cpu that is there.

    Of several processes on this machine each has a GPU of its own. Raises UsageError for a device that this machine
    lacks, or that several processes cannot train on together.
    """
    # Nothing carries sums between processes from Apple's GPUs, and a machine has but one.
    has_mps = torch.backends.mps.is_available() and world.size == 1
    there = {"cuda": torch.cuda.is_available(), "mps": has_mps, "cpu": True}
    if name == "auto":
        name = next(device for device, found in there.items() if found)
    if not there[name]:
        found = ", ".join(device for device, found in there.items() if found)
        who = "this machine has none" if world.size == 1 else "several processes have none here"
        raise UsageError(f"--device {name}: {who} that torch can use; choose {found} or auto")
    if name != "cuda":
        return torch.device(name)
    if world.local_rank >= torch.cuda.device_count():
        raise UsageError(
            f"--device cuda: this machine has {torch.cuda.device_count()} for {world.local_rank + 1} or more processes:"
            " start as many with torchrun's --nproc-per-node, or train on the cpu"
        )
    torch.cuda.set_device(world.local_rank)
    return torch.device("cuda", world.local_rank)


def describe_device(device: torch.device) -> str:
    """The device in words, for the first line of a run."""
    if device.type == "cuda":
        return f"cuda ({torch.cuda.get_device_name(device)})"
    if device.type == "cpu":
        return f"cpu ({torch.get_num_threads()} threads)"
    return device.type


def peak_memory_mb(device: torch.device) -> int | None:
    """The most memory that was held so far, in units of 10^6 bytes: by the process, or on a GPU by torch.

    None on Windows, where Python does not know it.
    """
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) // 10**6
    try:
        import resource
    except ImportError:
        return None
    # In kilobytes on Linux, in bytes on macOS.
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit // 10**6


def keep_freed_memory() -> None:
    """Let this process use again what it has freed, where its allocator is glibc's, unless the user has set that.

    As it is, the tensors of each step would be returned to the system and asked for anew, page by page: a tenth of a
    step. `give_back_memory` returns what is free nevertheless.
    """
    if "MALLOC_MMAP_THRESHOLD_" not in os.environ and "MALLOC_TRIM_THRESHOLD_" not in os.environ:
        _call_glibc("mallopt", _M_MMAP_THRESHOLD, 32 * 2**20)
        _call_glibc("mallopt", _M_TRIM_THRESHOLD, 128 * 2**20)


def give_back_memory() -> None:
    """Return to the system what this process has freed, where its allocator is glibc's.

    That keeps freed memory between what is still in use. Tensors of many sizes leave ever more such gaps.
    """
    _call_glibc("malloc_trim", 0)


def _call_glibc(name: str, *arguments: int) -> None:
    """Call a function of the C library, where it is one that has it."""
    if sys.platform == "linux" and (function := getattr(ctypes.CDLL(None), name, None)):
        function(*arguments)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether torch says that a tensor does not fit in memory, or that its size is more than a number of 64 bits."""
    # The allocator of the CPU raises nothing more special than a RuntimeError, and what reads sizes a TypeError.
    too_large = "(allocate|enough) memory|Storage size calculation overflowed|Overflow when unpacking long"
    return isinstance(error, torch.OutOfMemoryError) or (
        isinstance(error, RuntimeError | TypeError) and re.search(too_large, str(error)) is not None
    )


@contextmanager
def memory_errors(device: torch.device) -> Iterator[None]:
    """Tell as a TrainingError that the memory did not suffice."""
    try:
        yield
    except (RuntimeError, TypeError) as error:
        if not is_out_of_memory(error):
            raise
        raise TrainingError(
            f"out of memory on {device.type}: lower training.batch_size, or the sizes of the model"
        ) from error


@contextmanager
def deterministic_algorithms() -> Iterator[None]:
    """Only algorithms of torch that give the same numbers each time; afterwards all is as before.

    Raises TrainingError, which says what it is, where an operation on this device has no such algorithm.
    """
    # cuBLAS reads this once, at its first product on the GPU; torch asks for it. What the user has set stays.
    os.environ.setdefault(_CUBLAS, ":4096:8")
    before, only_warn = (
        torch.are_deterministic_algorithms_enabled(),
        torch.is_deterministic_algorithms_warn_only_enabled(),
    )
    torch.use_deterministic_algorithms(True)
    try:
        yield
    except RuntimeError as error:
        why = _why_not_deterministic(str(error))
        if why is None:
            raise
        raise TrainingError(
            f"training.deterministic is true, and {why}; set training.deterministic=false, or train on the cpu"
        ) from error
    finally:
        torch.use_deterministic_algorithms(before, warn_only=only_warn)


def _why_not_deterministic(message: str) -> str | None:
    """What torch says that it cannot do the same way twice; None when it says something else."""
    if found := re.search(r"(\S+) does not have a deterministic implementation", message):
        return f"torch has no deterministic algorithm for {found[1]} on this device"
    if _CUBLAS in message:
        return f"cuBLAS needs {_CUBLAS} to be :4096:8 or :16:8, not {os.environ.get(_CUBLAS)}"
    return None
