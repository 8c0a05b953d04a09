"""The process: environment variables, the memory that it keeps, out-of-memory errors in plain words; without torch."""

import errno
import gc
import os
import platform
import re
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from seq2seq_cli.errors import TrainingError


def prepare_environment() -> None:
    """Set how many threads start, how they wait, and what torch caches; variables that the user has set stay.

    It has an effect only before torch and numpy are imported.
    """
    # By default, torch's threads spin while they wait for each other, so long that training beside another busy program
    # is many times slower. With this count they sleep after some hundredths of a millisecond. Measured: with a lower
    # one, waking them costs more; a higher one gains nothing on a quiet machine and loses time on a busy one.
    if "OMP_WAIT_POLICY" not in os.environ:  # the count would override it
        os.environ.setdefault("GOMP_SPINCOUNT", "3000")
    # The optimisers load torch's compiler, which makes a folder that nothing removes, unless it has one; s2s does not
    # use it, and nothing is written there.
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", os.curdir)
    if platform.machine() in ("x86_64", "AMD64"):
        # OneDNN compiles code for each shape of a product in bf16, which takes longer than most products, and keeps
        # it for 1,024 shapes; the batches of a run have some 3,000, in 90 MB more.
        os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "4096")
        # Torch keeps another 1,024, larger ones, which on x86 only save a look-up in OneDNN's cache.
        os.environ.setdefault("LRU_CACHE_CAPACITY", "1")
        # Numpy starts its threads as it is imported, which takes 30 ms, and multiplies few matrices here. On other
        # machines torch may compute with the same library.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def has_other_processes() -> bool:
    """Whether torchrun started this process, and others with it."""
    set_by_torchrun = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT")
    return all(name in os.environ for name in set_by_torchrun) and os.environ["WORLD_SIZE"] != "1"


def launch_name() -> str | None:
    """The name that all processes of one torchrun share, also after a restart; None without torchrun."""
    name = os.environ.get("TORCHELASTIC_RUN_ID")
    # torchrun calls it "none" when it got a master address and no job id: its process id takes the place.
    return f"{socket.gethostname()} {os.getppid()}" if name == "none" else name


# Memory

SMALLER_TRAINING = "lower training.batch_size or the sizes of the model"
SMALLER_SEARCH = "lower decoding.batch_size or decoding.beam_size with --set"
"""What helps when a training or a translation takes too much memory."""

_MEANS_MEMORY = (
    # torch, whose sizes can be too large for 64 bits, too, and its library oneDNN
    r"(allocate|enough) memory|Storage size calculation overflowed|Overflow when unpacking long"
    r"|could not create a primitive$"
    # C++ and ONNX Runtime; the system's loader; Python
    r"|bad_alloc|bad allocation|Failed to allocate|failed to map segment|os error 12\b|can't start new thread"
)

_KEPT = 10
"""Memory of the machine per freed memory that a run keeps. Each return costs as many page faults as it has pages: with
192 MB kept, where a step takes more, `quick` was a quarter slower after some minutes."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error means too little memory or a size beyond 64 bits; found without importing its library."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":  # numpy's, and torch's on a GPU
        return True
    if isinstance(error, OSError):  # without a number, it is one of the system's loader
        return error.errno == errno.ENOMEM or (error.errno is None and "failed to map segment" in str(error))
    # The errors of these libraries have no base that says more than Exception.
    is_of_library = type(error).__module__.partition(".")[0] in ("onnxruntime", "safetensors", "tokenizers")
    may_mean_it = is_of_library or isinstance(error, RuntimeError | TypeError | ImportError)
    return may_mean_it and re.search(_MEANS_MEMORY, str(error)) is not None


@contextmanager
def without_garbage_collector() -> Iterator[None]:
    """Keep Python's garbage collector from looking through what is made in the block, over and over while it grows."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:  # a program may do without it altogether
            gc.enable()


@contextmanager
def memory_errors(device: str, cure: str = SMALLER_TRAINING) -> Iterator[None]:
    """Turn an out-of-memory error into a TrainingError, which names the type of the device and the cure."""
    try:
        yield
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        raise TrainingError(f"out of memory on {device}: {cure}") from error


class FreedMemory:
    """Freed memory that a run uses again, where the allocator is glibc's.

    By default glibc returns the tensors of each step to the system and asks for them again, page by page, which costs a
    tenth of the step. So freed memory is kept. Tensors of many sizes leave ever more gaps between those in use, so
    beyond a limit it is returned.
    """

    def __init__(self) -> None:
        """Let the whole process keep the memory that it frees, at most a tenth of all."""
        _call_glibc("mallopt", -3, 32 * 2**20)  # M_MMAP_THRESHOLD
        _call_glibc("mallopt", -1, 128 * 2**20)  # M_TRIM_THRESHOLD
        self._in_use = _private_bytes()
        self.most = os.sysconf("SC_PHYS_PAGES") // _KEPT * os.sysconf("SC_PAGE_SIZE") if sys.platform == "linux" else 0

    def limit(self) -> None:
        """Return all free memory to the system when it may be more than is kept."""
        if _private_bytes() > self._in_use + self.most:
            self.give_back()

    def give_back(self) -> None:
        """Return all free memory to the system, the gaps between tensors in use included.

        It is to be called before and after work with tensors of other sizes than those of a step.
        """
        _call_glibc("malloc_trim", 0)
        self._in_use = _private_bytes()


def _call_glibc(name: str, *arguments: int) -> None:
    """Call a function of the C library; do nothing where it has none of that name."""
    import ctypes  # not above: only training needs it

    if sys.platform == "linux" and (function := getattr(ctypes.CDLL(None), name, None)):
        function(*arguments)


def _private_bytes() -> int:
    """Resident memory of this process, without shared pages and files; 0 on other systems than Linux."""
    if sys.platform != "linux":
        return 0
    _, resident, shared, *_ = map(int, Path("/proc/self/statm").read_text(encoding="ascii").split())
    return (resident - shared) * os.sysconf("SC_PAGE_SIZE")
