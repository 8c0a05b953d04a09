"""Several processes train one model: started by torchrun as a user starts it, or, where it has no part, without it."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from tests.commands import S2S, Done, s2s_here
from tests.corpora import reversed_words, symbol_sequences

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="torch's gloo and the signals are tested on Linux")

SIZES = [f"model.{side}.{size}" for side in ("encoder", "decoder") for size in ("embedding_size=8", "hidden_size=12")]
CERTAIN = ["model.encoder.dropout=0", "model.decoder.dropout=0", "training.teacher_forcing=1"]
"""Nothing is drawn, so that all that is left is rounding."""

TORCHRUN = (sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")

EXIT_CODE_OF_TORCHRUN = 1
"""Whatever that of its processes is."""


def train_arguments(name: str, *settings: str) -> list[str]:
    settings = (*SIZES, "training.precision=fp32", "training.device=cpu", *settings)
    return ["train", "-c", "luong_dot", "--out", f"runs/{name}", *(word for s in settings for word in ("--set", s))]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a prepared corpus."""
    folder = tmp_path_factory.mktemp("home")
    sequences = symbol_sequences(200, shortest=3, longest=6)
    lines = "".join(f"{s}\t{reversed_words(s)}\n" for s in sequences)
    (folder / "pairs.txt").write_text(lines, encoding="utf-8")
    assert s2s_here(folder, "prepare", "pairs.txt").returncode == 0
    return folder


def start_torchrun(folder: Path, options: Sequence[str], arguments: Sequence[str]) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*TORCHRUN, *options, "-m", "seq2seq_cli", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def ended(process: "subprocess.Popen[str]", *, seconds: float = 120) -> Done:
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port


