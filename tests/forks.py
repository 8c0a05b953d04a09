"""``s2s``, and programs of benchmarks, in processes forked from one that has imported what they need.

Such a process starts at once. One that imports torch takes two seconds, and the tests start dozens.
"""

import atexit
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from subprocess import CompletedProcess, TimeoutExpired

from tqdm import tqdm

if sys.platform == "win32":
    FORKS = multiprocessing.get_context("spawn")
else:
    FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    [
        "pytest",
        "tests.forks",
        "seq2seq_cli.cli.program",
        "seq2seq_cli.training.report",
        "seq2seq_cli.preparation.pipeline",
        "seq2seq_cli.decoding.load",
        "seq2seq_cli.decoding.export",
        "seq2seq_cli.runs.curves",
        "tests.fuzz.campaign",
        *("filelock", "matplotlib.figure", "onnx", "sacrebleu", "safetensors.numpy", "spacy.lang.de", "spacy.lang.en"),
        *("spacy.pipeline", "spacy_legacy", "spacy_loggers"),
        *("tokenizers.implementations", "torch._decomp", "torch._dynamo", "torch.onnx"),
    ]
)

Done = CompletedProcess[str]


S2S_MODULE = "seq2seq_cli.__main__"


class Forked:
    """A program that is started, by default s2s; like `subprocess.Popen`, as far as the tests need it."""

    def __init__(
        self, folder: Path, *arguments: str, environment: Mapping[str, str] | None = None, module: str = S2S_MODULE
    ) -> None:
        """Start the function `main` of a module in a working folder; its whole environment may be given."""
        self._streams = tempfile.TemporaryDirectory()
        variables = dict(os.environ if environment is None else environment)
        streams = [self._path(number) for number in range(3)]
        self._process = FORKS.Process(target=_become, args=(module, arguments, folder, variables, streams))
        self._process.start()
        atexit.register(self._process.kill)  # one that a failed test has left would be awaited at the end

    @property
    def returncode(self) -> int:
        """The exit code of the process, which has ended; minus the number of the signal that killed it."""
        assert self._process.exitcode is not None
        return self._process.exitcode

    def poll(self) -> int | None:
        """The exit code; None while the process runs."""
        return self._process.exitcode

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal."""
        assert self._process.pid is not None
        os.kill(self._process.pid, number)

    def kill(self) -> None:
        """Kill the process, unless it has ended."""
        self._process.kill()

    def communicate(self, timeout: float = 200) -> tuple[str, str]:
        """What it has printed on stdout and stderr when it ends, which is awaited for so many seconds."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise TimeoutExpired("s2s", timeout)
        with self._streams:
            return self._path(1).read_text(encoding="utf-8"), self._path(2).read_text(encoding="utf-8")

    def done(self, timeout: float = 200) -> Done:
        """The process, once it has ended."""
        told = self.communicate(timeout)
        return CompletedProcess([], self.returncode, *told)

    def _path(self, number: int) -> Path:
        return Path(self._streams.name) / str(number)


def _become(
    module: str, arguments: Sequence[str], folder: Path, variables: Mapping[str, str], streams: Sequence[Path]
) -> None:
    """Make this process a program, which may end by `sys.exit`."""
    os.environ.clear()
    os.environ.update(variables)
    tempfile.tempdir = None  # as the environment has it
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # By default the bars of tqdm share a lock between processes, which a killed process would not release.
    tqdm.set_lock(threading.RLock())
    for number, path in enumerate(streams):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))  # noqa: SIM115
    os.chdir(folder)
    sys.argv = ["s2s" if module == S2S_MODULE else module, *arguments]
    import_module(module).main()
