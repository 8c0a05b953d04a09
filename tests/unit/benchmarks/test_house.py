from pathlib import Path

from benchmarks.house import figures


def test_lines_modules_and_imports_inside_functions_are_counted(tmp_path: Path) -> None:
    files = {
        "seq2seq_cli/__init__.py": '"""A package."""\n',
        "seq2seq_cli/model/score.py": "import math\n\n\ndef score(x):\n    import os\n\n    return math.exp(x)\n",
        "seq2seq_cli/pages/page.js": "1;\n2;\n",
        "tests/test_score.py": "1\n" * 5,
        "README.md": "three words <!-- table --> | 1 | 2 | <!-- end of table --> here",
        "CONTRIBUTING.md": "",
        "docs/log.md": "not counted",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    house = dict(figures(tmp_path))
    assert [house[f"  {room}"] for room in (".", "model", "pages")] == [1, 7, 2]
    assert [house[name] for name in ("modules", "lines of the longest module", "imports inside functions")] == [1, 7, 1]
    assert [house[f"lines of {what}"] for what in ("the package", "the longest function", "the tests")] == [10, 4, 5]
    assert house["words of the pages"] == 3
