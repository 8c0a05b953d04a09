"""Generated parts of a page: their places and their line numbers."""

import ast
from pathlib import Path

import pytest

from benchmarks.pages import fill, fill_lines, lines_of

ROOT = Path(__file__).resolve().parents[3]


def test_text_is_put_between_its_markers_and_replaces_what_was_there() -> None:
    page = "a\n<!-- table -->\nold\n<!-- end of table -->\nb\n"
    filled = fill(page, "table", "new")
    assert filled == "a\n<!-- table -->\n\nnew\n\n<!-- end of table -->\nb\n"
    assert fill(filled, "table", "new") == filled


def test_lines_are_those_of_the_class(tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text(
        '"""Doc."""\n\n\nclass A:\n    x = 1\n\n\ndef f() -> None:\n    pass\n', encoding="utf-8"
    )
    assert lines_of("A", tmp_path / "code.py") == (4, 5)
    assert lines_of("f", tmp_path / "code.py") == (8, 9)
    linked = "see [`A`](../code.py#L1-L2)"
    assert fill_lines(linked, tmp_path) == "see [`A`](../code.py#L4-L5)"
    with pytest.raises(LookupError, match="no B"):
        lines_of("B", tmp_path / "code.py")


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
