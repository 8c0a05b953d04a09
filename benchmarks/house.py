"""Print the size of the package, its tests and its pages, now and at an earlier commit.

    python -m benchmarks.house [--against COMMIT]

Lines of Python, JavaScript, CSS and HTML count; an import inside a function counts, with importlib's.
"""

import argparse
import ast
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
_SOURCE = frozenset([".py", ".js", ".css", ".html"])
_NOT_PAGES = frozenset(["log.md", "gallery.md"])
"""Pages whose words do not count: the log, and a page of generated tables."""
_GENERATED = re.compile(r"<!-- (\w+) -->.*?<!-- end of \1 -->", re.DOTALL)
"""What benchmarks.pages fills in; its words do not count."""


def figures(tree: Path) -> Iterator[tuple[str, int]]:
    """The figures of the tree at this path, by name; a room is a folder of the package, and "." the modules outside."""
    package = tree / "seq2seq_cli"
    rooms: Counter[str] = Counter()
    for path in _sources(package):
        room, *inside = path.relative_to(package).parts
        rooms[room if inside else "."] += _lines(path)
    paths = [path for path in _sources(package) if path.suffix == ".py"]
    modules = [lines for lines in map(_lines, paths) if lines > 1]  # more than a docstring
    nodes = [node for path in paths for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    lengths = [(node.end_lineno or node.lineno) - node.lineno + 1 for node in functions]
    pages = [tree / "README.md", tree / "CONTRIBUTING.md", *(tree / "docs").glob("*.md")]
    yield "lines of the package", rooms.total()
    yield from ((f"  {room}", lines) for room, lines in sorted(rooms.items()))
    yield "modules", len(modules)
    yield "lines of the longest module", max(modules)
    yield "lines of a module, median", round(median(modules))
    yield "lines of the longest function", max(lengths)
    yield "lines of a function, median", round(median(lengths))
    imports = {id(each) for node in functions for each in ast.walk(node) if _is_import(each)}
    yield "imports inside functions", len(imports)
    typing_blocks = (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test) for node in nodes)
    yield "TYPE_CHECKING blocks", sum(typing_blocks)
    yield "lines of the tests", sum(map(_lines, _sources(tree / "tests")))
    yield "words of the pages", sum(_words(page) for page in pages if page.name not in _NOT_PAGES)


def _sources(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.suffix in _SOURCE)


def _lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def _words(page: Path) -> int:
    return len(_GENERATED.sub("", page.read_text(encoding="utf-8")).split())


def _is_import(node: ast.AST) -> bool:
    is_call = isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module")
    return is_call or isinstance(node, ast.Import | ast.ImportFrom)


def _of_commit(commit: str) -> dict[str, int]:
    with TemporaryDirectory() as folder:
        packed = Path(folder, "packed.tar")
        subprocess.run(["git", "archive", f"--output={packed}", commit], cwd=ROOT, check=True)
        shutil.unpack_archive(packed, folder, filter="data")
        return dict(figures(Path(folder)))


def main(arguments: list[str]) -> None:
    """Print the figures, of the other commit first."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.house", description="Measure the size of the project.")
    parser.add_argument("--against", metavar="COMMIT", help="an earlier commit")
    against = parser.parse_args(arguments).against
    columns = [*([_of_commit(against)] if against else []), dict(figures(ROOT))]
    for name in dict.fromkeys(name for column in columns for name in column):
        print(f"{name:32}" + "".join(f"{column.get(name, 0):>10,}" for column in columns))


if __name__ == "__main__":
    main(sys.argv[1:])
