"""Generated parts of a page: their places and their line numbers."""

import ast
from pathlib import Path

from benchmarks.pages import fill_lines

ROOT = Path(__file__).resolve().parents[3]


def test_the_page_of_mechanisms_links_the_current_lines() -> None:
    page = (ROOT / "docs" / "mechanisms.md").read_text(encoding="utf-8")
    assert fill_lines(page, ROOT) == page, "python -m benchmarks.pages updates them"


def test_the_page_links_every_mechanism() -> None:
    page = (ROOT / "docs" / "mechanisms.md").read_text(encoding="utf-8")
    for path in (ROOT / "seq2seq_cli" / "model").rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and node.name.endswith(
                ("Score", "Scope", "Bridge", "Decoder", "Readout", "Attention", "Context")
            ):
                assert node.name in ("Score", "Scope", "Bridge", "Decoder", "Readout") or f"`{node.name}`" in page
