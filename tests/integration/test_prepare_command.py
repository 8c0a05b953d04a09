"""``s2s prepare`` as a user types it."""

import subprocess
import sys
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import pytest

NAMES = ("Tom", "Marie", "Zoë", "André")
LINES = [f"{NAMES[n % 4]} didn't see {n} cats.\t{NAMES[n % 4]} hörte {n} Kätzchen." for n in range(200)]


def s2s_prepare(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "seq2seq_cli", "prepare", *arguments],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def write(path: Path, lines: Sequence[str], *, newline: str = "\n", start: str = "", form: str = "NFC") -> None:
    text = start + "".join(line + newline for line in lines)
    path.write_bytes(unicodedata.normalize(form, text).encode("utf-8"))  # type: ignore[arg-type]


def content(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.json")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with deu.txt, prepared once without any flag."""
    folder = tmp_path_factory.mktemp("home")
    write(folder / "deu.txt", LINES)
    done = s2s_prepare(folder, "deu.txt")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    (folder / "stdout.txt").write_text(done.stdout, encoding="utf-8")
    return folder


def test_without_flags_it_writes_the_default_folder_and_says_what_it_did(home: Path) -> None:
    words = (home / "stdout.txt").read_text(encoding="utf-8").split()

    assert words[words.index("read") + 1] == "200"
    assert sum(int(words[words.index(split) + 1]) for split in ("train", "valid", "test")) == 200
    assert "unknown" in words
    assert " ".join(words).endswith("next: s2s train --config luong_concat.yaml --set training.epochs=30")
    assert (home / "data" / "prepared" / "manifest.json").is_file()


@pytest.mark.parametrize(
    ("name", "variant"),
    [
        ("bom_crlf", {"start": "\ufeff", "newline": "\r\n"}),
        ("nfd", {"form": "NFD"}),
        ("columns", {"newline": "\tCC-BY 2.0 (France) Attribution: tatoeba.org #1 (a) & #2 (b)\n"}),
    ],
)
def test_the_forms_of_a_file_prepare_to_the_same_bytes(home: Path, name: str, variant: dict[str, str]) -> None:
    write(home / f"{name}.txt", LINES, **variant)
    done = s2s_prepare(home, f"{name}.txt", "--out", name)

    assert done.returncode == 0, done.stderr
    assert content(home / name) == content(home / "data" / "prepared")
    assert ("more than two columns in 200 lines" in done.stdout) == (name == "columns")
    assert f"--data {name}" in done.stdout


def test_a_second_run_is_up_to_date_and_another_needs_leave(home: Path) -> None:
    same = s2s_prepare(home, "deu.txt")
    assert same.returncode == 0
    assert "is up to date" in same.stdout

    other = s2s_prepare(home, "deu.txt", "--limit", "150")
    assert other.returncode == 2
    assert other.stdout == ""
    assert "data.limit=null, now 150" in other.stderr
    assert "--overwrite" in other.stderr
    assert "--out" in other.stderr


def test_what_was_dropped_is_said_with_its_lines(home: Path) -> None:
    lines = [*LINES, "no tab", "", LINES[0]]
    write(home / "dropped.txt", lines)
    done = s2s_prepare(home, "dropped.txt", "--out", "dropped", "--set", "text.src.lowercase=false")

    assert done.returncode == 0, done.stderr
    said = [line.split() for line in done.stdout.splitlines()]
    assert ["1", "no", "tab", "(line", "201)"] in [words[1:] for words in said]
    assert ["1", "blank", "line", "(line", "202)"] in [words[1:] for words in said]
    assert ["1", "duplicate", "(line", "203)"] in [words[1:] for words in said]


@pytest.mark.parametrize(
    ("content_", "arguments", "message"),
    [
        (None, [], "bad.txt: no such file"),
        (b"", [], "bad.txt: the file is empty"),
        (b"\x7fELF\x02\x01\x00\x00", [], "bad.txt:1:7: a zero byte"),
        (b"Hi.\tHallo.\nRun!\tGr\xfc\xdf\n", [], "bad.txt:2:8: byte 0xfc is not UTF-8"),
        (b"Hi.\tHallo.\nRun!\n", [], "bad.txt:2: the line has no tab"),
        (b"Hi.\tHallo.\nRun!\t\n", [], "bad.txt:2: the line has an empty source or target"),
        (b"Hi.\tHallo.\n", ["--set", "text.src.language=qq"], "text.src.language: spaCy has no tokenizer for 'qq'"),
        (b"Hi.\tHallo.\n", ["--limit", "0"], "'--limit'"),
        (b"Hi.\tHallo.\n", ["--config", "no_such_config"], "no_such_config"),
    ],
)
def test_bad_input_is_one_line_exit_code_2_and_nothing_written(
    tmp_path: Path, content_: bytes | None, arguments: list[str], message: str
) -> None:
    if content_ is not None:
        (tmp_path / "bad.txt").write_bytes(content_)
    before = set(tmp_path.iterdir())
    done = s2s_prepare(tmp_path, "bad.txt", *arguments)

    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert message in done.stderr
    assert set(tmp_path.iterdir()) == before


def test_a_folder_is_no_pair_file(tmp_path: Path) -> None:
    done = s2s_prepare(tmp_path, ".")
    assert done.returncode == 2
    assert "a folder" in done.stderr
    assert list(tmp_path.iterdir()) == []
