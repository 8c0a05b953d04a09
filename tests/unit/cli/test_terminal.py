"""What a command shows on a terminal."""

import re
import subprocess
import sys

from seq2seq_cli.cli.terminal import progress_bar
from tests.terminal import read_shown, stderr_on_terminal

WARN = """
import logging, warnings
from seq2seq_cli.cli.terminal import show_warnings
show_warnings()
logging.getLogger("seq2seq_cli.x").warning("%s: damaged", "a\\x1b[31m\\nb\\u202e")
warnings.warn("slow\\n", RuntimeWarning, stacklevel=1)
logging.getLogger("seq2seq_cli.x").info("a notice")
logging.getLogger("other").info("unasked")
"""


def test_a_bar_fits_a_narrow_terminal() -> None:
    with stderr_on_terminal(columns=40) as terminal, progress_bar("reading all pairs", " lines") as show:
        show(30_000, 60_000)
        drawn = re.split("[\\r\\n]", read_shown(terminal))
        assert any(line.startswith("reading all pairs: ") for line in drawn)
        assert all(len(line) <= 40 for line in drawn)


def test_each_warning_is_a_line_that_a_terminal_shows_as_it_is() -> None:
    done = subprocess.run([sys.executable, "-c", WARN], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == ""
    assert done.stderr == "s2s: warning: a\\x1b[31m\\nb\\u202e: damaged\ns2s: warning: slow\\n\ns2s: a notice\n"
