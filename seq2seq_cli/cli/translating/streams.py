"""Translating the lines of a pipe or a file."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING

from seq2seq_cli.cli.terminal.progress import progress_bar
from seq2seq_cli.cli.translating.presenter import Presenter
from seq2seq_cli.errors import InputError, unreadable

if TYPE_CHECKING:
    from seq2seq_cli.decoding.lines import ByteStream
    from seq2seq_cli.decoding.translation import Translation

STDIN = "standard input"
"""Its name in messages."""


def translate_lines(
    stream: "ByteStream",
    name: str,
    presenter: Presenter,
    progress: Callable[[int], object] = lambda _: None,
) -> None:
    """Show the translation of each line; `progress` gets the number of lines so far.

    Raises InputError for a line that cannot be read, once those before it are translated; `name` is that of the
    stream.
    """
    from seq2seq_cli.decoding.lines import read_blocks

    def place(number: int) -> str:
        return f"{name}:{number}"

    def blocks() -> Iterator[list[str]]:
        with _reading(name):
            yield from read_blocks(stream, place)

    def translations() -> "Iterator[tuple[Translation, ...]]":
        done = 0
        for block in blocks():
            for of_line in presenter.translators.translate_stream(block):
                yield of_line
                done += 1
                progress(done)
            presenter.output.flush()

    presenter.show(translations(), place)


def translate_file(path: Path, presenter: Presenter) -> None:
    """Show the translation of each line of a file, and a bar on stderr where no translations come between.

    Raises InputError for a file that cannot be opened, and as `translate_lines` does.
    """
    with _opened(path) as file:
        if not sys.stderr.isatty() or presenter.output.is_terminal or not path.is_file():
            translate_lines(file, str(path), presenter)
            return
        with _reading(str(path)):
            total = sum(block.count(b"\n") for block in iter(lambda: file.read(2**20), b""))
            file.seek(0)
        with progress_bar("translate", " lines") as show:
            translate_lines(file, str(path), presenter, lambda done: show(done, total))


def _opened(path: Path) -> BufferedReader:
    with _reading(str(path)):
        return path.open("rb")


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """Name what cannot be read."""
    try:
        yield
    except OSError as error:
        raise InputError(unreadable(name, error)) from None
