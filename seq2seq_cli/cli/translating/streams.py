"""Translating the lines of a pipe or a file."""

import sys
from collections.abc import Callable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING

from seq2seq_cli.cli.terminal.progress import progress_bar
from seq2seq_cli.cli.translating.presenter import Presenter
from seq2seq_cli.errors import InputError

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
    """Show the translation of each line; `progress` is told how many there are so far.

    Raises InputError for a line that cannot be translated, once those before it are; `name` is that of the stream.
    """
    from seq2seq_cli.decoding.lines import LineTranslator, read_blocks

    def place(number: int) -> str:
        return f"{name}:{number}"

    def translations() -> "Iterator[tuple[Translation, ...]]":
        lines = LineTranslator(presenter.translators.translate_stream, place)
        done = 0
        for block in read_blocks(stream, place):
            for of_line in lines.translate(block):
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
        total = sum(block.count(b"\n") for block in iter(lambda: file.read(2**20), b""))
        file.seek(0)
        with progress_bar("translate", " lines") as show:
            translate_lines(file, str(path), presenter, lambda done: show(done, total))


def _opened(path: Path) -> BufferedReader:
    try:
        return path.open("rb")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
