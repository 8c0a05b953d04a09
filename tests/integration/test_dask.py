"""``examples/prepare_on_dask.py``: a real scheduler and two worker processes on this machine."""

import json
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.commands import s2s_here, succeeded
from tests.folders import contents
from tests.waiting import wait_until

pytest.importorskip("distributed")

PROGRAM = Path(__file__).resolve().parents[2] / "examples" / "prepare_on_dask.py"
LINES = [f"Zoë didn't see {n} cats.\tZoë hörte {n} Kätzchen." for n in range(9000)]


def test_a_cluster_writes_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "deu.txt").write_text("\n".join(LINES), encoding="utf-8")
    file = tmp_path / "scheduler.json"
    scheduler = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show", "--scheduler-file", str(file))
    worker = ("--scheduler-file", str(file), "--no-nanny", "--nthreads", "1", "--no-dashboard")
    with ExitStack() as stack:
        for command in (("scheduler", *scheduler), ("worker", *worker), ("worker", *worker)):
            started = [sys.executable, "-m", "dask", *command]
            process = subprocess.Popen(started, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            stack.callback(process.wait, 30)
            stack.callback(process.terminate)
        wait_until(lambda: file.exists() and file.read_text(encoding="utf-8").rstrip().endswith("}"))
        address = json.loads(file.read_text(encoding="utf-8"))["address"]
        made = [sys.executable, str(PROGRAM), address, "deu.txt", "cluster"]
        subprocess.run(made, cwd=tmp_path, check=True, timeout=120)
    succeeded(s2s_here(tmp_path, "prepare", "deu.txt", "--out", "local"))
    assert contents(tmp_path / "cluster") == contents(tmp_path / "local")
