"""Tables of text."""

import sys
from collections.abc import Iterable, Sequence
from typing import Literal

_UNLIMITED = 10_000
"""Width of a table outside a terminal, in characters."""


def table_lines(titles: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = False) -> list[str]:
    """The lines of a table, without frame and colours; the columns after the first hold words, or `numbers`.

    Words are wrapped to fit a terminal; anywhere else a row is one line.
    """
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for number, title in enumerate(titles):
        justify: Literal["left", "right"] = "right" if numbers and number else "left"
        table.add_column(title, justify=justify, no_wrap=number == 0, overflow="fold")
    for row in rows:
        table.add_row(*row)
    width = None if sys.stdout.isatty() and not numbers else _UNLIMITED
    console = Console(width=width, color_system=None, markup=False, emoji=False, highlight=False)
    with console.capture() as captured:
        console.print(table)
    return [line.rstrip() for line in captured.get().splitlines()]
