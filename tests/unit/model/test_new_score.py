"""A new score is a class, a line in `SCORES` and a name in the schema: the example of CONTRIBUTING.md, in a copy."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import seq2seq_cli

PACKAGE = Path(seq2seq_cli.__file__).parent
CONTRIBUTING = PACKAGE.parent / "CONTRIBUTING.md"

USE_IT = """
import json, torch
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.model.build import build_model

torch.manual_seed(0)
config = load_config(None, ["model.attention.score=activated"]).model
model = build_model(config, src_size=9, tgt_size=9)
memory, state = model.encode(torch.tensor([[4, 5, 6, 3], [7, 3, 0, 0]]), torch.tensor([4, 2]))
features, attended = model.decoder(torch.tensor([[2, 5], [2, 6]]), state, memory)
features.sum().backward()
score = model.decoder.attention.score
print(json.dumps({"weights": attended.weights.tolist(), "moved": score.W.weight.grad.abs().sum().item()}))
"""


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with the score added as CONTRIBUTING.md says."""
    folder = tmp_path_factory.mktemp("changed")
    shutil.copytree(PACKAGE, folder / "seq2seq_cli", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(PACKAGE.parent / "configs", folder / "configs")
    shutil.copy(PACKAGE.parent / "pyproject.toml", folder)
    text = CONTRIBUTING.read_text("utf-8")
    [example] = re.findall(r"```python\n(class \w+\(Score\):.*?)```", text, re.DOTALL)
    [entry] = re.findall(r'`("activated": \w+,)`', text)
    scores, schema = (folder / "seq2seq_cli" / path for path in ("model/attention/scores.py", "config/schema/model.py"))
    insert(scores, f"{example}\n\n", before="SCORES: ")
    insert(scores, f"    {entry}\n", before="}\n")
    names = schema.read_text("utf-8").replace('"fixed", "none"]\n', '"activated", "fixed", "none"]\n')
    schema.write_text(names, encoding="utf-8")
    return folder


def run_in(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False
    )


def test_the_score_of_contributing_can_be_added_as_it_says(changed: Path) -> None:
    done = run_in(changed, "-c", USE_IT)
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    for row, length in zip(printed["weights"], (4, 2), strict=True):
        for weights in row:
            assert abs(sum(weights) - 1) < 1e-6
            assert weights[length:] == [0.0] * (4 - length)
    assert printed["moved"] > 0


@pytest.mark.parametrize(
    "check",
    [
        "ruff check --no-cache",
        "ruff format --check --no-cache",
        pytest.param("mypy --package seq2seq_cli", marks=pytest.mark.slow),
    ],
)
def test_the_score_of_contributing_passes_the_checks(changed: Path, check: str) -> None:
    done = run_in(changed, "-m", *check.split())
    assert done.returncode == 0, done.stdout + done.stderr


def insert(path: Path, text: str, *, before: str) -> None:
    """Put `text` before the only line that begins with `before`."""
    start, line, rest = re.split(rf"^({re.escape(before)})", path.read_text("utf-8"), flags=re.MULTILINE)
    path.write_text(start + text + line + rest, encoding="utf-8")
