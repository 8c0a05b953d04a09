"""Memory of the process: its peak, freed memory kept for reuse, and out-of-memory errors in plain words."""

import ctypes
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import torch

from seq2seq_cli.compute.out_of_memory import SMALLER_TRAINING, is_out_of_memory
from seq2seq_cli.errors import TrainingError

MOST_KEPT = 192 * 2**20
"""Bytes of freed memory that a run keeps: more than most steps need again."""
# From glibc's malloc.h.
_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3


def peak_memory_mb(device: torch.device) -> int:
    """The largest memory held so far, in units of 10^6 bytes: by the process, or on a CUDA GPU by torch."""
    held = torch.cuda.max_memory_allocated(device) if device.type == "cuda" else _peak_bytes()
    return held // 10**6


def _peak_bytes() -> int:
    if sys.platform == "win32":
        return psutil.Process().memory_info().peak_wset
    # psutil knows no peak here, and on Linux ru_maxrss begins with the memory of the process that started this one.
    status = Path("/proc/self/status")
    if status.exists() and (highest := re.search(rb"^VmHWM:\s+(\d+) kB$", status.read_bytes(), re.MULTILINE)):
        return int(highest[1]) * 1024
    import resource

    unit = 1 if sys.platform == "darwin" else 1024  # bytes on macOS, units of 1,024 bytes elsewhere
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


class FreedMemory:
    """Freed memory that a run uses again, where the allocator is glibc's.

    By default glibc returns the tensors of each step to the system and asks for them again, page by page, which costs a
    tenth of the step. So freed memory is kept, unless the user has set what glibc keeps. Tensors of many sizes leave
    ever more gaps between those in use, so beyond `MOST_KEPT` it is returned.
    """

    def __init__(self) -> None:
        """Let the whole process keep the memory that it frees."""
        if not _is_allocator_set():
            _call_glibc("mallopt", _M_MMAP_THRESHOLD, 32 * 2**20)
            _call_glibc("mallopt", _M_TRIM_THRESHOLD, 128 * 2**20)
        self._in_use = _private_bytes()

    def limit(self) -> None:
        """Return all free memory to the system when it may be more than `MOST_KEPT`."""
        if _private_bytes() > self._in_use + MOST_KEPT:
            self._give_back()

    @contextmanager
    def other_sizes(self) -> Iterator[None]:
        """Return all free memory before and after the block, whose tensors have other sizes than a step."""
        self._give_back()
        yield
        self._give_back()

    def _give_back(self) -> None:
        """Return all free memory to the system, the gaps between tensors in use included."""
        _call_glibc("malloc_trim", 0)
        self._in_use = _private_bytes()


@contextmanager
def memory_errors(device: torch.device, cure: str = SMALLER_TRAINING) -> Iterator[None]:
    """Turn an out-of-memory error into a TrainingError, which names the cure."""
    try:
        yield
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        raise TrainingError(f"out of memory on {device.type}: {cure}") from error


def _is_allocator_set() -> bool:
    """Whether the user has set what glibc keeps, by a variable of its own or by a tunable."""
    variables = ("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_")
    tunables = os.environ.get("GLIBC_TUNABLES", "")
    return any(name in os.environ for name in variables) or any(
        f"glibc.malloc.{name}_threshold" in tunables for name in ("mmap", "trim")
    )


def _call_glibc(name: str, *arguments: int) -> None:
    """Call a function of the C library; do nothing where it has none of that name."""
    if sys.platform == "linux" and (function := getattr(ctypes.CDLL(None), name, None)):
        function(*arguments)


def _private_bytes() -> int:
    """Resident memory of this process, without shared pages and files; 0 where the allocator is not glibc's."""
    if sys.platform != "linux":
        return 0
    held = psutil.Process().memory_info()
    return held.rss - held.shared
