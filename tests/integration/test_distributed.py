"""Several processes train one model: started by torchrun as a user starts it, or, where it has no part, without it.

Torchrun and each of its processes take seconds to start: those tests are slow ones.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from tests.commands import S2S, Done, refused, s2s_here, settings, succeeded
from tests.corpora import write_reversals
from tests.forks import Forked
from tests.waiting import wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are watched through /proc")

SIZES = [
    *("model.encoder.embedding_size=12", "model.encoder.hidden_size=6"),  # in each direction
    *("model.decoder.embedding_size=12", "model.decoder.hidden_size=12"),
]
CERTAIN = [
    *(f"model.{side}.dropout=0" for side in ("encoder", "decoder")),
    "training.teacher_forcing=1",
    "training.augmentation.enabled=false",
]
"""Nothing is drawn, so that all that is left is rounding."""

TORCHRUN = (sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")


def train_arguments(name: str, *overrides: str) -> list[str]:
    """Without a time limit, so that no clock decides which epochs are validated."""
    common = (*SIZES, "training.precision=fp32", "training.device=cpu", "training.max_minutes=null")
    return ["train", "-c", "luong_dot", "--out", f"runs/{name}", *settings(*common, *overrides)]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a prepared corpus."""
    folder = tmp_path_factory.mktemp("home")
    write_reversals(folder / "pairs.txt")
    succeeded(s2s_here(folder, "prepare", "pairs.txt"))
    return folder


class Started:
    """Processes that are gone after the test."""

    def __init__(self) -> None:
        self._all: list[subprocess.Popen[str]] = []

    def start(self, folder: Path, command: Sequence[str], **environment: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=os.environ | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        self._all.append(process)
        return process

    def torchrun(self, folder: Path, arguments: Sequence[str], *options: str) -> "subprocess.Popen[str]":
        return self.start(folder, [*TORCHRUN, *options, "-m", "seq2seq_cli", *arguments])

    def without_torchrun(self, folders: Sequence[Path], arguments: Sequence[str]) -> "list[subprocess.Popen[str]]":
        """As torchrun starts them, one in each folder; nobody watches over them."""
        each = zip(folders, environments(len(folders)), strict=True)
        return [self.start(folder, [*S2S, *arguments], **environment) for folder, environment in each]

    def end(self) -> None:
        for process in self._all:
            if process.poll() is None:
                process.terminate()  # so that torchrun ends its own
        for process in self._all:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=40)
            process.kill()
            process.communicate()


@pytest.fixture
def started() -> Iterator[Started]:
    started = Started()
    yield started
    started.end()


def ended(process: "subprocess.Popen[str]", *, seconds: float = 200) -> Done:
    out, err = process.communicate(timeout=seconds)
    return subprocess.CompletedProcess([], process.returncode, out, err)


