"""The process: its environment variables, freed memory kept or returned, and errors when there is too little."""

import errno
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pytest
import torch

from seq2seq_cli.compute.process import is_out_of_memory, memory_errors, prepare_environment
from seq2seq_cli.errors import TrainingError

VARIABLES = ("GOMP_SPINCOUNT", "LRU_CACHE_CAPACITY", "ONEDNN_PRIMITIVE_CACHE_CAPACITY", "OPENBLAS_NUM_THREADS")


def test_errors_of_memory_are_told_from_others() -> None:
    assert is_out_of_memory(torch.OutOfMemoryError("CUDA out of memory"))
    with pytest.raises(RuntimeError) as raised:
        torch.ones(2, 3) @ torch.ones(2, 3)
    assert not is_out_of_memory(raised.value)
    assert not is_out_of_memory(OSError("Cannot allocate memory"))
    assert not is_out_of_memory(OSError(errno.ENOSPC, "No space left on device"))
    assert not is_out_of_memory(ValueError("not enough memory"))


@pytest.mark.parametrize(
    "allocate",
    [
        partial(torch.empty, 2**50),
        partial(np.zeros, 2**50),
        *(partial(torch.nn.Linear, 4, size) for size in (2**62, 10**20)),  # beyond 64 bits
    ],
)
def test_out_of_memory_becomes_one_line_that_says_what_helps(allocate: Callable[[], object]) -> None:
    with pytest.raises(TrainingError, match=r"out of memory on cpu: lower training\.batch_size"), memory_errors("cpu"):
        allocate()


RUN_EACH = """
import os, sys
import psutil
from seq2seq_cli.compute.process import FreedMemory

def resident():
    return psutil.Process().memory_info().rss / 1e6

blocks = []

def scatter(count):
    "Free nine of ten blocks of 0.1 MB: memory at the end of the heap is returned in any case."
    blocks[:] = [bytes([1]) * 100_000 for _ in range(count)]
    blocks[:] = [block if place % 10 == 0 else None for place, block in enumerate(blocks)]

for code in sys.argv[1:]:
    if not (pid := os.fork()):
        exec(code)
        sys.stdout.flush()
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
"""
KEPT_AND_LEFT = """
freed = FreedMemory()
freed.most = 192 * 2**20
before = resident()
scatter(1000)
freed.limit()
print(resident() - before)
scatter(5000)
freed.limit()
print(resident() - before)
"""
GIVEN_BACK = """
freed = FreedMemory()
before = resident()
scatter(1000)
for _ in range(2):
    freed.give_back()
    print(resident() - before)
    scatter(1000)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another allocator")
def test_freed_memory_is_kept_until_it_is_too_much_and_returned_around_tensors_of_other_sizes() -> None:
    """Each in a process of its own; they are forked from one."""
    command = [sys.executable, "-c", RUN_EACH, KEPT_AND_LEFT, GIVEN_BACK]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    kept, left, first, second = map(float, done.stdout.split())
    assert kept > 80
    assert left < 120  # a tenth of 500 MB is in use, and the pages at the ends of the blocks
    assert first < 30
    assert second < 30


@pytest.mark.parametrize(
    ("machine", "users", "unset"),
    [
        ("x86_64", {"LRU_CACHE_CAPACITY": "7"}, ()),
        ("x86_64", {"OMP_WAIT_POLICY": "PASSIVE"}, ("GOMP_SPINCOUNT",)),  # which would override the policy
        ("aarch64", {}, ("LRU_CACHE_CAPACITY", "ONEDNN_PRIMITIVE_CACHE_CAPACITY", "OPENBLAS_NUM_THREADS")),
    ],
)
def test_variables_that_are_not_set_are_set_where_they_help_and_the_users_stay(
    monkeypatch: pytest.MonkeyPatch, machine: str, users: dict[str, str], unset: Sequence[str]
) -> None:
    monkeypatch.setattr("platform.machine", lambda: machine)
    for variable in (*VARIABLES, "OMP_WAIT_POLICY"):
        monkeypatch.setenv(variable, "")
        monkeypatch.delenv(variable)
    for variable, value in users.items():
        monkeypatch.setenv(variable, value)
    prepare_environment()
    assert {variable for variable in VARIABLES if variable not in os.environ} == set(unset)
    assert all(int(os.environ[variable]) > 0 for variable in VARIABLES if variable not in unset)
    assert all(os.environ[variable] == value for variable, value in users.items())
