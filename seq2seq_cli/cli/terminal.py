"""What the commands show: notices on stderr, bars, tables and JSON; nothing in them steers a terminal."""

import codecs
import contextlib
import json
import logging
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TextIO, cast

from typing_extensions import override

from seq2seq_cli.errors import escape_steering, one_line

_UNLIMITED = 10_000
"""Width of a table outside a terminal, in characters."""


class _SafeStream:
    """A stream that escapes what would steer a terminal; all else is the stream's own."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        self.stream.write(escape_steering(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        self.stream.writelines(map(escape_steering, lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def guard_streams() -> None:
    """Escape from now on what stdout shows on a terminal, and all of stderr, which often ends up in a log."""
    sys.stdout = for_terminal(sys.stdout)
    sys.stderr = cast("TextIO", _SafeStream(sys.stderr))


def for_terminal(stream: TextIO) -> TextIO:
    """The stream, which escapes if it is a terminal."""
    return cast("TextIO", _SafeStream(stream)) if stream.isatty() else stream


def bar_stream() -> TextIO:
    """Stderr for a progress bar, which moves the cursor; its words must be our own."""
    return sys.stderr.stream if isinstance(sys.stderr, _SafeStream) else sys.stderr


@contextlib.contextmanager
def progress_bar(title: str, unit: str) -> Iterator[Callable[[int, int | None], None]]:
    """A function that shows (done, total) on stderr, if that is a terminal; a smaller `done` restarts the bar."""
    from tqdm import tqdm  # a short command has no bar

    # disable=None: no bar unless stderr is a terminal. By itself, tqdm asks for the width of sys.stderr alone.
    with tqdm(
        desc=title, unit=unit, unit_scale=True, leave=False, file=bar_stream(), dynamic_ncols=True, disable=None
    ) as bar:

        def show(done: int, total: int | None) -> None:
            if done < bar.n:
                bar.reset()
            bar.total = total
            bar.update(done - bar.n)

        yield show


def show_warnings() -> None:
    """From now on, write what nobody else handles to stderr: logged warnings, and warnings of Python's libraries."""
    logging.getLogger("seq2seq_cli").setLevel(logging.INFO)
    logging.lastResort = _Lines(logging.INFO)
    warnings.showwarning = lambda message, *_place, **_options: warn(str(message))


class _Lines(logging.Handler):
    """Writes each record as a line: a warning, or a notice below that level."""

    @override
    def emit(self, record: logging.LogRecord) -> None:
        (warn if record.levelno >= logging.WARNING else tell)(record.getMessage())


def warn(text: str) -> None:
    """Write a warning to stderr, as one line."""
    tell(f"warning: {text}")


def tell(text: str, *, begin: str = "s2s: ") -> None:
    """Write a notice to stderr, as one line that begins so; a bar makes way for it."""
    bars = sys.modules.get("tqdm")  # not imported for this
    make_way = bars.tqdm.external_write_mode(bar_stream()) if bars else contextlib.nullcontext()
    with contextlib.suppress(OSError), make_way:
        sys.stderr.write(f"{begin}{one_line(text)}\n")


def write_lines(lines: Iterable[str]) -> None:
    """Write results to stdout, a line each."""
    sys.stdout.writelines(f"{line}\n" for line in lines)


def write_json(value: object) -> None:
    """Write a value to stdout as strict JSON."""
    sys.stdout.write(json.dumps(value, indent=1, allow_nan=False) + "\n")


def json_line(content: Mapping[str, Any], output: TextIO) -> str:
    """An object of strict JSON on one line, in the characters that the stream has."""
    return json.dumps(content, ensure_ascii=not is_utf8(output), allow_nan=False) + "\n"


def is_utf8(output: TextIO) -> bool:
    """Whether a stream takes all characters."""
    return codecs.lookup(output.encoding).name == "utf-8"


def table_lines(titles: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = False) -> list[str]:
    """The lines of a table, without frame and colours; the columns after the first hold words, or `numbers`.

    Words are wrapped to fit a terminal; anywhere else a row is one line.
    """
    from rich.console import Console  # few commands print tables
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for number, title in enumerate(titles):
        table.add_column(title, justify="right" if numbers and number else "left", no_wrap=number == 0, overflow="fold")
    for row in rows:
        table.add_row(*row)
    width = None if sys.stdout.isatty() and not numbers else _UNLIMITED
    console = Console(width=width, color_system=None, markup=False, emoji=False, highlight=False)
    with console.capture() as captured:
        console.print(table)
    return [line.rstrip() for line in captured.get().splitlines()]
