"""The judgement of one command on one file: exit code, messages, time and memory.

A command may succeed or refuse the file. In any case its exit code is 0, 1 or 2, stderr has whole lines without control
characters, the last of which tells the error where there is one, and neither time nor memory is out of bounds. Each
line begins with ``s2s:``, but for those with which a training tells how far it is.
"""

import json
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SECONDS = 10
"""Time of the processor for one file; each takes a fraction of a second."""
MEGABYTES = 500
"""Memory for one file, beyond what the process holds before."""
_SHOWN = 300
"""Characters of an unexpected line that are shown."""
_MOST_LINES = 200

Run = Callable[[Sequence[str]], None]
"""Runs a command by its arguments, and ends with SystemExit or returns."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The outcome of a command."""

    code: int | None
    """Its exit code; None when its process died, or when an error reached the top."""
    problem: str = ""
    """The broken rule; empty when all hold."""
    seconds: float = 0.0
    """Time of the processor."""
    megabytes: float = 0.0
    """Memory that it took beyond what the process held before."""

    @property
    def is_last(self) -> bool:
        """Whether the process cannot judge another command: it died, or its peak memory would hide another one."""
        return self.code is None or self.megabytes > MEGABYTES


def judge(run: Run, arguments: Sequence[str], given: bytes, streams: Path) -> Verdict:
    """Run a command in this process with `given` on its standard input; `streams` holds its outputs for a while."""
    code: int | None = 0
    problem = ""
    memory, start = peak_megabytes(), time.process_time()
    with _redirected(given, streams):
        try:
            run(arguments)
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
        except BaseException as error:  # whatever it is, it must not get here
            code, problem = None, _described(error)
    seconds, grown = time.process_time() - start, peak_megabytes() - memory
    if not problem:
        said = (streams / "stderr").read_bytes().decode("utf-8", "replace")
        problem = "; ".join(_problems(code, arguments, said)) or _stdout_problem(code, arguments, streams / "stdout")
    if not problem and (grown > MEGABYTES or seconds > SECONDS):
        problem = f"took {grown:,.0f} MB and {seconds:.0f} s"
    return Verdict(code=code, problem=problem, seconds=seconds, megabytes=grown)


def peak_megabytes() -> float:
    """The most memory that this process has held, in units of 10^6 bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e6 / 1024)


def _described(error: BaseException) -> str:
    """The error, and the line of the package at which it was raised."""
    place, trace = "", error.__traceback__
    while trace:
        file = trace.tb_frame.f_code.co_filename
        if "seq2seq_cli" in file:
            place = f" at {file.rpartition('seq2seq_cli/')[2]}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{type(error).__name__}{place}: {str(error)[:_SHOWN]!r}"


def _problems(code: int | None, arguments: Sequence[str], said: str) -> Iterator[str]:
    if code not in (0, 1, 2):
        yield f"exit code {code}"
    *lines, rest = said.split("\n")
    if rest:
        yield f"on stderr, without an end: {rest[:_SHOWN]!r}"
    if len(lines) > _MOST_LINES:
        yield f"{len(lines):,} lines on stderr"
    begins = "" if arguments[0] == "train" else "s2s: "
    if wrong := [line for line in lines if not (line.isprintable() and line.startswith(begins))]:
        yield f"on stderr: {wrong[0][:_SHOWN]!r}"
    elif code and not (lines and lines[-1].startswith("s2s: error: ")):
        yield f"exit code {code} without a message"
    elif code and "out of memory" in lines[-1]:
        yield "ran out of memory"


def _stdout_problem(code: int | None, arguments: Sequence[str], stdout: Path) -> str:
    """What is wrong with JSON that was asked for; its values must be JSON's own."""
    if code or not {"json", "--json"}.intersection(arguments):
        return ""
    text = stdout.read_text(encoding="utf-8")
    documents = text.removesuffix("\n").split("\n") if text else []  # a line per text, none for an empty input
    if "--json" in arguments:
        documents = [text]
    try:
        for document in documents:
            json.loads(document, parse_constant=_refuse).__repr__().encode("utf-8")
    except ValueError as error:
        return f"on stdout: no strict JSON: {error}"
    return ""


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


@contextmanager
def _redirected(given: bytes, streams: Path) -> Iterator[None]:
    """Connect the descriptors 0 to 2, and Python's streams on them, with files: libraries in C write to them, too."""
    (streams / "stdin").write_bytes(given)
    saved = sys.stdin, sys.stdout, sys.stderr
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        descriptor = os.open(streams / name, os.O_RDWR | os.O_CREAT | os.O_TRUNC if number else os.O_RDONLY, 0o600)
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))  # noqa: SIM115
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        sys.stdin, sys.stdout, sys.stderr = saved
