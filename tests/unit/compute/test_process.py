"""The process: its environment variables, freed memory kept or returned, and errors when there is too little."""

import errno
import os
import platform
import subprocess
import sys
from collections.abc import Callable
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


SCATTER = """
import psutil

def resident():
    return psutil.Process().memory_info().rss / 1e6

blocks = []

def scatter(count):
    "Free nine of ten blocks of 0.1 MB: memory at the end of the heap is returned in any case."
    blocks[:] = [bytes([1]) * 100_000 for _ in range(count)]
    blocks[:] = [block if place % 10 == 0 else None for place, block in enumerate(blocks)]
"""


RUN_EACH = """
import os, sys
from seq2seq_cli.compute.process import FreedMemory
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
    command = [sys.executable, "-c", SCATTER + RUN_EACH, KEPT_AND_LEFT, GIVEN_BACK]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    kept, left, first, second = map(float, done.stdout.split())
    assert kept > 80
    assert left < 120  # a tenth of 500 MB is in use, and the pages at the ends of the blocks
    assert first < 30
    assert second < 30


@pytest.fixture
def unset_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """An x86 machine on which none of the variables is set."""
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    for variable in (*VARIABLES, "OMP_WAIT_POLICY"):
        monkeypatch.setenv(variable, "")
        monkeypatch.delenv(variable)


@pytest.mark.usefixtures("unset_variables")
def test_variables_that_are_not_set_are_set_and_the_users_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLES[1], "7")
    prepare_environment()
    assert all(int(os.environ[variable]) > 0 for variable in VARIABLES)
    assert os.environ[VARIABLES[1]] == "7"


@pytest.mark.usefixtures("unset_variables")
def test_the_wait_policy_of_the_user_is_not_overridden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_WAIT_POLICY", "PASSIVE")
    prepare_environment()
    assert "GOMP_SPINCOUNT" not in os.environ


@pytest.mark.usefixtures("unset_variables")
def test_on_other_machines_cache_and_numpys_threads_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    prepare_environment()
    assert not {*VARIABLES[1:]} & os.environ.keys()
