"""The pages hold: every command in them runs as it stands, and what they name is there.

Less than a reader has are the pairs, those that are downloaded as well, what `LESS` lists, and the vectors, epochs and
longest outputs of the shipped configs, which a `configs` folder in the working directory replaces by small ones. All
commands of a page run one after the other, in one folder.
"""

import json
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import get_args

import pytest
from torch.distributed.run import get_args_parser

from seq2seq_cli.config.catalog import shipped_folder
from seq2seq_cli.config.keys import schema_fields
from seq2seq_cli.config.loader import annotated_yaml, load_config
from seq2seq_cli.corpus.manifest import Reason
from tests.commands import Done, s2s_here
from tests.documents import DOCUMENTS
from tests.integration.test_command_line import ALL
from tests.pair_formats import delimited, tmx
from tests.servers import running_server
from tests.site import Site, archive_of, running_site

ROOT = Path(__file__).resolve().parents[2]
DOCS = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md"))
PAGES = ["README.md", "CONTRIBUTING.md", "data/README.md", *DOCS]
TRAINING, RUNS = "docs/training.md", "docs/runs.md"

LAUNCHER, LAUNCHED = "torchrun ", " -m seq2seq_cli "
"""What begins a line that starts several processes, and what stands before the command that each of them is given."""
LESS = {
    r"s2s train (?!.*--(config|resume|init-from)\b)": "--set training.epochs=2",  # the dial chooses 100 for few pairs
    "s2s train .*--teachers ": "--teachers 1",
    "s2s compare ": "--seeds 1",
}
"""What is added to the commands that begin so, where the last of two options counts."""
OTHER_PROGRAMS = ("benchmarks.", "shuf ")
"""In a line with one of these, options need not be ours."""
SMALLER = {
    r"_size: 256\b": "_size: 16",
    r"_size: 128\b": "_size: 8",
    r"\b(epochs|max_length_extra): \d+": r"\1: 2",
    r"min_length: 0": "min_length: 1",
}
"""Changes of the shipped configs. A model that is hardly trained writes as much as it may, or nothing."""


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def commands(page: str) -> list[str]:
    """The commands of s2s in the fenced and the indented code of a page; a text in quotes may have several lines."""
    found: list[str] = []
    for line in code_lines(page):
        if found and found[-1].count('"') % 2:
            found[-1] += f"\n{line}"
        elif line.startswith("s2s "):
            found.append(line)
    return found


def code_lines(page: str) -> Iterator[str]:
    fenced = False
    for line in text_of(page).replace("\\\n", " ").splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif fenced:
            yield line
        elif line.startswith("    "):
            yield line.strip()


