"""The notebooks of ``examples/``: they are kept without outputs, and run from top to bottom."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.corpora import pair_lines

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
OWN_PAIRS, LESSON = EXAMPLES / "own_pairs.ipynb", EXAMPLES / "lesson.ipynb"
OWN = 'pairs, languages, minutes = "mine.tsv", "en-de", 0.05'
CLASS = 'pairs, epochs, sentence = "mine.tsv", 2, "she kissed the old man ."'
"""What a user changes in the cell of parameters."""
SOLUTION = """class MyScore(CosineScore):
    def keys(self, memory):
        return memory / memory.norm(dim=-1, keepdim=True)

    def forward(self, query, keys):
        return self.b * query / query.norm(dim=-1, keepdim=True) @ keys.transpose(1, 2)
"""


@pytest.mark.parametrize("path", [OWN_PAIRS, LESSON])
def test_it_is_kept_without_outputs_and_has_a_cell_of_parameters(path: Path) -> None:
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert all((cell["outputs"], cell["execution_count"]) == ([], None) for cell in cells)
    assert [cell["metadata"].get("tags") for cell in cells].count(["parameters"]) == 1


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of packages that are not ours
def test_it_runs_from_top_to_bottom(tmp_path: Path) -> None:
    cells = run_notebook(OWN_PAIRS, tmp_path, OWN)
    printed = [shown(cell, "text") for cell in cells]
    assert [text for text in printed if "train: 3" in text and "\nvalid: " in text]
    assert [text for text in printed if text.startswith("epoch 1: BLEU ")]
    assert [text for text in printed if text.startswith("BLEU ") and "\nTER " in text]
    [page] = filter(None, (shown(cell, "text/html") for cell in cells))
    assert page.startswith("<iframe srcdoc=")
    assert "kissed" in page
    assert {"translator.html", "pairs.zip"} <= {path.name for path in tmp_path.iterdir()}


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_the_lesson_of_a_teacher_whose_class_fills_in_the_score(tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "score_to_fill_in.py", tmp_path)
    cells = run_notebook(LESSON, tmp_path, CLASS, {"exercise": ("class MyScore(CosineScore):", SOLUTION)})
    told = "\n".join(shown(cell, "text") + shown(cell, "text/plain") for cell in cells)
    assert "The score keeps its contract." in told
    assert len(re.findall(r"half: chrF \d", told)) == 4
    assert re.findall(r"^(\w+): BLEU \d+\.\d(?: ± \d)?", told, flags=re.MULTILINE) == [
        *("tutorial", "tutorial_bahdanau", "tutorial_no_attention")
    ]
    assert re.search(r"\[[\d.]+\]", told)  # the b that was learned
    assert {"curves.png", "film.html", "mine"} <= {path.name for path in (tmp_path / "lesson").iterdir()}
    assert any("kissed" in shown(cell, "text/html") for cell in cells)


def run_notebook(path: Path, folder: Path, given: str, filled: dict[str, tuple[str, str]] | None = None) -> list[Any]:
    """The cells of code after they have run, with other parameters, and from a line on other code in cells of a tag."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    (folder / "mine.tsv").write_text("\n".join(pair_lines(400)), encoding="utf-8")
    notebook = nbformat.read(path, as_version=4)
    for cell in list(notebook.cells):
        for tag in cell.metadata.get("tags", []):
            if tag == "parameters":
                notebook.cells.insert(notebook.cells.index(cell) + 1, nbformat.v4.new_code_cell(given))
            elif filled:
                start, code = filled[tag]
                last = cell.source.splitlines()[-1]
                cell.source = f"{cell.source.partition(start)[0]}{code}\n\n{last}"
    nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(folder)}}).execute()
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def shown(cell: Any, kind: str) -> str:
    """What a cell has printed (text), or shown of a kind; empty for none."""
    outputs = cell.get("outputs", [])
    return "".join(output["text"] if kind in output else output.get("data", {}).get(kind, "") for output in outputs)
