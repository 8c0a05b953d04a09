"""A new score is one class and one word in the schema: the one that CONTRIBUTING.md shows is added to a copy."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import get_args

import seq2seq_cli
from seq2seq_cli.config.schema import AttentionConfig
from seq2seq_cli.model.attention.scores import Score

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
decoded = model.decoder(torch.tensor([[2, 5], [2, 6]]), state, memory)
decoded.features.sum().backward()
score = model.decoder.attention.score
print(json.dumps({"weights": decoded.weights.tolist(), "moved": score.W.weight.grad.abs().sum().item()}))
"""


def test_the_score_that_contributing_shows_can_be_added_as_it_says(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "seq2seq_cli", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(PACKAGE.parent / "configs", tmp_path / "configs")
    [example] = re.findall(r"```python\n(class \w+\(Score, word=.*?)```", CONTRIBUTING.read_text("utf-8"), re.DOTALL)
    scores = tmp_path / "seq2seq_cli/model/attention/scores.py"
    scores.write_text(f"{scores.read_text('utf-8')}\n\n{example}", encoding="utf-8")
    schema = tmp_path / "seq2seq_cli/config/schema.py"
    words = schema.read_text("utf-8").replace(
        '        "state_free",\n', '        "state_free",\n        "activated",\n'
    )
    schema.write_text(words, encoding="utf-8")

    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-c", USE_IT]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8", check=False)

    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    for row, length in zip(told["weights"], (4, 2), strict=True):
        for weights in row:
            assert abs(sum(weights) - 1) < 1e-6
            assert weights[length:] == [0.0] * (4 - length)
    assert told["moved"] > 0


def test_every_score_has_its_word_in_the_config_and_every_word_its_score() -> None:
    words = set(get_args(AttentionConfig.model_fields["score"].annotation))
    assert words - {"fixed", "none"} == set(Score.by_word)
