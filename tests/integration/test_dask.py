"""``s2s prepare --executor``: a real scheduler and two worker processes on this machine."""

import json
import site
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from seq2seq_cli.errors import S2SError
from seq2seq_cli.preparation.pipeline import prepare
from tests.commands import Done, s2s_here
from tests.waiting import wait_until

pytest.importorskip("distributed")

LINES = [f"Zoë didn't see {n} cats.\tZoë hörte {n} Kätzchen." for n in range(9000)]
DASK = (sys.executable, "-m", "dask")
# In an environment that has all packages but s2s itself; its folder comes first.
WITHOUT_S2S = "import sys; sys.path.append(sys.argv.pop(1)); import dask.__main__; dask.__main__.main()"


def s2s_prepare(folder: Path, *arguments: str) -> Done:
    return s2s_here(folder, "prepare", "deu.txt", *arguments)


@contextmanager
def running(*command: str) -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a pair file, and a scheduler that writes its address there."""
    folder = tmp_path_factory.mktemp("dask")
    (folder / "deu.txt").write_text("\n".join(LINES), encoding="utf-8")
    with running(*scheduler(folder)):
        yield folder


def scheduler(folder: Path) -> tuple[str, ...]:
    options = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show")
    return (*DASK, "scheduler", *options, "--scheduler-file", str(folder / "scheduler.json"))


def address(home: Path) -> str:
    file = home / "scheduler.json"
    wait_until(lambda: file.exists() and file.read_text(encoding="utf-8").rstrip().endswith("}"))
    return str(json.loads(file.read_text(encoding="utf-8"))["address"]).replace("tcp://", "dask://")


def worker(home: Path, *program: str) -> tuple[str, ...]:
    options = ("--scheduler-file", str(home / "scheduler.json"), "--no-nanny", "--nthreads", "1", "--no-dashboard")
    return (*program, "worker", *options)


def wait_for_workers(home: Path, count: int) -> None:
    from distributed import Client

    with Client(address(home).replace("dask://", "tcp://"), set_as_default=False) as client:  # type: ignore[no-untyped-call]
        client.wait_for_workers(count, timeout=60)


def content(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_missing_scheduler_or_worker_is_reported(home: Path) -> None:
    alone = s2s_prepare(home, "--executor", address(home))
    assert alone.returncode == 2
    assert "the scheduler has no workers: start some with 'dask worker'" in alone.stderr
    nobody = s2s_prepare(home, "--executor", "dask://127.0.0.1:9")
    assert nobody.returncode == 2
    assert nobody.stderr.splitlines() == [
        "s2s: error: --executor dask://127.0.0.1:9: no Dask scheduler answers there: start one, or leave this out"
    ]


def test_a_worker_without_s2s_is_reported(home: Path, tmp_path: Path) -> None:
    for folder in site.getsitepackages():
        for path in Path(folder).iterdir():
            if "seq2seq_cli" not in path.name:
                (tmp_path / path.name).symlink_to(path)
    with running(*worker(home, sys.executable, "-S", "-c", WITHOUT_S2S, str(tmp_path))):
        wait_for_workers(home, 1)
        done = s2s_prepare(home, "--executor", address(home))
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "is not on all of its workers: install it there" in done.stderr
    assert not (home / "data").exists()


def test_a_cluster_writes_the_same_bytes(home: Path) -> None:
    with ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(running(*worker(home, *DASK)))
        wait_for_workers(home, 2)
        done = s2s_prepare(home, "--out", "cluster", "--executor", address(home))
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert s2s_prepare(home, "--out", "local").returncode == 0
    assert content(home / "cluster") == content(home / "local")


def test_a_scheduler_that_dies_is_reported_and_nothing_is_written(tmp_path: Path) -> None:
    pair_file = tmp_path / "deu.txt"
    pair_file.write_text("\n".join(LINES), encoding="utf-8")
    before = set(tmp_path.iterdir())
    with running(*scheduler(tmp_path)) as process, running(*worker(tmp_path, *DASK)):
        wait_for_workers(tmp_path, 1)
        with pytest.raises(S2SError, match="the scheduler or a worker died"):
            prepare(
                pair_file,
                out=tmp_path / "out",
                executor=address(tmp_path),
                progress=lambda _done, _total: process.kill(),
            )
    assert set(tmp_path.iterdir()) - {tmp_path / "scheduler.json"} == before
