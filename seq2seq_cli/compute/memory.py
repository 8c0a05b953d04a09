"""Memory: how much of it, what is kept of it when it is free, and how its end is told."""

import ctypes
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

from seq2seq_cli.errors import TrainingError

MOST_KEPT = 192 * 2**20
"""Bytes that a training keeps of what it has freed: more than most steps need, which would ask for it again."""
# Of glibc's malloc.h.
_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3
_STATUS = Path("/proc/self/status")
_PAGES = Path("/proc/self/statm")


def peak_memory_mb(device: torch.device) -> int | None:
    """The most memory that was held so far, in units of 10^6 bytes: by the process, or on a CUDA GPU by torch.

    None on Windows, where Python does not know it.
    """
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) // 10**6
    if _STATUS.exists() and (highest := re.search(rb"^VmHWM:\s+(\d+) kB$", _STATUS.read_bytes(), re.MULTILINE)):
        # Unlike ru_maxrss, this begins anew with the program: what its parent held is not counted.
        return int(highest[1]) * 1024 // 10**6
    try:
        import resource
    except ImportError:
        return None
    # In kilobytes on Linux, in bytes on macOS.
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit // 10**6


class FreedMemory:
    """What a training frees and uses again, where the allocator is glibc's.

    As it is, the tensors of each step would be returned to the system and asked for anew, page by page: a tenth of a
    step. So it is kept, unless the user has told glibc what to keep. But tensors of many sizes leave gaps between those
    in use, and ever more of them: too much of it is returned.
    """

    def __init__(self) -> None:
        """From now on this whole process keeps what it frees."""
        if not _is_allocator_set():
            _call_glibc("mallopt", _M_MMAP_THRESHOLD, 32 * 2**20)
            _call_glibc("mallopt", _M_TRIM_THRESHOLD, 128 * 2**20)
        self._in_use = _private_bytes()

    def limit(self) -> None:
        """Return all that is free to the system, if it may have become more than `MOST_KEPT`."""
        if _private_bytes() > self._in_use + MOST_KEPT:
            self._give_back()

    @contextmanager
    def other_sizes(self) -> Iterator[None]:
        """Return what is free before and after the block, whose tensors do not fit into the gaps of a step's."""
        self._give_back()
        yield
        self._give_back()

    def _give_back(self) -> None:
        """Return what is free to the system, gaps between what is in use too."""
        _call_glibc("malloc_trim", 0)
        self._in_use = _private_bytes()


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


def _is_allocator_set() -> bool:
    """Whether the user has told glibc what to keep, in either of the ways that it knows."""
    variables = ("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_")
    tunables = os.environ.get("GLIBC_TUNABLES", "")
    return any(name in os.environ for name in variables) or any(
        f"glibc.malloc.{name}_threshold" in tunables for name in ("mmap", "trim")
    )


def _call_glibc(name: str, *arguments: int) -> None:
    """Call a function of the C library, where it is one that has it."""
    if sys.platform == "linux" and (function := getattr(ctypes.CDLL(None), name, None)):
        function(*arguments)


def _private_bytes() -> int:
    """How much memory this process holds for itself, files not counted; 0 where Linux does not tell it."""
    if not _PAGES.exists():
        return 0
    resident, shared = _PAGES.read_text(encoding="ascii").split()[1:3]
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")
