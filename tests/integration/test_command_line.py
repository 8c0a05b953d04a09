"""What all commands have in common: help, versions, completion, plain output, and the page that tells of them."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from seq2seq_cli.cli.program import COMMANDS, build_program
from seq2seq_cli.version import __version__
from tests.commands import S2S, refused, s2s_here
from tests.terminal import on_terminal

PAGE = Path(__file__).resolve().parents[2] / "docs" / "commands.md"


def walk(command: Any, *path: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """All commands with the words that name them."""
    yield path, command
    for name in getattr(command, "commands", {}):
        yield from walk(command.get_command(None, name), *path, name)


ALL = dict(walk(build_program()))


def summary(command: Any) -> str:
    return " ".join(command.help.partition("\n\n")[0].split())


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_the_help_fits_80_columns_and_cuts_no_line(
    path: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = s2s_here(tmp_path, *path, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "…" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    whole = " ".join(done.stdout.split())
    assert summary(ALL[path]) in whole
    for name in getattr(ALL[path], "commands", {}):
        assert f" {name} {summary(ALL[(*path, name)])}" in whole


def test_the_version_names_what_matters(tmp_path: Path) -> None:
    done = s2s_here(tmp_path, "--version")
    first, python, *packages = done.stdout.splitlines()
    assert (done.returncode, first) == (0, f"s2s {__version__}")
    assert sys.version.split()[0] in python
    assert {"torch", "onnxruntime", "spacy"} <= {line.split()[0] for line in packages}
    assert all(re.fullmatch(r"\w+ \d+\.[\w.+]+", line) for line in packages)


def test_the_page_has_all_commands_and_exit_codes() -> None:
    page = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `?(\w+)`? \|", page, flags=re.MULTILINE)
    assert set(COMMANDS) <= set(rows)
    assert {"0", "1", "2", "130", "143"} <= set(rows)


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("s2s tra", {"train", "translate"}),
        ("s2s translate --at", {"--attention"}),
        ("s2s translate --format ", {"text", "json"}),
        ("s2s prepare de", set()),
    ],
)
def test_shells_complete(line: str, completed: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_S2S_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(line.count(" ")))
    done = s2s_here(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert set(done.stdout.split()) == completed


@pytest.mark.skipif(sys.platform == "win32", reason="has no pseudo-terminals")
def test_a_terminal_gets_no_colours(tmp_path: Path) -> None:
    s2s = " ".join(S2S)
    command = ["sh", "-c", f"{s2s} configs show quick --short; {s2s} --help; {s2s} nonsense"]
    with on_terminal(command, tmp_path, TERM="xterm-256color", FORCE_COLOR="1", NO_COLOR="") as terminal:
        code, shown = terminal.wait()
    assert code == 2
    assert "s2s: error: No such command 'nonsense'" in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("train --epochs 3", "option: --epochs; did you mean --set training.epochs=VALUE? See s2s train --help"),
        ("train --layers=2", "did you mean --set model.encoder.layers=VALUE or --set model.decoder.layers=VALUE? See"),
        ("translate --beam 5 hi", "No such option: --beam; did you mean --set decoding.beam_size=VALUE? See"),
        ("compare a b --epochs 3", "option: --epochs; did you mean --set training.epochs=VALUE? See s2s compare"),
        ("translate --threads 3000000000 hi", "'--threads': Input should be less than or equal to 2147483647. See"),
        ("train --config=", "no config is named ''"),
        ("prepare --epochs 3 a.txt", "No such option: --epochs. See s2s prepare --help"),
        ("runs --epochs 3", "No such option: --epochs. See s2s runs --help"),
        ("train a.txt", "extra argument(s) (a.txt): pairs are prepared first, with s2s prepare FILE. See s2s train"),
        ("translate --format xml", "Invalid value for '--format': 'xml' is not one of 'text', 'json'. See"),
        ("trian", "No such command 'trian'. Did you mean 'train'? See s2s --help"),
    ],
)
def test_a_mistake_on_the_command_line_names_what_may_be_meant(line: str, told: str, tmp_path: Path) -> None:
    refused(s2s_here(tmp_path, *line.split()), told)
