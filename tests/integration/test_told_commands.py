"""The commands and options that s2s names are there, and its usage lines work as they stand.

These are the ``next:`` line of ``s2s prepare``, whatever was prepared and how, the lines in the heads of the configs,
and the commands, options and keys in messages, which are read from the code.
"""

import ast
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from torch.distributed.run import get_args_parser

import seq2seq_cli
from seq2seq_cli.cli.program import build_program
from seq2seq_cli.config.catalog import shipped_folder
from seq2seq_cli.config.keys import schema_fields
from seq2seq_cli.runs.records import read_history
from seq2seq_cli.training.plan import Options, Planned, make_plan, run_path
from tests.commands import SMALL, Done, refused, s2s_here, settings, succeeded
from tests.corpora import pair_lines

PACKAGE = Path(seq2seq_cli.__file__).parent
# A sentence with more characters than the location score of a shipped config has places.
LONG = f"Tom sees {'very ' * 25}old cats.\tTom sieht {'sehr ' * 25}alte Katzen.\n"
OTHERWISE = ["--limit=30", "--swap", "--set=text.unit=character", "--set=data.valid_sources=0", "--out=data/other"]
OPTIONS = [
    *("--swap", "--limit=30", "--languages=en-it", "--encoding=utf-8-sig", "--valid=more.txt", "--test=more.txt"),
    "--set=data.max_ratio=1.5",
    *("--set=data.valid_sources=0 --set=data.test_sources=0", "--set=text.unit=bpe", "--set=text.unit=character"),
    *(f"--set=text.{key}" for key in ("shared_vocabulary=true", "src.lowercase=false", "tgt.lowercase=true")),
    *(f"--set=text.{key}" for key in ("tgt.spacing=false", "tgt.max_size=20", "src.max_size=null", "src.language=xx")),
    *("--config=quick --set=text.unit=word", "--config=quick --set=text.shared_vocabulary=false"),
    *("--config=luong_location --set=data.max_tokens=500", "--config=tutorial_location --swap"),
]
"""Options of ``prepare`` that change the text or the data, one or two at a time."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deu.txt").write_text(LONG + "\n".join(pair_lines(60)), encoding="utf-8")
    (tmp_path / "more.txt").write_text("\n".join(pair_lines(80)[60:]), encoding="utf-8")
    (tmp_path / "mine.txt").write_text("\n".join(pair_lines(60)), encoding="utf-8")
    (tmp_path / "PAIRS").write_text("\n".join(pair_lines(60)), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("config", "name"),
    [("lr0.5", "lr0.5"), ("./lr0.5.yaml", "lr0.5"), ("a.yml", "a"), ("papers/luong2015", "luong2015")],
)
def test_a_run_is_named_after_its_config(config: str, name: str) -> None:
    assert run_path(Options(config=config)) == Path("runs", name)


def next_line(home: Path, *options: str) -> str:
    return succeeded(s2s_here(home, "prepare", "deu.txt", *options)).stdout.splitlines()[-1].removeprefix("next: ")


def planned(line: str) -> Planned:
    """The plan of a command ``s2s train ...``, what it would train, and where; and its corpus."""
    given = read(line)
    with ExitStack() as locks:
        options = Options(**{option: given[option] for option in ("config", "minutes", "data", "out", "init_from")})
        return make_plan(options, locks=locks)


def read(line: str) -> Mapping[str, Any]:
    """The options and arguments of a command line; raises a UsageError of typer for what the command does not take."""
    program, name, *arguments = shlex.split(line)
    assert program == "s2s"
    values: Mapping[str, Any] = commands()[name].make_context(name, arguments).params
    return values


@cache
def commands() -> Mapping[str, Any]:
    program = build_program()
    return {name: program.get_command(None, name) for name in program.commands}


@pytest.mark.parametrize(
    ("config", "options"),
    [(None, []), ("quick", []), *((name, OTHERWISE) for name in (None, "sample", "luong_location", "papers/cho2014"))],
)
def test_it_trains_on_what_was_prepared(home: Path, config: str | None, options: list[str]) -> None:
    line = next_line(home, *options, *([f"--config={config}"] if config else []))
    plan, corpus = planned(line)
    assert corpus.path == (Path("data/other") if options else Path("data/prepared"))
    assert config is None or f"--config {config}" in line
    assert (plan.config.text.unit == "character") == bool(options)
    assert plan.config.data.swap == bool(options)


@pytest.mark.parametrize("options", OPTIONS)
def test_it_trains_on_what_each_option_made(home: Path, options: str) -> None:
    plan, _ = planned(next_line(home, *options.split()))
    for key, value in re.findall(r"--set=(\S+)=(\S+)", options):
        section, *names = key.split(".")
        values: Any = plan.config.model_dump()[section]
        for name in names:
            values = values[name]
        assert str(values).lower().replace("none", "null") == value


def test_without_a_config_the_minutes_choose_one(home: Path) -> None:
    assert next_line(home) == "s2s train --minutes 6"
    done = succeeded(s2s_here(home, "train", "--set", "training.epochs=1", "--set", "training.precision=fp32"))
    assert re.search(r"^[\d,]+ pairs, 6 minutes at [\d,]+ tokens/s: 256 numbers, [\d.]+ epochs;", done.stderr, re.M)
    assert "runs/6min " in done.stdout
    translate = done.stdout.splitlines()[-1].removeprefix("To translate: ")
    done = s2s_here(home, *shlex.split(translate)[1:])
    assert (done.returncode, done.stdout.count("\n")) == (0, 1)


def test_a_training_that_its_time_ended_tells_how_it_goes_on(home: Path) -> None:
    def told(done: Done) -> str | None:
        found = re.search("^To train longer: s2s (.*)$", succeeded(done).stdout, re.M)
        return found and found[1]

    s2s_here(home, "prepare", "deu.txt", "--out", "timed")
    small = ("--data", "timed", *settings(*SMALL), "--set", "training.precision=fp32", "--set", "training.epochs=1000")
    longer = told(s2s_here(home, "train", *small, "--out", "runs/timed", "--set", "training.max_minutes=0.01"))
    assert longer == "train --resume --out runs/timed --minutes 0.01"
    before = read_history(Path("runs/timed")).minutes or 0.0
    assert told(s2s_here(home, *longer.split())) == longer.replace("0.01", f"{before + 0.01:g}")
    assert told(s2s_here(home, "train", *small, "--set", "training.epochs=1")) is None


def test_without_a_prepared_folder_train_names_the_command_that_makes_it(home: Path) -> None:
    told = re.search("make it with: (s2s prepare FILE .*)$", refused(s2s_here(home, "train", "--data", "my data/new")))
    assert told
    refused(
        s2s_here(home, "train", "--config", "luong_dot"), "prepared: no such folder: make it with: s2s prepare FILE"
    )
    assert {path.name for path in home.iterdir()} == {"deu.txt", "more.txt", "mine.txt", "PAIRS"}
    succeeded(s2s_here(home, *shlex.split(told[1].replace("FILE", "deu.txt"))[1:]))
    planned("s2s train --data 'my data/new'")


def usage_lines(path: Path) -> list[str]:
    return re.findall(r"^# .*?\b(s2s .*)$", path.read_text(encoding="utf-8"), flags=re.M)


@pytest.mark.parametrize("path", sorted(shipped_folder().rglob("*.yaml")), ids=lambda path: path.stem)
def test_the_usage_lines_of_a_config_work_in_their_order(path: Path, home: Path) -> None:
    lines = usage_lines(path)
    name = path.relative_to(shipped_folder()).with_suffix("").as_posix()
    assert lines[-1] == f"s2s configs show {name}"
    for line in lines:
        if line.startswith("s2s train "):
            assert planned(line)[0].path == Path("runs", path.stem)
        elif line.startswith("s2s translate "):
            assert read(line)["texts"]
        else:
            succeeded(s2s_here(home, *shlex.split(line)[1:]))


TORCHRUNS = {name for action in get_args_parser()._actions for name in action.option_strings}
OTHER_OPTIONS = {"--help", "--version", "--debug", *TORCHRUNS}
"""Those of no command of ours: of the program itself, and torchrun's."""

