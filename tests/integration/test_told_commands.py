"""The ``next:`` line of ``s2s prepare`` works as printed, whatever was prepared and how."""

import re
import shlex
from contextlib import ExitStack
from pathlib import Path

import pytest
from typer.main import get_command

from seq2seq_cli.cli.app import build_app
from seq2seq_cli.config.catalog import list_configs
from seq2seq_cli.training.plan import Options, Plan, make_plan
from tests.commands import s2s_here
from tests.corpora import pair_lines
from tests.untrained import make_run

CONFIGS = [entry.name for entry in list_configs()]
# A sentence with more characters than the location score of a shipped config has places.
LONG = f"Tom sees {'very ' * 25}old cats.\tTom sieht {'sehr ' * 25}alte Katzen.\n"
OTHERWISE = ["--limit=30", "--swap", "--set=text.unit=character", "--set=data.valid_sources=0", "--out=data/other"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deu.txt").write_text(LONG + "\n".join(pair_lines(60)), encoding="utf-8")
    return tmp_path


def next_line(home: Path, *options: str) -> str:
    done = s2s_here(home, "prepare", "deu.txt", *options)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1].removeprefix("next: ")


def planned(line: str) -> Plan:
    """The plan of a command ``s2s train ...``: what it would train, and where."""
    program, name, *arguments = shlex.split(line)
    assert (program, name) == ("s2s", "train")
    given = get_command(build_app(["train", "runs"])).commands[name].make_context(name, arguments).params  # type: ignore[attr-defined]
    with ExitStack() as held:
        options = Options(**{option: given[option] for option in ("config", "data", "out", "init_from")})
        return make_plan(options, launch=None, held=held)[0]


@pytest.mark.parametrize(
    ("config", "options"), [(None, []), ("quick", []), *((name, OTHERWISE) for name in (None, *CONFIGS))]
)
def test_it_trains_on_what_was_prepared(home: Path, config: str | None, options: list[str]) -> None:
    line = next_line(home, *options, *([f"--config={config}"] if config else []))
    plan = planned(line)
    assert plan.data == (Path("data/other") if options else Path("data/prepared"))
    assert config is None or f"--config {config}" in line
    assert (plan.config.text.unit == "character") == bool(options)
    assert plan.config.data.swap == bool(options)


def test_without_a_config_the_recipe_for_the_pairs_is_named_and_taken(home: Path) -> None:
    done = s2s_here(home, "prepare", "deu.txt")
    told = re.search(
        r"^recipe for [\d,]+ pairs: (\w+), [\d.]+ minutes\nnext: s2s train --config (\w+)$", done.stdout, re.M
    )
    assert told
    recipe, named = told.groups()
    assert recipe == named
    done = s2s_here(home, "train", "--set", "training.epochs=1", "--set", "training.precision=fp32")
    assert done.returncode == 0, done.stderr
    assert f"runs/{recipe}/" in done.stdout or f"runs/{recipe} " in done.stdout
    # Another training has a folder of its own.
    again = next_line(home, "--limit=30", "--out=data/again")
    assert again == f"s2s train --config {recipe} --data data/again --out runs/{recipe}_2"


def test_after_a_model_s_vocabularies_its_training_goes_on(home: Path) -> None:
    run = make_run(home / "runs" / "old").path
    line = next_line(home, "--codec-from=runs/old")
    assert "--init-from" not in line  # it has no record of what it was trained on
    planned(line)
    (run / "trained.json").write_text('{"format": 1, "trained": {}}', encoding="utf-8")
    assert next_line(home, "--codec-from=runs/old") == "s2s train --init-from runs/old"
