"""Nothing that a stranger wrote into a file or a name steers the terminal that shows it."""

import os
from pathlib import Path

import pytest

from tests.commands import S2S, s2s_here
from tests.terminal import on_terminal

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX terminals")

HOSTILE = "red\x1b[31m\x07\u202e\x9b\u2066!"
SHOWN = "red\\u001b[31m\\u0007\\u202e\\u009b\\u2066!"
ORDINARY = "می\u200cخواهم שלום हिन्दी \N{MAN}\u200d\N{WOMAN} é"


def test_a_terminal_shows_control_characters_escaped_and_a_pipe_gets_the_text_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "mine.yaml").write_text(f"# {HOSTILE} {ORDINARY}\n", encoding="utf-8")
    show = ("configs", "show", "--short", "mine")
    with on_terminal([*S2S, *show], tmp_path, PYTHONIOENCODING="utf-8") as terminal:
        code, shown = terminal.wait()

    assert code == 0
    assert f"{SHOWN} {ORDINARY}" in shown
    assert not set(shown) & set("\x1b\x07\u202e\x9b\u2066")
    assert f"{HOSTILE} {ORDINARY}" in s2s_here(tmp_path, *show).stdout


@pytest.mark.parametrize("arguments", [["runs", "--in"], ["inspect"], ["configs", "show"], ["prepare"]])
def test_a_log_has_names_escaped_on_one_line(tmp_path: Path, arguments: list[str]) -> None:
    done = s2s_here(tmp_path, *arguments, f"{HOSTILE}\n{ORDINARY}")

    [line] = done.stderr.splitlines()
    assert "red\\x1b[31m\\x07\\u202e\\x9b\\u2066!\\n" + ORDINARY in line
    assert not set(line) & set(HOSTILE) - set("red[31m!")
