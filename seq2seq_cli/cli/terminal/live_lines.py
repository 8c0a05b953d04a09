"""Lines at the end of a terminal that are drawn again and again, whatever its width becomes meanwhile."""

import os
import sys
from collections.abc import Callable, Sequence

from seq2seq_cli.cli.terminal.safe_stream import bar_stream, call_before_text

_ERASE = "\r\x1b[J"
"""To the start of the line, and erase from there to the end of the screen."""
_UNKNOWN_WIDTH = 80


class LiveLines:
    """Lines on stderr that each drawing replaces, where stderr is a terminal; what others write goes above them.

    The cursor waits at the start of the first line. A terminal that has become narrower breaks the lines into more
    rows, but keeps the cursor where its line starts: erasing from there on removes all of them.
    """

    def __init__(self) -> None:
        self._stream = bar_stream()
        self.is_shown = self._stream.isatty() and os.environ.get("TERM") != "dumb"
        self._is_drawn = False
        if sys.platform == "win32" and self.is_shown:
            import colorama

            colorama.just_fix_windows_console()
        if self.is_shown:
            call_before_text(self.clear)

    def has(self, characters: str) -> bool:
        """Whether the terminal can show these characters."""
        try:
            characters.encode(self._stream.encoding or "ascii")
        except UnicodeEncodeError:
            return False
        return True

    def draw(self, lines: Callable[[int], Sequence[str]]) -> None:
        """Replace the lines by those for the width of the terminal, in characters."""
        if not self.is_shown:
            return
        width = self._width() - 1  # a full row would move the cursor to the next one
        drawn = [line[:width] for line in lines(width)]
        up = f"\x1b[{len(drawn) - 1}A" if len(drawn) > 1 else ""
        self._stream.write(_ERASE + "\n".join(drawn) + "\r" + up)
        self._stream.flush()
        self._is_drawn = True

    def clear(self) -> None:
        """Remove the lines."""
        if self._is_drawn:
            self._is_drawn = False
            self._stream.write(_ERASE)
            self._stream.flush()

    def _width(self) -> int:
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or _UNKNOWN_WIDTH
        except OSError:
            return _UNKNOWN_WIDTH
