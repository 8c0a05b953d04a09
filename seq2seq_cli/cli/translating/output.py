"""The outputs of translations: the terminal, a pipe, or a file."""

import codecs
import contextlib
import io
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from seq2seq_cli.cli.terminal.safe_stream import for_terminal
from seq2seq_cli.files.output import output_file
from seq2seq_cli.files.writing import naming

if TYPE_CHECKING:
    from seq2seq_cli.plots.attention_map import AttentionMap
    from seq2seq_cli.plots.attention_text import Style


@dataclass(frozen=True)
class Output:
    """A stream of results."""

    stream: TextIO
    path: Path | None = None
    """The file that it writes; None for standard output."""

    @cached_property
    def is_terminal(self) -> bool:
        """Whether a person reads along."""
        return self.stream.isatty()

    @cached_property
    def is_utf8(self) -> bool:
        """Whether the stream has every character."""
        return codecs.lookup(self.stream.encoding).name == "utf-8"

    def write(self, text: str) -> None:
        """Write lines; on a terminal at once."""
        with self._named():
            self.stream.write(text)
            if self.is_terminal:
                self.stream.flush()

    def flush(self) -> None:
        """Hand over what was written."""
        with self._named():
            self.stream.flush()

    def _named(self) -> contextlib.AbstractContextManager[None]:
        """Names the file in the errors of the block."""
        return naming(self.path) if self.path else contextlib.nullcontext()

    def table(self, attention: "AttentionMap") -> str:
        """The attention of a sentence: on a terminal no wider than it, and in characters that the stream has."""
        from seq2seq_cli.plots.attention_text import attention_table

        encoding = self.stream.encoding
        if not self.is_terminal:
            return attention_table(attention, style="numbers", encoding=encoding)
        width = shutil.get_terminal_size().columns
        style: Style = "shades" if self.is_utf8 else "numbers"
        return attention_table(attention, style=style, width=width, encoding=encoding)


@contextlib.contextmanager
def open_output(path: Path | None, *, overwrite: bool) -> Iterator[Output]:
    """Standard output, or a file that is there, whole, when the block has ended without an error.

    Raises UsageError for a file that exists, unless `overwrite` is set, and for a path where none can be. A device or
    a named pipe is written to directly.
    """
    if path is None:
        yield Output(sys.stdout)
        return
    with output_file(path, overwrite=overwrite) as file:
        stream = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
        try:
            yield Output(for_terminal(stream), path)
        finally:
            with naming(path):
                stream.detach()  # writes the rest, and leaves the file open
