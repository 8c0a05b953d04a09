"""The pages hold: every command in them runs as it stands, and what they name is there.

Less than a reader has are the pairs, those that are downloaded as well, and the vectors and epochs of the shipped
configs, which a `configs` folder in the working directory replaces by small ones. All commands of a page run in this
process, one after the other, in one folder: to import torch for each would take longer than the rest.
"""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from typer.main import get_command

from seq2seq_cli.cli.app import app, main
from seq2seq_cli.config.catalog import shipped_folder
from seq2seq_cli.config.wording import schema_fields
from seq2seq_cli.corpus.dropped import Reason
from tests.site import Site, archive_of, running_site

ROOT = Path(__file__).resolve().parents[2]
DOCS = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md"))
TRAINING = "docs/training.md"
PAGES = ["README.md", "CONTRIBUTING.md", "data/README.md", *DOCS]

PROGRAMS = ("s2s ", "awk ")
"""What a line of code begins with to be run. Others need the project itself: git, make."""


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def commands(page: str) -> list[str]:
    """The command lines in the fenced and the indented code of a page."""
    return [line for line in code_lines(page) if line.startswith(PROGRAMS)]


def code_lines(page: str) -> Iterator[str]:
    fenced = False
    for line in text_of(page).replace("\\\n", " ").splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif fenced:
            yield line
        elif line.startswith("    "):
            yield line.strip()


def pairs() -> str:
    sample = (ROOT / "data" / "sample.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(sample[:: len(sample) // 200])


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Where the reader downloads from."""
    monkeypatch.setenv("no_proxy", "*")
    with running_site() as site:
        for language in ("deu", "spa"):
            files = {f"{language}.txt": pairs().encode(), "_about.txt": b"Written by us.\n"}
            site.files[f"/pairs/{language}-eng.zip"] = archive_of(files)
        yield site


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the reader works: the files that the pages take for granted, and small configs."""
    (tmp_path / "data").mkdir()
    for name in ("deu.txt", "fra.txt", "more.txt", "data/sample.txt"):  # no French, but nobody will read it
        (tmp_path / name).write_text(pairs(), encoding="utf-8")
    (tmp_path / "english.txt").write_text("She kissed him.\n\nWho are you?\n", encoding="utf-8")
    (tmp_path / "configs").mkdir()
    for path in shipped_folder().glob("*.yaml"):
        small = re.sub(r"\b(\w+_size): (256|128)\b", r"\1: 16", path.read_text(encoding="utf-8"))
        small = re.sub(r"\bepochs: \d+", "epochs: 2", small)
        (tmp_path / "configs" / path.name).write_text(small, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GOMP_SPINCOUNT", "1000")  # main would leave it set
    return tmp_path


def run_page(page: str, home: Path, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    for command in commands(page):
        if not command.startswith("s2s "):
            subprocess.run(command, cwd=home, shell=True, check=True)  # noqa: S602  # our own page
            continue
        if command.startswith("s2s download "):
            (home / f"{shlex.split(command)[2]}.txt").unlink(missing_ok=True)  # the reader has not got it yet
            command += f" --set download.site={site.address}"
        code, errors = s2s(command, home, monkeypatch)
        assert code == 0, f"{page}: {command}: {errors}"
        for word in shlex.split(command):
            if word.endswith((".png", ".svg", ".json", ".yaml")) and "--config" not in command:
                assert (home / word).is_file(), f"{page}: {command}: {word} is not there"


def s2s(command: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[object, str]:
    """Run one command, with the redirections that a shell would do: its exit code and what it said on stderr."""
    words = shlex.split(command)
    files = {"<": Path("/dev/null"), ">": home / "stdout.txt", "2>": home / "stderr.txt"}
    for sign in files.keys() & set(words):
        place = words.index(sign)
        files[sign] = home / words[place + 1]
        del words[place : place + 2]
    with (
        files["<"].open(encoding="utf-8") as stdin,
        files[">"].open("w", encoding="utf-8") as stdout,
        files["2>"].open("w", encoding="utf-8") as stderr,
        monkeypatch.context() as patch,
    ):
        for name, value in (("argv", words), ("stdin", stdin), ("stdout", stdout), ("stderr", stderr)):
            patch.setattr(sys, name, value)
        with pytest.raises(SystemExit) as ended:
            main()
    return ended.value.code, files["2>"].read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="the pages are written for a Unix shell")
@pytest.mark.parametrize("page", [page for page in PAGES if page != TRAINING])
def test_every_command_runs(page: str, home: Path, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    run_page(page, home, site, monkeypatch)


@pytest.mark.skipif(sys.platform == "win32", reason="the pages are written for a Unix shell")
def test_training_leaves_what_its_page_says(home: Path, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    run_page(TRAINING, home, site, monkeypatch)

    run = home / "runs" / "small_batches"
    page = text_of(TRAINING)
    told = dict(re.findall(r"^\| `(\w+)` \| (both|step|epoch) \|", page, flags=re.MULTILINE))
    for line in (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        kind = record.pop("kind")
        assert record.keys() == {field for field, kinds in told.items() if kinds in ("both", kind)}
    assert record["epoch"] == int(re.findall(r"training\.epochs=(\d+)", page)[-1])
    assert all(re.search(rf"^{path.name}\b", page, flags=re.MULTILINE) for path in run.iterdir())


def test_each_docs_page_has_commands() -> None:
    assert DOCS
    assert all(commands(page) for page in DOCS)


@pytest.mark.parametrize("page", PAGES)
def test_keys_files_classes_and_links_exist(page: str) -> None:
    text = text_of(page)
    for key in re.findall(r"(?:`|--set )((?:data|text|model|training|decoding|download)\.[a-z_.]+)(?=`|=)", text):
        assert tuple(key.split(".")) in schema_fields(), key
    for path in re.findall(r"`((?:seq2seq_cli|tests|benchmarks|configs|data)/[\w./]*)`", text):
        assert (ROOT / path).exists() or path.startswith("data/prepared"), path
    for link in re.findall(r"\]\(([^):#]+)\)", text):
        assert (ROOT / page).parent.joinpath(link).exists(), link
    defined = {name for path in (ROOT / "seq2seq_cli").rglob("*.py") for name in classes(path)}
    for name in re.findall(r"`([A-Z][a-z]\w*[A-Z]\w*)`", text):
        assert name in defined, name


def classes(path: Path) -> list[str]:
    return re.findall(r"^class (\w+)", path.read_text(encoding="utf-8"), flags=re.MULTILINE)


def test_the_docs_tell_every_option_and_no_other() -> None:
    subcommands = get_command(app).commands  # type: ignore[attr-defined]
    options = {
        name
        for command in ("download", "prepare", "inspect", "train", "translate")
        for parameter in subcommands[command].params
        for name in parameter.opts
        if name.startswith("--") and name != "--help"
    }
    told = {option for page in DOCS for option in re.findall(r"(?<![\w-])--[a-z][a-z_-]*", text_of(page))}
    assert told == options


def test_the_docs_tell_every_reason_to_drop_a_line() -> None:
    told = re.findall(r"^\| `([a-z ]+)` \| [a-z]", text_of("docs/your-own-data.md"), flags=re.MULTILINE)
    assert told == list(get_args(Reason))
