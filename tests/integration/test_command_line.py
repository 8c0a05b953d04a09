"""What all commands have in common: help, versions, completion, plain output, and the answers to mistakes."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from seq2seq_cli.cli.program import build_program
from seq2seq_cli.version import __version__
from tests.commands import S2S, output_of, refused, s2s_here
from tests.terminal import on_terminal


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
    shown = output_of(s2s_here(tmp_path, *path, "--help"))
    assert "…" not in shown
    assert max(map(len, shown.splitlines())) <= 80
    whole = " ".join(shown.split())
    assert summary(ALL[path]) in whole
    for name in getattr(ALL[path], "commands", {}):
        assert f" {name} {summary(ALL[(*path, name)])}" in whole


def test_the_version_names_what_matters(tmp_path: Path) -> None:
    first, python, *packages = output_of(s2s_here(tmp_path, "--version")).splitlines()
    assert first == f"s2s {__version__}"
    assert sys.version.split()[0] in python
    assert {"torch", "onnxruntime", "spacy"} <= {line.split()[0] for line in packages}
    assert all(re.fullmatch(r"\w+ \d+\.[\w.+]+", line) for line in packages)


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
    assert set(output_of(s2s_here(tmp_path)).split()) == completed


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
        ("configs shwo", "error: No such command 'shwo'"),
        ("configs show", "error: Missing argument 'NAME'. See "),
        ("configs show luong_conact", "error: no config is named 'luong_conact'; did you mean luong_concat"),
        ("configs show no/such.yaml", "error: no/such.yaml: no such config file"),
        ("download", "error: no language: give one such as 's2s download deu'"),
        ("download Germn", "error: no published language is called 'Germn'"),
        ("download English", "error: English is the other language of every file"),
        ("download deu --site file:///etc/", "error: --site file:///etc/: must be a web address such as https://"),
    ],
)
def test_a_mistake_on_the_command_line_is_answered_in_one_line(line: str, told: str, tmp_path: Path) -> None:
    refused(s2s_here(tmp_path, *line.split()), told)