def some_lines(name: str) -> str:
    """The same lines of the sample and of its alignment."""
    lines = text_of(f"data/{name}").splitlines(keepends=True)
    return "".join(lines[:: len(lines) // 60])


def pair_files() -> dict[str, str]:
    """The same pairs in every form that the pages name; no French, but nobody will read it."""
    text = some_lines("sample.txt")
    lines = text.splitlines(keepends=True)
    rows = [line.rstrip("\n").split("\t") for line in lines]
    toolbox = "\n\n".join(f"\\t {src}\n\\l {tgt}" for src, tgt in rows)
    return dict.fromkeys(("deu.txt", "fra.txt", "data/sample.txt"), text) | {
        # Three models are trained on it.
        "mine.txt": "".join(lines[:20]),
        "data/sample.align": some_lines("sample.align"),
        "more.txt": "".join(lines[:30]),
        "valid.txt": "".join(lines[:9]),
        "test.txt": "".join(lines[-9:]),
        "valid.en": "One.\nTwo.\n",
        "valid.de": "Eins.\nZwei.\n",
        "ddo-train.txt": toolbox,
        "ddo-dev.txt": toolbox[:600].rpartition("\n\n")[0],
        "ddo-test.txt": toolbox[-600:].partition("\n\n")[2],
        "italian.txt": "Che bella giornata.\nAndiamo a casa.\n",
        "words.tsv": "cat\tgatto\ndog\tcane\n",
        "talks.en": "\n".join(src for src, _ in rows),
        "talks.de": "\n".join(tgt for _, tgt in rows),
        "jpn.txt": "\n".join(f"{src}\tこんにちは{number}。" for number, (src, _) in enumerate(rows)),
        "lesson.csv": delimited([["note", "English", "German"], *(["-", *row] for row in rows)], ";"),
        "memory.tmx": tmx([(src, tgt) for src, tgt in rows]),
    }


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Where the reader downloads from."""
    monkeypatch.setenv("no_proxy", "*")
    with running_site() as site:
        for language in ("deu", "spa"):
            site.files[f"/pairs/{language}-eng.zip"] = published(language)
        yield site


def published(language: str) -> bytes:
    return archive_of({f"{language}.txt": some_lines("sample.txt").encode(), "_about.txt": b"Written by us.\n"})


@pytest.fixture(scope="module")
def granted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the pages take for granted, and small configs."""
    folder = tmp_path_factory.mktemp("granted")
    files = pair_files() | {
        "examples/everyday.txt": "thank you\nHello Tom.\n",
        "english.txt": "She kissed him.\n\nWho are you?\n",
        "terms.tsv": "she\tSie\n",
    }
    for path in shipped_folder().glob("*.yaml"):
        text = annotated_yaml(load_config(str(path)))
        for long, short in SMALLER.items():
            text = re.sub(long, short, text)
        files[f"configs/{path.name}"] = text
    for name, content in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    for name, document in DOCUMENTS.items():
        (folder / name).write_bytes(document)
    (folder / "old.txt").write_text(files["deu.txt"], encoding="cp1252")
    (folder / "deu-eng.zip").write_bytes(published("deu"))
    return folder


@pytest.fixture
def home(granted: Path, tmp_path: Path) -> Path:
    """Where the reader works."""
    return shutil.copytree(granted, tmp_path, dirs_exist_ok=True)


@pytest.mark.skipif(sys.platform == "win32", reason="the pages are written for a Unix shell")
@pytest.mark.parametrize("page", PAGES)
def test_every_command_runs(page: str, home: Path, site: Site) -> None:
    for command in commands(page):
        if command.startswith("s2s download "):
            (home / f"{shlex.split(command)[2]}.txt").unlink(missing_ok=True)  # the reader has not got it yet
            command += f" --site {site.address}"
        command = " ".join([command, *(less for form, less in LESS.items() if re.match(form, command))])
        done = s2s(command, home)
        assert done.returncode == 0, f"{page}: {command}: {done.stderr}"
        for word in shlex.split(command):
            if re.search(r"\.(docx|html|jsonl?|pdf|png|srt|svg|txt|yaml|zip)$", word) and "--config" not in command:
                assert (home / word).is_file(), f"{page}: {command}: {word} is not there"
    if page == TRAINING:
        check_run(home / "runs" / "small_batches")


def s2s(command: str, home: Path) -> Done:
    """Run one command, with the redirections that a shell would do; a server is stopped when it has started."""
    words = shlex.split(command)
    if words[1] == "serve":
        with running_server(*words[2:], folder=home) as server:
            return Done(words, 0, server.stop())
    files: dict[str, Path] = {}
    for sign in ("<", ">"):
        if sign in words:
            place = words.index(sign)
            files[sign] = home / words[place + 1]
            del words[place : place + 2]
    text = files["<"].read_text(encoding="utf-8") if "<" in files else ""
    done = s2s_here(home, *words[1:], text=text)
    if ">" in files:
        files[">"].write_text(done.stdout, encoding="utf-8")
    return done


def check_run(run: Path) -> None:
    """The run folder has the files, its metrics the fields, that the page on runs names."""
    page = text_of(RUNS)
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| ((?:all|step|epoch|end|test)[a-z, ]*) \|", page, flags=re.MULTILINE)
    told = {name: set(kinds.split(", ")) for names, kinds in rows for name in re.findall(r"\w+", names)}
    epochs = 0
    for line in (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        kind = record.pop("kind")
        assert record.keys() == {field for field, kinds in told.items() if kinds & {"all", kind}}
        epochs = record["epoch"] if kind == "epoch" else epochs
    assert epochs == int(re.findall(r"training\.epochs=(\d+)", text_of(TRAINING))[-1])
    assert all(re.search(rf"^{path.name}\b", page, flags=re.MULTILINE) for path in run.iterdir())


def test_each_page_has_commands_and_is_on_the_site() -> None:
    # The code of docs/python.md is run by test_library.py; docs/trust.md is about all commands, docs/log.md and
    # docs/robustness.md about none.
    silent = [page for page in DOCS if not commands(page)]
    assert set(silent) <= {"docs/python.md", "docs/trust.md", "docs/log.md", "docs/robustness.md"}
    contents = text_of("docs/conf.py").splitlines()
    assert [page for page in PAGES if page != "README.md" and page.removesuffix(".md") not in contents] == []


@pytest.fixture(scope="module")
def types() -> set[str]:
    """The classes and type aliases of the package."""
    code = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "seq2seq_cli").rglob("*.py"))
    return set(re.findall(r"^(?:class |(?=\w+: TypeAlias))(\w+)", code, flags=re.MULTILINE))


@pytest.mark.parametrize("page", PAGES)
def test_keys_files_classes_and_links_exist(page: str, types: set[str]) -> None:
    text = text_of(page)
    for key in re.findall(r"(?:`|--set )((?:data|text|model|training|decoding)\.[a-z_.]+)(?=`|=)", text):
        assert tuple(key.split(".")) in schema_fields(), key
    for path in re.findall(r"`((?:seq2seq_cli|tests|benchmarks|configs|data)/[\w./]*)`", text):
        assert (ROOT / path).exists() or path.startswith("data/prepared"), path
    for step in re.findall(r"^\d\. `(\w+/[\w/]+\.py)`", text, flags=re.MULTILINE):
        assert (ROOT / "seq2seq_cli" / step).is_file(), step
    for link in re.findall(r"\]\(([^):#]+)\)", text):
        assert (ROOT / page).parent.joinpath(link).exists(), link
    for name in re.findall(r"`([A-Z][a-z]\w*[A-Z]\w*)`", text):
        assert name in types, name


def test_the_page_on_commands_has_all_of_them_and_the_exit_codes() -> None:
    rows = re.findall(r"^\| `?(\w+)`? \|", text_of("docs/commands.md"), flags=re.MULTILINE)
    assert {*(path[0] for path in ALL if path), "0", "1", "2", "130", "143"} <= set(rows)


def test_the_docs_tell_every_option_and_no_other() -> None:
    names = {name for command in ALL.values() for parameter in command.params for name in parameter.opts}
    lines = [line for page in DOCS for line in text_of(page).replace("\\\n", " ").splitlines()]
    told = {
        option
        for line in lines
        if not any(program in line for program in OTHER_PROGRAMS)
        for option in re.findall(r"(?<![\w-])--[a-z][a-z_-]*", line)
    }
    torchruns = {name for action in get_args_parser()._actions for name in action.option_strings}
    assert told - torchruns == {name for name in names if name.startswith("--")} - {"--help"}


def test_the_commands_of_several_processes_are_torchruns_and_ours() -> None:
    """Their like run in test_distributed.py; here, their options are read."""
    lines = [line for page in PAGES for line in code_lines(page) if line.startswith(LAUNCHER)]
    assert lines
    for line in lines:
        theirs, ours = line.removeprefix(LAUNCHER).split(LAUNCHED)
        get_args_parser().parse_args([*shlex.split(theirs), "-m", "seq2seq_cli"])
        name, *arguments = shlex.split(ours)
        ALL[name,].make_context(name, arguments)


def test_the_docs_tell_every_reason_to_drop_a_line() -> None:
    told = re.findall(r"^\| `([a-z ]+)` \| [a-z]", text_of("docs/your-own-data.md"), flags=re.MULTILINE)
    assert told == list(get_args(Reason))


def test_each_module_of_the_reference_has_docstrings_to_show() -> None:
    for name in re.findall(r"automodule:: (\S+)\n   :members:", text_of("docs/reference.rst")):
        module = import_module(name)
        own = [each for each in vars(module).values() if getattr(each, "__module__", None) == name]
        assert own or module.__all__, name