def environments(size: int) -> list[dict[str, str]]:
    """What torchrun tells each of so many processes."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port = str(listening.getsockname()[1])
    common = {"WORLD_SIZE": str(size), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    return [{"RANK": str(rank), "LOCAL_RANK": str(rank), **common} for rank in range(size)]


def metrics(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]


def wait_for_epochs(run: Path, count: int, process: "subprocess.Popen[str]") -> None:
    """Until so many epochs are in the metrics."""
    wait_until(lambda: (run / "metrics.jsonl").is_file() and len(metrics(run)) >= count, of=process)


def children(pid: int) -> list[int]:
    return sorted(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()))


def test_two_processes_do_what_one_does(home: Path) -> None:
    """The batches are of all sizes: some have one pair, so that one of the processes has none."""
    overrides = [*CERTAIN, "training.epochs=3", "training.batch_size=49", "model.initialisation.from_pairs=true"]
    overrides += ["training.label_smoothing=0.1", "training.schedule=cosine"]
    command = train_arguments("two", *overrides)
    both = [Forked(home, *command, environment=os.environ | variables) for variables in environments(2)]
    done, second = (process.done() for process in both)
    assert (done.returncode, second.returncode) == (0, 0), done.stderr + second.stderr
    alone = succeeded(s2s_here(home, *train_arguments("one", *overrides)))

    one, two = (load_file(home / "runs" / name / "best" / "model.safetensors") for name in ("one", "two"))
    for name, weights in one.items():
        torch.testing.assert_close(two[name], weights, rtol=1e-4, atol=1e-5, msg=name)
    of_one, of_two = (metrics(home / "runs" / name) for name in ("one", "two"))
    assert len(of_one) == len(of_two)
    for line, other in zip(of_one, of_two, strict=True):
        assert line.keys() == other.keys()
        for key in line.keys() - {"seconds", "tokens_per_second"}:
            expected = line[key]
            assert other[key] == (pytest.approx(expected, rel=1e-4) if isinstance(expected, float) else expected), key
    # One of the two speaks.
    assert done.stderr.count("epoch 1: ") == 1
    assert (second.stdout, second.stderr) == ("", "")
    assert "2 processes" in done.stderr
    assert done.stdout.replace("runs/two", "runs/one").splitlines()[1:] == alone.stdout.splitlines()[1:]


@pytest.mark.slow
def test_a_killed_process_ends_the_other_and_torchrun_goes_on_from_last(home: Path, started: Started) -> None:
    process = started.torchrun(home, train_arguments("killed", "training.epochs=12"), "--max-restarts", "1")
    run = home / "runs" / "killed"
    wait_for_epochs(run, 2, process)
    os.kill(children(process.pid)[1], signal.SIGKILL)
    done = succeeded(ended(process))
    lines = metrics(run)
    assert [line["epoch"] for line in lines if line["kind"] == "epoch"] == list(range(1, 13))
    assert [line["kind"] for line in lines].count("end") == 1
    begun = re.findall(r"^training runs/killed .*?(?:from step (\d+).*)?$", done.stderr, flags=re.MULTILINE)
    assert len(begun) == 2
    assert not begun[0]
    assert int(begun[1]) > 0
    assert "Traceback" not in done.stderr


def test_what_was_lost_before_it_was_saved_is_begun_again(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = train_arguments("early", "training.epochs=1")
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "one launch")
    succeeded(s2s_here(home, *arguments))
    shutil.rmtree(home / "runs" / "early" / "last")
    succeeded(s2s_here(home, *arguments))
    assert len([line for line in metrics(home / "runs" / "early") if line["kind"] == "epoch"]) == 1

    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "another launch")
    refused(s2s_here(home, *arguments), "--overwrite")


@pytest.mark.slow
def test_the_same_error_of_all_is_told_once(home: Path, started: Started) -> None:
    processes = started.without_torchrun([home] * 2, train_arguments("refused", "model.attention.scope=nowhere"))
    first, second = map(ended, processes)
    assert (first.returncode, second.returncode) == (2, 2)
    assert len(first.stderr.splitlines()) == 1, first.stderr
    assert "model.attention.scope" in first.stderr
    assert second.stderr == ""
    assert not (home / "runs" / "refused").exists()


@pytest.mark.slow
def test_the_error_of_one_is_told_by_the_first(home: Path, tmp_path: Path, started: Started) -> None:
    """The second machine lacks the corpus."""
    processes = started.without_torchrun([home, tmp_path], train_arguments("lacking", "training.epochs=1"))
    first, second = map(ended, processes)
    assert (first.returncode, second.returncode) == (2, 2)
    assert first.stderr.startswith(f"s2s: error: process 1 on {socket.gethostname()}: ")
    assert "data/prepared" in first.stderr
    assert second.stderr == ""


@pytest.mark.slow
@pytest.mark.parametrize("lost", [0, 1])
def test_who_loses_the_others_says_so_in_one_line(home: Path, lost: int, started: Started) -> None:
    processes = started.without_torchrun([home] * 3, train_arguments(f"lost_{lost}", "training.epochs=100000"))
    wait_for_epochs(home / "runs" / f"lost_{lost}", 1, processes[0])
    processes[lost].kill()
    left = [ended(process, seconds=60) for rank, process in enumerate(processes) if rank != lost]
    assert [done.returncode for done in left] == [1, 1]
    told = [line for done in left for line in done.stderr.splitlines() if line.startswith("s2s: ")]
    assert all("a process of this training was lost" in line and "--resume" in line for line in told)
    assert len(told) == 2


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_asked_to_stop_torchrun_lets_them_save_and_resume_exactly(
    home: Path, number: signal.Signals, started: Started
) -> None:
    """Dropout and teacher forcing draw: each process goes on with its own random state."""
    name = number.name.lower()
    overrides = ("training.epochs=40", "training.batch_size=100")
    succeeded(ended(started.torchrun(home, train_arguments(f"{name}_whole", *overrides))))

    process = started.torchrun(home, train_arguments(name, *overrides))
    wait_for_epochs(home / "runs" / name, 3, process)
    process.send_signal(number)
    stopped = ended(process)
    assert stopped.returncode != 0
    (told,) = re.findall(r"^s2s: .*$", stopped.stderr, flags=re.MULTILINE)
    assert told.startswith("s2s: interrupted ")
    assert told.endswith(f"seq2seq_cli train --resume --out runs/{name}")
    resumed = succeeded(ended(started.torchrun(home, ["train", "--resume", "--out", f"runs/{name}"])))
    assert "another number of processes" not in resumed.stderr
    of_whole, of_resumed = (load_file(home / "runs" / n / "best/model.safetensors") for n in (f"{name}_whole", name))
    assert all(torch.equal(of_whole[key], of_resumed[key]) for key in of_whole)


@pytest.mark.slow
def test_another_number_of_processes_resumes_and_says_what_changes(home: Path, started: Started) -> None:
    succeeded(ended(started.torchrun(home, train_arguments("fewer", "training.epochs=1"))))
    done = succeeded(s2s_here(home, "train", "--resume", "--out", "runs/fewer", "--set", "training.epochs=2"))
    assert "another number of processes than before" in done.stderr
    assert [line["epoch"] for line in metrics(home / "runs" / "fewer") if line["kind"] == "epoch"] == [1, 2]


TWO_MACHINES = """
set -e
ip link set lo up
unshare -n sleep 1000 &
other=$!
trap 'kill $other' EXIT
until [ "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.1; done
ip link add left type veth peer name right netns $other
ip addr add 10.77.0.1/24 dev left
ip link set left up
nsenter -t $other -n sh -c 'ip link set lo up; ip addr add 10.77.0.2/24 dev right; ip link set right up'
(cd second; PET_NODE_RANK=1 GLOO_SOCKET_IFNAME=right exec nsenter -t $other -n "$@") > second/log 2>&1 &
second=$!
(cd first; PET_NODE_RANK=0 GLOO_SOCKET_IFNAME=left exec "$@")
wait $second
"""
"""Two network namespaces, each with an address of its own, a cable between them, and a command in each."""


@pytest.mark.slow
@pytest.mark.skipif(
    subprocess.run(["unshare", "-rn", "ip", "link"], capture_output=True, check=False).returncode != 0,
    reason="this system does not let its users make networks",
)
def test_two_machines_train_together(home: Path, tmp_path: Path, started: Started) -> None:
    """Each has a copy of the corpus; the run is on the first."""
    for name in ("first", "second"):
        shutil.copytree(home / "data", tmp_path / name / "data")
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nnodes=2", "--nproc-per-node=1"]
    torchrun += ["--master-addr=10.77.0.1", "--master-port=29411"]
    command = [*torchrun, "-m", "seq2seq_cli", *train_arguments("both", "training.epochs=2")]
    succeeded(ended(started.start(tmp_path, ["unshare", "-rn", "bash", "-c", TWO_MACHINES, "bash", *command])))
    assert [line["epoch"] for line in metrics(tmp_path / "first/runs/both") if line["kind"] == "epoch"] == [1, 2]
    assert not (tmp_path / "second" / "runs").exists()