def start_processes(folder: Path, count: int, arguments: Sequence[str]) -> "list[subprocess.Popen[str]]":
    """What torchrun does, without its watching over them."""
    common = {"WORLD_SIZE": str(count), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    return [
        subprocess.Popen(
            [*S2S, *arguments],
            cwd=folder,
            env=os.environ | common | {"RANK": str(rank), "LOCAL_RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        for rank in range(count)
    ]


def metrics(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]


def wait_for_epochs(run: Path, count: int, process: "subprocess.Popen[str]") -> None:
    """Until so many epochs are in the metrics."""
    deadline = time.monotonic() + 120
    while not (run / "metrics.jsonl").is_file() or len(metrics(run)) < count:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)


def children(pid: int) -> list[int]:
    return sorted(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()))


def test_two_processes_do_what_one_does(home: Path) -> None:
    """The batches are of all sizes: some have one pair, so that one of the processes has none."""
    settings = [*CERTAIN, "training.epochs=3", "training.batch_size=49", "training.accumulate=2"]
    settings += ["training.ema_decay=0.9", "training.label_smoothing=0.1", "training.schedule=cosine"]
    done = ended(start_torchrun(home, [], train_arguments("two", *settings)))
    assert done.returncode == 0, done.stderr
    alone = s2s_here(home, *train_arguments("one", *settings))
    assert alone.returncode == 0, alone.stderr

    one, two = (load_file(home / "runs" / name / "best" / "model.safetensors") for name in ("one", "two"))
    for name, weights in one.items():
        torch.testing.assert_close(two[name], weights, rtol=1e-4, atol=1e-5, msg=name)
    of_one, of_two = (metrics(home / "runs" / name) for name in ("one", "two"))
    assert len(of_one) == len(of_two)
    for line, other in zip(of_one, of_two, strict=True):
        for timed in ("seconds", "tokens_per_second", "memory_mb"):
            assert (timed in line) == (timed in other)
            line.pop(timed, None)
            other.pop(timed, None)
        for key, value in line.items():
            assert other[key] == (pytest.approx(value, rel=1e-4) if isinstance(value, float) else value), key
    # One of the two speaks.
    assert done.stderr.count("epoch 1: ") == 1
    assert "2 processes" in done.stderr
    assert done.stdout.replace("runs/two", "runs/one").splitlines()[1:] == alone.stdout.splitlines()[1:]


def test_a_killed_process_ends_the_other_and_torchrun_goes_on_from_last(home: Path) -> None:
    process = start_torchrun(home, ["--max-restarts", "1"], train_arguments("killed", "training.epochs=12"))
    run = home / "runs" / "killed"
    wait_for_epochs(run, 2, process)
    os.kill(children(process.pid)[1], signal.SIGKILL)
    done = ended(process)
    assert done.returncode == 0, done.stderr
    lines = metrics(run)
    assert [line["epoch"] for line in lines if line["kind"] == "epoch"] == list(range(1, 13))
    assert [line["kind"] for line in lines].count("end") == 1
    begun = re.findall(r"^training runs/killed .*?(?:from step (\d+).*)?$", done.stderr, flags=re.MULTILINE)
    assert len(begun) == 2
    assert not begun[0]
    assert int(begun[1]) > 0
    assert "Traceback" not in done.stderr


def test_the_same_error_of_all_is_told_once(home: Path) -> None:
    processes = start_processes(home, 2, train_arguments("refused", "model.attention.scope=nowhere"))
    first, second = (ended(process) for process in processes)
    assert (first.returncode, second.returncode) == (2, 2)
    assert len(first.stderr.splitlines()) == 1, first.stderr
    assert "model.attention.scope" in first.stderr
    assert second.stderr == ""
    assert not (home / "runs" / "refused").exists()


@pytest.mark.slow
def test_the_error_of_one_is_told_by_the_first(home: Path, tmp_path: Path) -> None:
    """The second machine lacks the corpus."""
    arguments = train_arguments("lacking", "training.epochs=1")
    common = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "LOCAL_RANK": "0"}
    processes = [
        subprocess.Popen(
            [*S2S, *arguments],
            cwd=folder,
            env=os.environ | common | {"RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        for rank, folder in enumerate((home, tmp_path))
    ]
    first, second = (ended(process) for process in processes)
    assert (first.returncode, second.returncode) == (2, 2)
    assert first.stderr.startswith(f"s2s: error: process 1 on {socket.gethostname()}: ")
    assert "data/prepared" in first.stderr
    assert second.stderr == ""


@pytest.mark.slow
@pytest.mark.parametrize("lost", [0, 1])
def test_who_loses_the_others_says_so_in_one_line(home: Path, lost: int) -> None:
    processes = start_processes(home, 3, train_arguments(f"lost_{lost}", "training.epochs=100000"))
    wait_for_epochs(home / "runs" / f"lost_{lost}", 1, processes[0])
    processes[lost].kill()
    left = [ended(process, seconds=60) for rank, process in enumerate(processes) if rank != lost]
    assert [done.returncode for done in left] == [1, 1]
    told = [line for done in left for line in done.stderr.splitlines() if not line.startswith(("training ", "epoch "))]
    assert all("a process of this training was lost" in line and "--resume" in line for line in told)
    # The store through which they agree who tells it is the first one's.
    assert len(told) == (1 if lost else 2)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_asked_to_stop_torchrun_lets_them_save_and_resume_exactly(home: Path, number: signal.Signals) -> None:
    """Dropout and teacher forcing draw: each process goes on with its own random state."""
    name = number.name.lower()
    settings = ("training.epochs=40", "training.batch_size=100")
    whole = ended(start_torchrun(home, [], train_arguments(f"{name}_whole", *settings)))
    assert whole.returncode == 0, whole.stderr

    process = start_torchrun(home, [], train_arguments(name, *settings))
    wait_for_epochs(home / "runs" / name, 3, process)
    process.send_signal(number)
    stopped = ended(process)
    assert stopped.returncode != 0
    (told,) = re.findall(r"^s2s: .*$", stopped.stderr, flags=re.MULTILINE)
    assert told.startswith("s2s: stopped at step ")
    assert told.endswith(f"seq2seq_cli train --resume --out runs/{name}")
    resumed = ended(start_torchrun(home, [], ["train", "--resume", "--out", f"runs/{name}"]))
    assert resumed.returncode == 0, resumed.stderr
    assert "another number of processes" not in resumed.stderr
    of_whole, of_resumed = (load_file(home / "runs" / n / "best/model.safetensors") for n in (f"{name}_whole", name))
    assert all(torch.equal(of_whole[key], of_resumed[key]) for key in of_whole)


@pytest.mark.slow
def test_another_number_of_processes_resumes_and_says_what_changes(home: Path) -> None:
    settings = ("training.epochs=1",)
    assert ended(start_torchrun(home, [], train_arguments("fewer", *settings))).returncode == 0
    done = s2s_here(home, "train", "--resume", "--out", "runs/fewer", "--set", "training.epochs=2")
    assert done.returncode == 0, done.stderr
    assert "another number of processes than before" in done.stderr
    assert [line["epoch"] for line in metrics(home / "runs" / "fewer") if line["kind"] == "epoch"] == [1, 2]
