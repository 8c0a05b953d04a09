"""What all commands have in common: help, versions, completion, plain output, and the page that tells of them."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from seq2seq_cli.cli.app import COMMANDS, build_app
from seq2seq_cli.version import __version__
from tests.commands import S2S, s2s_here
from tests.terminal import on_terminal

PAGE = Path(__file__).resolve().parents[2] / "docs" / "commands.md"


def walk(command: Any, *path: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """All commands with the words that name them."""
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from walk(inner, *path, name)


ALL = dict(walk(get_command(build_app())))


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
    for name, inner in getattr(ALL[path], "commands", {}).items():
        assert f" {name} {summary(inner)}" in whole


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


# Completion


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    """A working directory with runs: one has a name that a shell would obey, one that of an option."""
    for name in ("luong_mine", "$(touch obeyed)", "--yes"):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "config.yaml").touch()
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "mine.yaml").write_text("# Mine \\$(touch obeyed) `touch obeyed`\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("s2s tra", {"train", "translate"}),
        ("s2s translate --at", {"--attention"}),
        ("s2s translate --format ", {"text", "json", "tsv"}),
        ("s2s translate --model ", {"luong_mine"}),
        ("s2s score --model lu", {"luong_mine"}),
        ("s2s evaluate ", {"luong_mine"}),
        ("s2s runs compare luong_mine ", {"luong_mine"}),
        ("s2s train --init-from ", {"runs/--yes", "runs/luong_mine"}),
        ("s2s train --config luong_do", {"luong_dot"}),
        ("s2s configs show tutorial_d", {"tutorial_dot"}),
        ("s2s completion ", {"bash", "zsh", "fish"}),
        ("s2s prepare de", set()),
    ],
)
def test_shells_complete(line: str, completed: set[str], workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_S2S_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(line.count(" ")))
    done = s2s_here(workplace, text="")
    assert (done.returncode, done.stderr) == (0, "")
    assert set(done.stdout.split()) == completed


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_a_name_that_a_shell_would_obey_is_not_completed(
    shell: str, workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_S2S_COMPLETE", f"complete_{shell}")
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
    for line, known in (("s2s translate --model ", "luong_mine"), ("s2s train --config ", "configs/mine.yaml")):
        monkeypatch.setenv("_TYPER_COMPLETE_ARGS", line)
        shown = s2s_here(workplace).stdout
        assert known in shown
        assert not {"$", "`", "\\"} & set(shown)


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_bash_takes_the_script(workplace: Path) -> None:
    tool = workplace / "s2s"
    tool.write_text(f'#!/bin/sh\nexec {" ".join(S2S)} "$@"\n', encoding="utf-8")
    tool.chmod(0o755)
    script = f"""{s2s_here(workplace, "completion", "bash").stdout}
COMP_WORDS=(s2s translate --model lu) COMP_CWORD=3
_s2s_completion s2s
echo "${{COMPREPLY[*]}}"; complete -p s2s"""
    environment = {**os.environ, "PATH": f"{workplace}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", script], cwd=workplace, env=environment, capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.splitlines()[0] == "luong_mine"
    assert "_s2s_completion" in done.stdout
    assert done.stderr == ""


@pytest.mark.skipif(sys.platform == "win32", reason="has no pseudo-terminals")
def test_a_terminal_gets_no_colours(tmp_path: Path) -> None:
    s2s = " ".join(S2S)
    command = ["sh", "-c", f"{s2s} configs show quick --short; {s2s} --help; {s2s} nonsense"]
    with on_terminal(command, tmp_path, TERM="xterm-256color", FORCE_COLOR="1", NO_COLOR="1") as terminal:
        code, shown = terminal.wait()
    assert code == 2
    assert "s2s: error: No such command 'nonsense'" in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("train --epochs 3", "option: --epochs; did you mean --set training.epochs=VALUE? See s2s train --help"),
        ("train --layers=2", "did you mean --set model.encoder.layers=VALUE or --set model.decoder.layers=VALUE? See"),
        ("train --limit 5", "option: --limit; did you mean s2s prepare --set data.limit=VALUE? See s2s train --help"),
        ("translate --beam 5 hi", "No such option: --beam; did you mean --set decoding.beam_size=VALUE? See"),
        ("prepare --epochs 3 a.txt", "No such option: --epochs. See s2s prepare --help"),
        ("runs --epochs 3", "No such option: --epochs. See s2s runs --help"),
        ("train a.txt", "extra argument(s) (a.txt): pairs are prepared first, with s2s prepare FILE. See s2s train"),
        ("trian", "No such command 'trian'. Did you mean 'train'? See s2s --help"),
    ],
)
def test_a_mistake_on_the_command_line_names_what_may_be_meant(line: str, told: str, tmp_path: Path) -> None:
    done = s2s_here(tmp_path, *line.split())
    assert done.returncode == 2
    assert told in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["completion"], "Missing argument 'SHELL'. Choose from: bash, zsh, fish. See s2s completion --help"),
        (["translate", "--format", "xml"], "Invalid value for '--format': 'xml' is not one of 'text', 'json', 'tsv'."),
    ],
)
def test_a_choice_that_is_missing_or_none_is_told_in_one_line(arguments: list[str], told: str, tmp_path: Path) -> None:
    done = s2s_here(tmp_path, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"s2s: error: {told}")
    assert "\\n" not in done.stderr
