"""The notebook of ``examples/``: it is kept without outputs, and runs from top to bottom."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.corpora import pair_lines

NOTEBOOK = Path(__file__).resolve().parents[2] / "examples" / "own_pairs.ipynb"
GIVEN = 'pairs, languages, minutes = "mine.tsv", "en-de", 0.05'
"""What a user changes in the cell of parameters."""


def test_it_is_kept_without_outputs_and_has_a_cell_of_parameters() -> None:
    cells = [cell for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert all((cell["outputs"], cell["execution_count"]) == ([], None) for cell in cells)
    assert [cell["metadata"].get("tags") for cell in cells].count(["parameters"]) == 1


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of packages that are not ours
def test_it_runs_from_top_to_bottom(tmp_path: Path) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    (tmp_path / "mine.tsv").write_text("\n".join(pair_lines(400)), encoding="utf-8")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    [place] = [number for number, cell in enumerate(notebook.cells) if cell.metadata.get("tags") == ["parameters"]]
    notebook.cells.insert(place + 1, nbformat.v4.new_code_cell(GIVEN))
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()

    printed = [shown(cell, "text") for cell in notebook.cells if cell.cell_type == "code"]
    assert [text for text in printed if "train: 3" in text and "\nvalid: " in text]
    assert [text for text in printed if text.startswith("epoch 1: BLEU ")]
    assert [text for text in printed if text.startswith("BLEU ") and "\nTER " in text]
    [page] = filter(None, (shown(cell, "text/html") for cell in notebook.cells))
    assert page.startswith("<iframe srcdoc=")
    assert "kissed" in page
    assert {"translator.html", "pairs.zip"} <= {path.name for path in tmp_path.iterdir()}


def shown(cell: Any, kind: str) -> str:
    """What a cell has printed (text), or shown of a kind; empty for none."""
    outputs = cell.get("outputs", [])
    return "".join(output["text"] if kind in output else output.get("data", {}).get(kind, "") for output in outputs)
