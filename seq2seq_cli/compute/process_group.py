"""The processes that train one model together, and how they agree.

They are torchrun's: it starts them, on one machine or on many, and tells each by its environment which one it is. All
of them go through the same steps, each with its share of every batch. What must be decided once (which run folder, has
it been long enough, did the user ask to stop) process 0 decides, or a sum over all; it alone writes and speaks.
"""

import contextlib
import gc
import os
import re
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn

from seq2seq_cli.errors import OtherProcessError, S2SError, TrainingError

T = TypeVar("T")

ENVIRONMENT = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT")
"""What torchrun sets."""


PATIENCE = timedelta(seconds=10)
"""How long one that leaves waits for the others."""


@dataclass(frozen=True, kw_only=True)
class ProcessGroup:
    """One of the processes: which one it is, and how they agree.

    Where one of them calls sum, max, gather, main or each, all of them must, in the same order.
    """

    rank: int
    """This process, counted from 0."""
    size: int
    """How many there are."""
    local_rank: int = 0
    """This process, counted from 0 on its machine."""

    @classmethod
    def single(cls) -> "ProcessGroup":
        """One process that trains by itself."""
        return cls(rank=0, size=1)

    @property
    def is_main(self) -> bool:
        """Whether this process is the one that writes and speaks."""
        return self.rank == 0

    def sum(self, numbers: Sequence[float]) -> list[float]:
        """The sums of each number over all processes; the same bits in all of them."""
        return self.sum_tensor(torch.tensor(numbers, dtype=torch.float64)).tolist()

    def sum_tensor(self, tensor: Tensor) -> Tensor:
        """The sum of a tensor over all processes, on its device; the tensor itself is overwritten."""
        if self.size > 1:
            dist.all_reduce(tensor)
        return tensor

    def max(self, number: int) -> int:
        """The largest of the numbers of all processes."""
        if self.size == 1:
            return number
        tensor = torch.tensor(number)
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
        """What `make` returns in process 0, for all of them; it is not called elsewhere.

        An error of ours raised there ends them all: the others raise OtherProcessError.
        """
        if self.size == 1:
            return make()
        answer: list[Any] = [None, None]
        error = None
        if self.is_main:
            try:
                answer[0] = make()
            except S2SError as raised:
                error, answer[1] = raised, raised.exit_code
        dist.broadcast_object_list(answer, src=0)
        if error:
            raise error
        if answer[1] is not None:
            raise OtherProcessError([], exit_code=answer[1])
        return answer[0]  # type: ignore[no-any-return]

    def on_all(self, make: Callable[[], T]) -> T:
        """What `make` returns in this process. An error of ours raised in one of them ends them all, told once."""
        value, error = None, None
        try:
            value = make()
        except S2SError as raised:
            error = raised
        failed = self.gather((error.lines(), error.exit_code, socket.gethostname()) if error else None)
        first = next((rank for rank, failure in enumerate(failed) if failure), None)
        if first is None:
            return value  # type: ignore[return-value]
        if error and self.rank == first == 0:
            raise error
        lines, exit_code, machine = failed[first]  # type: ignore[misc]
        told = [f"process {first} on {machine}: {line}" for line in lines] if self.is_main else []
        raise OtherProcessError(told, exit_code=exit_code)

    def agreed(self, error: S2SError) -> S2SError:
        """The error to raise where all processes come upon the same one: process 0 tells the user."""
        return error if self.is_main else OtherProcessError([], exit_code=error.exit_code)

    def wrap(self, module: nn.Module) -> nn.Module:
        """The module such that `backward` leaves the mean of the gradients of all processes in its weights.

        The weights become those of process 0.
        """
        if self.size == 1:
            return module
        return nn.parallel.DistributedDataParallel(module, gradient_as_bucket_view=True)


SINGLE = ProcessGroup.single()


@contextmanager
def torchrun_group() -> Iterator[ProcessGroup]:
    """The processes that torchrun has started, joined as long as the block lasts; without torchrun, one alone.

    Raises TrainingError when they do not find each other, and when one of them is lost on the way.
    """
    if not all(name in os.environ for name in ENVIRONMENT) or os.environ["WORLD_SIZE"] == "1":
        yield ProcessGroup.single()
        return
    group = ProcessGroup(
        rank=int(os.environ["RANK"]),
        size=int(os.environ["WORLD_SIZE"]),
        local_rank=int(os.environ["LOCAL_RANK"]),
    )
    store = _join(group)
    try:
        yield group
    except S2SError:
        _leave(group, store)
        raise
    except RuntimeError as error:
        if not _is_lost_connection(error):
            raise
        raise _lost(store) from error
    _leave(group, store)


def launch_name() -> str | None:
    """What the processes of one torchrun have in common, restarted or not, and no others; None without torchrun."""
    name = os.environ.get("TORCHELASTIC_RUN_ID")
    # "none" is what torchrun says when it was told who is master and not what it runs: then it is known by itself.
    return f"{socket.gethostname()} {os.getppid()}" if name == "none" else name


def _join(group: ProcessGroup) -> Any:
    """Meet the others; the key-value store of torchrun, through which they did.

    Gloo carries what is on a CPU, and NCCL what is on a GPU.
    """
    # Not above: a torch without distributed training has none of it.
    from torch.distributed.distributed_c10d import PrefixStore
    from torch.distributed.rendezvous import rendezvous

    has_gpus = torch.cuda.is_available() and dist.is_nccl_available()
    try:
        store, _, _ = next(rendezvous("env://"))
        # torchrun may keep one store for all its attempts, in which the addresses of the one before are still found.
        attempt = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
        store = PrefixStore(f"attempt {attempt}, {group.size} processes", store)
        dist.init_process_group(
            "cpu:gloo,cuda:nccl" if has_gpus else "gloo", store=store, rank=group.rank, world_size=group.size
        )
    except (RuntimeError, ValueError) as error:
        where = f"{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}"
        raise TrainingError(
            f"process {group.rank} of {group.size} cannot meet the others at {where}: {_first_line(error)};"
            " start them all with torchrun, with the same addresses"
        ) from error
    return store


def _leave(group: ProcessGroup, store: Any) -> None:
    """Close the connections, when all have what they wait for: a close may overtake what was sent before it.

    A process that leaves for an error of its own finds nobody who leaves too, and goes after a while.
    """
    with contextlib.suppress(RuntimeError):  # nobody leaves, or the store has left
        if store.add("left", 1) == group.size:
            store.set("all left", "1")
        store.wait(["all left"], PATIENCE)
    # The threads of the connections must not outlive the interpreter, and gradients that were summed hold them.
    gc.collect()
    dist.destroy_process_group()


def _is_lost_connection(error: RuntimeError) -> bool:
    """Whether another process went away. Gloo raises nothing more special than a RuntimeError."""
    lost = "gloo|Connection (closed|reset|refused)|Broken pipe|Timed out waiting|NCCL"
    return isinstance(error, dist.DistError) or bool(re.search(lost, str(error)))


def _lost(store: Any) -> S2SError:
    """The error of a process that misses another: the first to find out tells it, as far as that can be known."""
    with contextlib.suppress(RuntimeError):  # the store may be lost too
        if store.add("lost", 1) > 1:
            return OtherProcessError([], exit_code=TrainingError.exit_code)
    return TrainingError(
        "a process of this training was lost, so the others end too; what was saved last is kept: go on from it with"
        " the same command and --resume, or let torchrun do so (--max-restarts)"
    )


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