COMMAND = r"(?:^|['`(]|\w: )s2s (\w+)((?: --[a-z-]+| [A-Z.…{}'\"]+)*)"
OPTION = r"(?<![\w-])--[a-z][a-z-]*"
KEY = r"(?<![\w.])(?:data|text|model|training|decoding)\.[a-z_.]*[a-z]"
FILES = ("training.pt", "model.safetensors")
"""Names that look like keys of a config."""


def test_the_commands_options_and_keys_in_messages_are_there() -> None:
    found, wrong = 0, list[tuple[Path, str]]()
    for place, text in messages():
        if text.startswith(" --"):
            continue  # the end of a command line, which a test above runs
        named = re.findall(COMMAND, text)
        options = re.findall(OPTION, text)
        keys = [key for key in re.findall(KEY, text) if " " in text and key not in FILES]
        is_right = (
            all(set(re.findall(OPTION, taken)) <= options_of(command) for command, taken in named)
            and set(options) <= OTHER_OPTIONS.union(*map(options_of, commands()))
            and all(tuple(key.split(".")) in schema_fields() for key in keys)
            and ("prepare" in text or not re.search(r"--set (data|text)\.", text))
        )
        wrong += [] if is_right else [(place, text)]
        found += len(named) + len(options) + len(keys)
    assert not wrong
    assert found > 200


def messages() -> Iterator[tuple[Path, str]]:
    """The texts in the code but for docstrings, with their files; … stands for what is filled in."""
    for path in PACKAGE.rglob("*.py"):
        nodes = [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
        apart = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        apart |= {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
        yield from ((path, text) for node in nodes if id(node) not in apart and (text := text_of(node)))


def text_of(node: ast.AST) -> str:
    """The text of a literal; empty for all else."""
    parts: Sequence[ast.AST] = node.values if isinstance(node, ast.JoinedStr) else [node]
    texts = [part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "" for part in parts]
    return "".join(text or "…" for text in texts) if any(texts) else ""


@cache
def options_of(command: str) -> frozenset[str]:
    """Those of a command and of its subcommands."""
    found = [commands()[command], *getattr(commands()[command], "commands", {}).values()]
    return frozenset(name for each in found for parameter in each.params for name in parameter.opts)
