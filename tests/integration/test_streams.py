"""What every command does when its input or output is not there, full, or gone: it says so, or ends in silence."""

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

from tests.commands import S2S, Done, s2s_here
from tests.untrained import make_run

# What Python would do by itself with little output: keep it until the program ends.
BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX streams")
on_full_disk = pytest.mark.skipif(not Path("/dev/full").exists(), reason="has no full device")
any_buffer = pytest.mark.parametrize("unbuffered", [{}, {"PYTHONUNBUFFERED": "1"}])


def s2s_into(stdout: IO[str] | int, *arguments: str, **environment: str) -> Done:
    """A command in a process of its own, which prints there."""
    command, variables = [*S2S, *arguments], BUFFERED | environment
    return subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, encoding="utf-8", env=variables, check=False)


@on_full_disk
@any_buffer
@pytest.mark.parametrize("arguments", [["configs"], ["configs", "schema"], ["--version"]])
def test_a_full_disk_is_one_line(arguments: list[str], unbuffered: dict[str, str]) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = s2s_into(full, *arguments, **unbuffered)
    assert done.returncode == 1
    assert done.stderr == f"s2s: error: standard input or output: {os.strerror(errno.ENOSPC)}\n"


@on_full_disk
def test_an_error_keeps_its_exit_code_where_the_results_before_it_cannot_be_written(tmp_path: Path) -> None:
    run, src, tgt = make_run(tmp_path / "run").path, tmp_path / "src.txt", tmp_path / "tgt.txt"
    src.write_text("she\nhe\n", encoding="utf-8")
    tgt.write_text("sie\n", encoding="utf-8")
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = s2s_into(full, "score", "--model", str(run), str(src), str(tgt))
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"s2s: error: {src}:2: has no partner")
    assert done.returncode == 2


@pytest.mark.parametrize("arguments", [["--debug", "inspect", "none"], ["inspect", "none", "--debug"]])
def test_debug_shows_where_an_error_was_raised_and_keeps_the_exit_code(arguments: list[str], tmp_path: Path) -> None:
    done = s2s_here(tmp_path, *arguments)
    *shown, line = done.stderr.splitlines()
    assert (done.returncode, shown[0]) == (2, "Traceback (most recent call last):")
    assert line.startswith("s2s: error: none")


def test_debug_behind_dashes_is_a_text(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run").path
    done = s2s_here(tmp_path, "translate", "--model", str(run), "--", "--debug")
    assert (done.returncode, done.stdout.count("\n")) == (0, 1)


@any_buffer
@pytest.mark.parametrize("arguments", [["configs"], ["configs", "schema"]])
def test_a_reader_that_goes_away_is_nothing_to_tell(arguments: list[str], unbuffered: dict[str, str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = s2s_into(writing, *arguments, **unbuffered)
    os.close(writing)

    assert (done.returncode, done.stderr) == (1, "")


def test_closed_streams_are_as_good_as_empty_ones() -> None:
    done = subprocess.run(
        ["sh", "-c", '"$@" <&- >&- 2>&-', "sh", *S2S, "configs"], capture_output=True, env=BUFFERED, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


# Typer is what takes time to load before any command of s2s runs.
@pytest.mark.parametrize("module", ["typer", "seq2seq_cli.config.catalog"])
def test_interrupted_while_it_is_loaded_it_ends_in_silence(module: str) -> None:
    script = f"""
import signal, sys
def interrupt_once(event, values):
    if event == "import" and values[0] == {module!r}:
        signal.raise_signal(signal.SIGINT)
sys.addaudithook(interrupt_once)
from seq2seq_cli.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-c", script, "configs"], capture_output=True, env=BUFFERED, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")
