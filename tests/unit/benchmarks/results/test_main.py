"""The results of systems: what is trained, on what, and where its result is kept."""

import json
import sys
from pathlib import Path

import pytest

from seq2seq_cli.compute.threads import usable_cores
from tests.forks import Done, Forked

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="measures processes by wait4")

MODULE = "benchmarks.results.__main__"
CONFIG = """\
model:
  encoder: {embedding_size: 8, hidden_size: 8}
  decoder: {embedding_size: 8, hidden_size: 8}
training: {epochs: 1}
"""
CORES = f"{usable_cores()}core{'s' if usable_cores() > 1 else ''}"


@pytest.fixture
def folder(tmp_path: Path, pair_file: Path) -> Path:
    """The pairs, and a small config to train on them."""
    (tmp_path / "tiny.yaml").write_text(CONFIG, encoding="utf-8")
    for name in ("page.md", "summary.md", "robustness.md"):
        (tmp_path / name).write_text("<!-- results -->\n<!-- end of results -->\n", encoding="utf-8")
    return pair_file.parent


def command(*arguments: str, system: str = "tiny.yaml") -> list[str]:
    """The arguments that measure a system once."""
    pages = ["--page", "page.md", "--summary", "summary.md", "--robustness", "robustness.md"]
    return [system, "--seeds", "1", "--results", "results", *pages, *arguments]


def measure(folder: Path, *arguments: str, system: str = "tiny.yaml") -> Done:
    return Forked(folder, *command(*arguments, system=system), module=MODULE).done()


def records(folder: Path) -> dict[str, bytes]:
    """The files of the results, by name."""
    return {path.name: path.read_bytes() for path in (folder / "results").glob("*")}


def test_pairs_prepared_from_other_files_or_with_other_settings_are_not_trained_on(folder: Path) -> None:
    assert measure(folder).returncode == 0
    first = records(folder)
    assert first.keys() == {f"deu-tiny.yaml-{CORES}-seed1.json"}
    (folder / "test.txt").write_text("We saw 7 dogs.\tWir sahen 7 Hunde.\n", encoding="utf-8")
    for others in (["--test", "test.txt"], ["--valid", "test.txt"], ["--set", "text.src.lowercase=false"]):
        refused = measure(folder, *others)
        assert refused.returncode == 1
        assert refused.stderr.endswith(
            "deu: made of other files or with other settings: name another folder with --work\n"
        )
        assert records(folder) == first
    # Settings of a training alone leave the pairs as they are.
    measure(folder, "--set", "training.epochs=2")
    assert records(folder).keys() == {*first, f"deu-tiny.yaml-training.epochs=2-{CORES}-seed1.json"}


def test_a_result_names_the_files_of_its_test_pairs(folder: Path) -> None:
    (folder / "others.txt").write_text("We saw 7 dogs.\tWir sahen 7 Hunde.\n", encoding="utf-8")
    assert measure(folder, "--test", "others.txt").returncode == 0
    (record,) = records(folder).items()
    assert record[0] == f"deu-tiny.yaml-test=others-{CORES}-seed1.json"
    assert json.loads(record[1])["test"] == ["others.txt"]
    assert "| deu.txt, tested on others.txt | `tiny.yaml` |" in (folder / "page.md").read_text(encoding="utf-8")
    robustness = (folder / "robustness.md").read_text(encoding="utf-8")
    assert "`tiny.yaml`, deu.txt, tested on others.txt" in robustness
    assert "| as is " in robustness
    assert "| other numbers " in robustness
    assert "| BLEU | deu.txt, " in (folder / "summary.md").read_text(encoding="utf-8")
