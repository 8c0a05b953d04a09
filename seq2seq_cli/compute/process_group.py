"""The group of processes that train one model together, and their collective operations.

torchrun starts the processes, on one machine or several, and gives each its rank in the environment. All of them go
through the same steps, each with its share of every batch. Decisions (the run folder, the end of the time, a request to
stop) are made by process 0 or by a sum over all processes. Process 0 alone writes files and messages.
"""

import gc
import os
import re
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn

from seq2seq_cli.compute.process import has_other_processes
from seq2seq_cli.errors import OtherProcessError, S2SError, TrainingError

T = TypeVar("T")

_LOST = "gloo|Connection (closed|reset|refused)|Broken pipe|Timed out waiting|NCCL"
"""What an error says when another process is gone."""
PATIENCE = timedelta(seconds=10)
"""Seconds that a process waits for the others when it ends."""


@dataclass(frozen=True, kw_only=True)
class ProcessGroup:
    """A process and its group. All methods but `agreed` are collective: all processes call them, in the same order."""

    rank: int
    """The number of this process, counted from 0."""
    size: int
    local_rank: int = 0
    """The number of this process on its machine, counted from 0."""

    @property
    def is_main(self) -> bool:
        """Whether this is process 0, which writes files and messages."""
        return self.rank == 0

    def sum(self, numbers: Sequence[float]) -> list[float]:
        """The sum of each number over all processes; the same bits in all of them."""
        return self.sum_tensor(torch.tensor(numbers, dtype=torch.float64)).tolist()

    def sum_tensor(self, tensor: Tensor) -> Tensor:
        """The sum of a tensor over all processes, in place."""
        if self.size > 1:
            dist.all_reduce(tensor)
        return tensor

    def max(self, *numbers: int) -> int:
        """The largest of the numbers of all processes."""
        tensor = torch.tensor(max(numbers))
        if self.size > 1:
            dist.all_reduce(tensor, dist.ReduceOp.MAX)
        return int(tensor)

    def gather(self, value: T) -> list[T]:
        """The values of all processes, by rank."""
        if self.size == 1:
            return [value]
        values: list[Any] = [None] * self.size
        dist.all_gather_object(values, value)
        return values

    def on_main(self, make: Callable[[], T]) -> T:
        """Call `make` in process 0 alone, and return its result in all processes; see `on_all` for errors."""
        if self.size == 1:
            return make()
        answer: list[Any] = [self.on_all(make if self.is_main else lambda: None)]
        dist.broadcast_object_list(answer, src=0)
        return answer[0]  # type: ignore[no-any-return]

    def on_all(self, make: Callable[[], T]) -> T:
        """Call `make` in each process, and return its own result.

        When it raises an S2SError in any process, all of them raise one; process 0 has the message.
        """
        value, error = None, None
        try:
            value = make()
        except S2SError as raised:
            error = raised
        failed = self.gather((error.args, error.exit_code, socket.gethostname()) if error else None)
        first = next((rank for rank, failure in enumerate(failed) if failure), None)
        if first is None:
            return value  # type: ignore[return-value]
        if error and self.rank == first == 0:
            raise error
        lines, exit_code, machine = failed[first]  # type: ignore[misc]
        shown = [f"process {first} on {machine}: {line}" for line in lines] if self.is_main else []
        raise OtherProcessError(*shown, exit_code=exit_code)

    def agreed(self, error: S2SError) -> S2SError:
        """The error that each process raises for one that occurred in all: process 0 alone has the message."""
        return error if self.is_main else OtherProcessError(exit_code=error.exit_code)

    def wrap(self, module: nn.Module) -> nn.Module:
        """The module with the weights of process 0, in which `backward` leaves the mean of all processes' gradients."""
        if self.size == 1:
            return module
        return nn.parallel.DistributedDataParallel(module, gradient_as_bucket_view=True)


SINGLE = ProcessGroup(rank=0, size=1)


@contextmanager
def torchrun_group() -> Iterator[ProcessGroup]:
    """The group of the processes that torchrun started, connected inside the block; without torchrun, a single process.

    Raises TrainingError when the processes cannot connect, and when one of them is lost.
    """
    if not has_other_processes():
        yield SINGLE
        return
    group = ProcessGroup(
        rank=int(os.environ["RANK"]), size=int(os.environ["WORLD_SIZE"]), local_rank=int(os.environ["LOCAL_RANK"])
    )
    store = _join(group)
    try:
        yield group
    except S2SError:
        _leave(group, store)
        raise
    except RuntimeError as error:
        # Gloo raises a plain RuntimeError.
        if not isinstance(error, dist.DistError) and not re.search(_LOST, str(error)):
            raise
        raise TrainingError(
            "a process of this training was lost, so the others end too; the last checkpoint is kept: resume it with"
            " --resume in place of --overwrite or --init-from, or let torchrun do so (--max-restarts)"
        ) from error
    _leave(group, store)


def _join(group: ProcessGroup) -> Any:
    """Connect to the other processes, by Gloo for CPUs and NCCL for GPUs; return torchrun's key-value store."""
    # Not above: a torch without distributed training has none of it.
    from torch.distributed.distributed_c10d import PrefixStore
    from torch.distributed.rendezvous import rendezvous

    has_gpus = torch.cuda.is_available() and dist.is_nccl_available()
    try:
        store, _, _ = next(rendezvous("env://"))
        # torchrun may keep one store for all attempts, with the addresses of the attempt before still in it.
        attempt = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
        store = PrefixStore(f"attempt {attempt}, {group.size} processes", store)
        dist.init_process_group(
            "cpu:gloo,cuda:nccl" if has_gpus else "gloo", store=store, rank=group.rank, world_size=group.size
        )
    except (RuntimeError, ValueError) as error:
        first_line = str(error).partition("\n")[0]
        where = f"{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}"
        raise TrainingError(
            f"process {group.rank} of {group.size} cannot connect to the others at {where}: {first_line};"
            " start them all with torchrun, with the same addresses"
        ) from error
    return store


def _leave(group: ProcessGroup, store: Any) -> None:
    """Close the connections once all processes are here: a close may overtake data that was sent before it.

    A process that ends with an error of its own waits for PATIENCE in vain.
    """
    with suppress(RuntimeError):  # the others do not end, or the store is gone
        if store.add("left", 1) == group.size:
            store.set("all left", "1")
        store.wait(["all left"], PATIENCE)
    # The threads of the connections must not outlive the interpreter, and summed gradients keep them alive.
    gc.collect()
    dist.destroy_process_group()
