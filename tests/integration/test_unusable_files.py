"""What a command says of a file that it cannot use: the true reason in one line, and exit code 2, at once."""

import os
from pathlib import Path

import pytest

from seq2seq_cli.pairs.pair_files import ONE_PER_LINE
from tests.commands import refused, s2s_here

LONG = "n" * 5000

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX files")


@pytest.mark.parametrize(
    "arguments",
    [
        ["inspect", LONG],
        ["prepare", LONG],
        ["prepare", "pairs.txt", "--config", LONG],
        ["prepare", "pairs.txt", "--tgt-only", LONG],
        ["translate", "--model", LONG, "hello"],
        ["translate", "--output", LONG, "hello"],
        ["translate", "--glossary", LONG, "hello"],
        ["export", LONG, "out"],
        ["runs", "compare", LONG, LONG],
        ["configs", "show", LONG],
    ],
    ids=lambda arguments: " ".join(arguments).replace(LONG, "LONG"),
)
def test_a_name_that_is_too_long_is_a_wrong_input(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "pairs.txt").write_text("a\tb\n", encoding="utf-8")

    assert refused(s2s_here(tmp_path, *arguments)).endswith("File name too long")


@pytest.mark.parametrize("command", [["configs", "show"], ["configs", "show", "--short"], ["prepare", "x", "--config"]])
def test_a_config_that_is_no_file_is_not_waited_for(tmp_path: Path, command: list[str]) -> None:
    os.mkfifo(tmp_path / "mine.yaml")

    assert refused(s2s_here(tmp_path, *command, "mine.yaml")).startswith("no config is named 'mine.yaml'")
    assert refused(s2s_here(tmp_path, *command, "mine.yaml/a")) == "mine.yaml/a: no such config file, or an empty one"


def test_a_config_of_20_megabytes_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_bytes(b"abcd " * 4_000_000)

    assert (
        refused(s2s_here(tmp_path, "configs", "show", "mine.yaml")) == "mine.yaml: cannot be read: larger than 0.1 MB"
    )


def test_a_line_of_20_megabytes_is_named_as_the_reason(tmp_path: Path) -> None:
    (tmp_path / "deu.txt").write_bytes(b"abcd " * 4_000_000)
    assert refused(s2s_here(tmp_path, "prepare", "deu.txt")).startswith("deu.txt:1: one column only")
    said = f": no sentence pair in it, 1 dropped as 'too long' from deu.txt + deu.txt:1 on: {ONE_PER_LINE}"
    assert refused(s2s_here(tmp_path, "prepare", "--src", "deu.txt", "--tgt", "deu.txt")).endswith(said)
