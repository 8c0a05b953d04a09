"""The bar of a command on a terminal."""

import re

from seq2seq_cli.cli.terminal.progress import progress_bar
from tests.terminal import read_shown, stderr_on_terminal


def test_a_bar_fits_a_narrow_terminal() -> None:
    with stderr_on_terminal(columns=40) as terminal, progress_bar("reading all pairs", " lines") as show:
        show(30_000, 60_000)
        drawn = re.split("[\\r\\n]", read_shown(terminal))
        assert any(line.startswith("reading all pairs: ") for line in drawn)
        assert all(len(line) <= 40 for line in drawn)
