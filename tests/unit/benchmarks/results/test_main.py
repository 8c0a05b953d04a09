"""The results of systems: what is trained, on what, and where its result is kept."""

import json
import sys
from pathlib import Path

import pytest

from seq2seq_cli.compute.threads import usable_cores
from seq2seq_cli.counts import counted
from tests.forks import Done, Forked

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="measures processes by wait4")

MODULE = "benchmarks.results.__main__"
CONFIG = """\
model:
  encoder: {embedding_size: 8, hidden_size: 8}
  decoder: {embedding_size: 8, hidden_size: 8}
training: {epochs: 1}
"""
CORES = counted(usable_cores(), "core").replace(" ", "")


def measure(folder: Path, *arguments: str) -> Done:
    """Measure the system once."""
    pages = ["--page", "page.md", "--summary", "summary.md", "--robustness", "robustness.md"]
    command = ["tiny.yaml", "--seeds", "1", "--results", "results", *pages, *arguments]
    return Forked(folder, *command, module=MODULE).done()


@pytest.mark.slow
def test_a_result_names_the_files_of_its_test_pairs_and_other_files_need_another_folder(pair_file: Path) -> None:
    folder = pair_file.parent
    (folder / "tiny.yaml").write_text(CONFIG, encoding="utf-8")
    for name in ("page.md", "summary.md", "robustness.md"):
        (folder / name).write_text("<!-- results -->\n<!-- end of results -->\n", encoding="utf-8")
    (folder / "others.txt").write_text("We saw 7 dogs.\tWir sahen 7 Hunde.\n", encoding="utf-8")
    assert measure(folder, "--test", "others.txt").returncode == 0
    (record,) = (folder / "results").iterdir()
    assert record.name == f"deu-tiny.yaml-test=others-{CORES}-seed1.json"
    assert json.loads(record.read_bytes())["test"] == ["others.txt"]
    assert "| deu.txt, tested on others.txt | `tiny.yaml` |" in (folder / "page.md").read_text(encoding="utf-8")
    robustness = (folder / "robustness.md").read_text(encoding="utf-8")
    assert "`tiny.yaml`, deu.txt, tested on others.txt" in robustness
    assert "| other numbers " in robustness
    assert "| BLEU | deu.txt, " in (folder / "summary.md").read_text(encoding="utf-8")

    refused = measure(folder, "--set", "text.src.lowercase=false")
    assert refused.returncode == 1
    assert refused.stderr.endswith("deu: made of other files or with other settings: name another folder with --work\n")
    assert list((folder / "results").iterdir()) == [record]
