"""The functions that ``import seq2seq_cli`` offers, and the page that shows them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import seq2seq_cli
from seq2seq_cli.errors import ModelFileError, UsageError
from tests.corpora import write_reversals
from tests.untrained import make_run

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"


def test_the_code_of_the_page_runs_from_top_to_bottom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_reversals(tmp_path / "pairs.txt")
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL))
    (tmp_path / "page.py").write_text(code, encoding="utf-8")
    (tmp_path / "configs").mkdir()
    small = "model:\n  encoder: {embedding_size: 8, hidden_size: 12}\n  decoder: {embedding_size: 8, hidden_size: 12}\n"
    (tmp_path / "configs" / "luong_dot.yaml").write_text(small, encoding="utf-8")
    done = subprocess.run([sys.executable, "page.py"], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert re.fullmatch(r"\d+ training pairs", lines[0])
    assert "epoch 3: BLEU" in done.stdout
    assert "epoch 2: BLEU" not in done.stdout  # of the first training, which has no on_event
    scores = [re.fullmatch(r"(\S+) [\d.]+ \([\d.]+ to [\d.]+\)", line) for line in lines]
    assert [score[1] for score in scores if score] == ["BLEU", "chrF2++", "TER"]
    assert any(line.startswith("quick - ") for line in lines)


def test_importing_it_loads_nothing_heavy_and_names_all_that_it_has() -> None:
    code = (
        "import sys, seq2seq_cli; names = set(seq2seq_cli.__all__); assert names <= set(dir(seq2seq_cli));"
        "loaded = [name for name in ('torch', 'spacy', 'numpy', 'pydantic') if name in sys.modules];"
        "print(loaded, sorted(names - {'__version__'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == "[] ['compare', 'configs', 'download', 'evaluate', 'export', 'load', 'prepare', 'train']\n"
    assert all(callable(getattr(seq2seq_cli, name)) for name in seq2seq_cli.__all__ if name != "__version__")
    with pytest.raises(AttributeError, match="has no attribute 'trian'"):
        _ = seq2seq_cli.trian


def test_errors_are_those_of_the_commands() -> None:
    with pytest.raises(UsageError, match="--resume continues a run and --overwrite replaces it"):
        seq2seq_cli.train(resume=True, overwrite=True)


def test_no_run_at_all_is_refused() -> None:
    with pytest.raises(UsageError, match="no run is named"):
        seq2seq_cli.load([])


def test_runs_near_to_a_wrong_path_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("quick", "slow"):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "config.yaml").touch()
    for wrong, message in (
        ("runs", "runs: not a run folder: it has no config.yaml; did you mean runs/quick or runs/slow?"),
        ("quik", "quik: no such run folder; did you mean runs/quick?"),
        ("models/german", "models/german: no such run folder"),
    ):
        with pytest.raises(ModelFileError, match=f"^{re.escape(message)}$"):
            seq2seq_cli.load(wrong)


def test_what_load_does_not_know_is_refused(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run").path
    # In a process of its own, without the tests' checks of types.
    code = f"import seq2seq_cli; seq2seq_cli.load({str(run)!r}, device='tpu')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)
    assert done.stderr.endswith("UsageError: device tpu: choose one of auto, cpu, cuda, mps\n")
