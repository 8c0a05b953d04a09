"""A formula that a student changes has an effect in ``s2s translate``; a package that is installed stays fast."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.commands import S2S
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
    formula = r"(?s)(class GeneralScore.*?return )(?=self\.W\(memory\))"
    code, count = re.subn(formula, r"\1-", scores.read_text(encoding="utf-8"), count=1)
    assert count == 1
    scores.write_text(code, encoding="utf-8")
    (scores.parent / ".#scores.py").symlink_to("nobody@nowhere")  # an editor's lock
    return tmp_path / "copy"


def attention(package: Path, run: Path, *options: str) -> tuple[str, str]:
    """The attention weights of a translation by the code of a package, and what stderr says."""
    command = [*S2S, "translate", "--model", str(run), "--format", "json", "--attention", *options, "she kissed him ."]
    environment = os.environ | {"PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=run.parent, env=environment, capture_output=True, encoding="utf-8", check=True)
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
