import sys
from pathlib import Path

import pytest

from seq2seq_cli.cli.translating.history import state_folder


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX paths")
@pytest.mark.parametrize(
    ("platform", "environment", "folder"),
    [
        ("linux", {}, "~/.local/state/s2s"),
        ("linux", {"XDG_STATE_HOME": "/state"}, "/state/s2s"),
        ("linux", {"XDG_STATE_HOME": "no/absolute/path"}, "~/.local/state/s2s"),
        ("darwin", {}, "~/Library/Application Support/s2s"),
        ("darwin", {"XDG_STATE_HOME": "/state"}, "/state/s2s"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/s2s"),
        ("win32", {}, "~/AppData/Local/s2s"),
    ],
)
def test_each_system_has_a_place_for_the_history(platform: str, environment: dict[str, str], folder: str) -> None:
    assert state_folder(platform, environment) == Path(folder).expanduser()
