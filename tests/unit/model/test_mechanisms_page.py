"""docs/mechanisms.md links every mechanism, and names the shipped configs that have it."""

import ast
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.pages import fill_lines
from seq2seq_cli.config.catalog import list_configs
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.config.schema.model import ModelConfig

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "mechanisms.md").read_text(encoding="utf-8")
SHIPPED = {entry.name: load_config(entry.name).model for entry in list_configs()}
TABLES: dict[str, Callable[[ModelConfig], str]] = {
    "Scores": lambda model: model.attention.score,
    "Without attention": lambda model: model.attention.score,
    "Scopes": lambda model: model.attention.scope,
    "Decoders": lambda model: model.decoder.kind + (" with input_feeding" if model.decoder.input_feeding else ""),
}


def rows(title: str) -> dict[str, str]:
    """The last column of the first table of a section, by the first."""
    section = PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]
    table = section[section.index("| name |") :].split("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    return {first.replace("`", ""): last for first, *_, last in cells}


def test_it_links_every_mechanism_with_its_current_lines() -> None:
    assert fill_lines(PAGE, ROOT) == PAGE, "python -m benchmarks.pages updates them"
    kinds = ("Score", "Scope", "Bridge", "Decoder", "Readout", "Attention", "Context")
    for path in (ROOT / "seq2seq_cli" / "model").rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and node.name.endswith(kinds):
                assert node.name in kinds[:5] or f"`{node.name}`" in PAGE


@pytest.mark.parametrize("title", TABLES)
def test_each_row_names_the_shipped_configs_with_its_mechanism(title: str) -> None:
    name_of = TABLES[title]
    for name, column in rows(title).items():
        having = {config for config, model in SHIPPED.items() if name_of(model) == name}
        if column == "all others":
            named = {word for other in rows(title).values() for word in re.findall(r"`([\w/]+)`", other)}
            assert having == SHIPPED.keys() - named, name
        else:
            assert having == set(re.findall(r"`([\w/]+)`", column)), name
