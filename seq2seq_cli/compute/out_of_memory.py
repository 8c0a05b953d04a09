"""Out-of-memory errors, which each library raises in its own way; recognised without importing any of them."""

import errno
import re

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
_LIBRARIES = ("onnxruntime", "safetensors", "tokenizers")
"""Packages whose errors have no base that says more than Exception."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that there is too little memory, or that a size does not fit in 64 bits."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":  # numpy's, and torch's on a GPU
        return True
    if isinstance(error, OSError):  # without a number, it is one of the system's loader
        return error.errno == errno.ENOMEM or (error.errno is None and "failed to map segment" in str(error))
    is_of_library = type(error).__module__.partition(".")[0] in _LIBRARIES
    may_mean_it = is_of_library or isinstance(error, RuntimeError | TypeError | ImportError)
    return may_mean_it and re.search(_MEANS_MEMORY, str(error)) is not None
