"""Warnings of the library, as a command shows them."""

import subprocess
import sys

WARN = """
import logging, warnings
from seq2seq_cli.cli.terminal.notices import show_warnings
show_warnings()
logging.getLogger("seq2seq_cli.x").warning("%s: damaged", "a\\x1b[31m\\nb\\u202e")
warnings.warn("slow\\n", RuntimeWarning, stacklevel=1)
logging.getLogger("seq2seq_cli.x").info("unasked")
"""


def test_each_warning_is_a_line_that_a_terminal_shows_as_it_is() -> None:
    done = subprocess.run([sys.executable, "-c", WARN], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == ""
    assert done.stderr == "s2s: warning: a\\x1b[31m\\nb\\u202e: damaged\ns2s: warning: slow\\n\n"
