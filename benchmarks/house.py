"""Print the size of the package, its tests and its pages, now and at an earlier commit.

    python -m benchmarks.house [--against COMMIT]

Lines of Python, JavaScript, CSS and HTML count; an import inside a function counts, with importlib's.
"""

import argparse
import ast
import io
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
_SOURCE = frozenset([".py", ".js", ".css", ".html"])
_NOT_PAGES = frozenset(["log.md", "gallery.md"])
"""Pages whose words do not count: the log, and a page of generated tables."""
_GENERATED = re.compile(r"<!-- (\w+) -->.*?<!-- end of \1 -->", re.DOTALL)
"""What benchmarks.pages fills in; its words do not count."""


@dataclass(frozen=True)
class House:
    """The figures of a tree."""

    rooms: dict[str, int]
    """Lines by the name of the room, a folder of the package; "." has the modules outside of rooms."""
    modules: list[int]
    """Lines of each Python module that has more than its docstring."""
    functions: list[int]
    """Lines of each function."""
    local_imports: int
    typing_blocks: int
    test_lines: int
    words: int

    @classmethod
    def of(cls, tree: Path) -> "House":
        """The figures of the tree at this path."""
        package = tree / "seq2seq_cli"
        rooms: dict[str, int] = {}
        for path in _sources(package):
            parts = path.relative_to(package).parts
            rooms[parts[0] if len(parts) > 1 else "."] = rooms.get(parts[0] if len(parts) > 1 else ".", 0) + _lines(
                path
            )
        modules = [path for path in _sources(package) if path.suffix == ".py"]
        nodes = [node for path in modules for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
        functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        pages = [tree / "README.md", tree / "CONTRIBUTING.md", *(tree / "docs").glob("*.md")]
        return cls(
            rooms=dict(sorted(rooms.items())),
            modules=[lines for lines in map(_lines, modules) if lines > 1],
            functions=[(node.end_lineno or node.lineno) - node.lineno + 1 for node in functions],
            local_imports=len({id(inner) for node in functions for inner in ast.walk(node) if _is_import(inner)}),
            typing_blocks=sum(isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test) for node in nodes),
            test_lines=sum(map(_lines, _sources(tree / "tests"))),
            words=sum(_words(page) for page in pages if page.name not in _NOT_PAGES),
        )

    def rows(self) -> Iterator[tuple[str, int]]:
        """The figures by name."""
        yield "lines of the package", sum(self.rooms.values())
        yield from ((f"  {room}", lines) for room, lines in self.rooms.items())
        yield "modules", len(self.modules)
        yield "lines of the longest module", max(self.modules)
        yield "lines of a module, median", round(median(self.modules))
        yield "lines of the longest function", max(self.functions)
        yield "lines of a function, median", round(median(self.functions))
        yield "imports inside functions", self.local_imports
        yield "TYPE_CHECKING blocks", self.typing_blocks
        yield "lines of the tests", self.test_lines
        yield "words of the pages", self.words


def _sources(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.suffix in _SOURCE)


def _lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def _words(page: Path) -> int:
    return len(_GENERATED.sub("", page.read_text(encoding="utf-8")).split())


def _is_import(node: ast.AST) -> bool:
    is_call = isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module")
    return is_call or isinstance(node, ast.Import | ast.ImportFrom)


def _of_commit(commit: str) -> House:
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
    with TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(archive)) as packed:
        packed.extractall(folder, filter="data")
        return House.of(Path(folder))


def main(arguments: list[str]) -> None:
    """Print the figures, of the other commit first."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.house", description="Measure the size of the project.")
    parser.add_argument("--against", metavar="COMMIT", help="an earlier commit")
    against = parser.parse_args(arguments).against
    columns = [dict(_of_commit(against).rows())] if against else []
    columns.append(dict(House.of(ROOT).rows()))
    for name in dict.fromkeys(name for column in columns for name in column):
        print(f"{name:32}" + "".join(f"{column.get(name, 0):>10,}" for column in columns))


if __name__ == "__main__":
    main(sys.argv[1:])
