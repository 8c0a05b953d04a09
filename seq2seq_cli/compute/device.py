"""The device that computes: its choice, its description, deterministic algorithms."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from seq2seq_cli.compute.process_group import SINGLE, ProcessGroup
from seq2seq_cli.config.choices import DeviceName
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
    there: dict[DeviceName, bool] = {"cuda": torch.cuda.is_available(), "mps": has_mps, "cpu": True}
    if name == "auto":
        name = next(device for device, found in there.items() if found)
    if not there[name]:
        found = ", ".join(device for device, found in there.items() if found)
        raise UsageError(
            f"--device {name}: torch cannot use it here, or not in several processes; choose {found} or auto"
        )
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
def deterministic_algorithms() -> Iterator[None]:
    """Use deterministic algorithms of torch inside the block; torch warns of an operation that has none here."""
    # cuBLAS reads it at its first product on the GPU. A value of the user's stays.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    before = torch.get_deterministic_debug_mode()
    torch.set_deterministic_debug_mode("warn")
    try:
        yield
    finally:
        torch.set_deterministic_debug_mode(before)
