"""A formula that a student changes has an effect in ``s2s translate``; a package that is installed stays fast."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.folders import contents
from tests.untrained import make_run

ROOT = Path(__file__).parents[2]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package whose general score is another one: -q · W h."""
    shutil.copytree(
        ROOT / "seq2seq_cli", tmp_path / "copy" / "seq2seq_cli", ignore=shutil.ignore_patterns("__pycache__")
    )
    scores = tmp_path / "copy" / "seq2seq_cli" / "model" / "attention" / "scores.py"
    before = scores.read_text(encoding="utf-8")
    head, general, tail = before.partition("class GeneralScore")
    scores.write_text(
        head + general + tail.replace("return self.W(memory)", "return -self.W(memory)", 1), encoding="utf-8"
    )
    assert scores.read_text(encoding="utf-8") != before
    (scores.parent / ".#scores.py").symlink_to("nobody@nowhere")  # an editor's lock
    return tmp_path / "copy"


def attention(package: Path, run: Path, *options: str) -> tuple[str, str]:
    """The attention weights of a translation by the code of a package, and what stderr says."""
    command = [sys.executable, "-m", "seq2seq_cli", "translate", "--model", str(run), "--format", "json", "--attention"]
    environment = os.environ | {"PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [*command, *options, "she kissed him ."],
        cwd=run.parent,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout, done.stderr


def test_a_changed_formula_computes_in_an_editable_install_alone(copy: Path, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run").path
    before = contents(run)
    exported, silence = attention(ROOT, run)
    assert attention(copy, run) == (exported, silence)  # an installed package: its graphs compute
    (copy / "pyproject.toml").touch()
    changed, told = attention(copy, run)
    assert changed != exported
    assert changed == attention(copy, run, "--set", "decoding.engine=torch")[0]
    assert "is of other code of seq2seq_cli/model" in told
    assert "computing with torch" in told
    assert contents(run) == before
