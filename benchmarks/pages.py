"""The generated parts of a page: text between markers, and the line numbers of linked classes."""

import ast
import re
from pathlib import Path

from benchmarks import parser_of

_PLACE = re.compile(r"\[`(?P<name>\w+)`\]\(\.\./(?P<path>[\w/]+\.py)#L\d+-L\d+\)")


def fill(page: str, name: str, text: str) -> str:
    """The page with `text` between ``<!-- NAME -->`` and ``<!-- end of NAME -->``, which are appended if missing."""
    start, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    if start not in page:
        return f"{page}\n{start}\n\n{text}\n\n{end}\n"
    before, _, rest = page.partition(start)
    if end not in rest:
        raise LookupError(f"no {end} behind {start}")
    _, _, after = rest.partition(end)
    return f"{before}{start}\n\n{text}\n\n{end}{after}"


def fill_lines(page: str, root: Path = Path()) -> str:
    """The page with up-to-date lines in each link to a class or function, such as [`NAME`](../PATH#L1-L2)."""

    def place(link: re.Match[str]) -> str:
        first, last = lines_of(link["name"], root / link["path"])
        return f"[`{link['name']}`](../{link['path']}#L{first}-L{last})"

    return _PLACE.sub(place, page)


def lines_of(name: str, path: Path) -> tuple[int, int]:
    """The first and the last line of a class or function; raises LookupError when the file has none of that name."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name:
            return node.lineno, node.end_lineno or node.lineno
    raise LookupError(f"{path}: no {name}")


def main() -> None:
    """Write the line numbers of the links."""
    parser_of("pages", "Write the line numbers of the links in docs/mechanisms.md.").parse_args()
    mechanisms = Path("docs/mechanisms.md")
    mechanisms.write_text(fill_lines(mechanisms.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
