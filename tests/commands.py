"""``s2s`` as a user types it: in a process of its own, or in the test's, where a process is not the point."""

import io
import subprocess
import sys
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from seq2seq_cli.cli.program import main
from tests.forks import Done as Done

S2S = (sys.executable, "-m", "seq2seq_cli")
SMALL = [f"model.{side}.{size}=8" for side in ("encoder", "decoder") for size in ("embedding_size", "hidden_size")]
"""The sizes of a model that is trained in a moment."""


def settings(*overrides: str) -> list[str]:
    """The options of a command that set these keys."""
    return [f"--set={override}" for override in overrides]


def s2s_here(folder: Path, *arguments: str, text: str = "") -> Done:
    """Run a command in this process, with folder, streams and exit code as in another.

    ``text`` flows into it; a byte such as FF, which is not UTF-8, is U+DCFF in it.
    """
    stdin = io.TextIOWrapper(io.BytesIO(text.encode("utf-8", "surrogateescape")), encoding="utf-8")
    stdout, stderr = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for variable in (
            "GOMP_SPINCOUNT",
            "LRU_CACHE_CAPACITY",
            "ONEDNN_PRIMITIVE_CACHE_CAPACITY",
            "OPENBLAS_NUM_THREADS",
        ):
            patch.setenv(variable, "1000")  # main would leave it set
        for name, value in (("argv", ["s2s", *arguments]), ("stdin", stdin), ("stdout", stdout), ("stderr", stderr)):
            patch.setattr(sys, name, value)
        with pytest.raises(SystemExit) as ended:
            main()
    said = [stream.buffer.getvalue().decode("utf-8") for stream in (stdout, stderr)]
    assert isinstance(ended.value.code, int)
    return CompletedProcess(list(arguments), ended.value.code, *said)


def succeeded(done: Done) -> Done:
    """The command, which has ended well."""
    assert done.returncode == 0, done.stderr
    return done


def output_of(done: Done) -> str:
    """The output of a command that has ended well and has nothing else to tell."""
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def refused(done: Done, *words: str) -> str:
    """The error of a command that refused its input, which is one line, and has the words."""
    assert (done.returncode, done.stdout) == (2, ""), done
    [line] = done.stderr.splitlines()
    assert line.startswith("s2s: error: ")
    assert all(word in line for word in words), line
    return line.removeprefix("s2s: error: ")


def with_modules(folder: Path, *arguments: str, text: str = "") -> tuple[Done, set[str]]:
    """A command that has ended, in a process of its own, and the modules that it imported."""
    program = """
import atexit, sys
atexit.register(lambda: sys.stderr.write(f"\\n{' '.join(sys.modules)}"))
sys.argv[0] = "s2s"
from seq2seq_cli.cli.program import main
main()
"""
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, cwd=folder, input=text, capture_output=True, encoding="utf-8", check=False)
    done.stderr, _, modules = done.stderr.rpartition("\n")
    return done, set(modules.split())
