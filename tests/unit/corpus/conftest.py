"""A small pair file to prepare."""

from pathlib import Path

import pytest

NAMES = ("Tom", "Maria", "Anna", "Paul", "Lisa", "Otto")
VERBS = (("sees", "sieht"), ("hears", "hört"), ("finds", "findet"), ("kissed", "küsste"))


def pair_lines(count: int) -> list[str]:
    """Lines that differ in a number, so that each is a group of its own."""
    lines = []
    for number in range(count):
        name, (verb, verbs) = NAMES[number % len(NAMES)], VERBS[number % len(VERBS)]
        lines.append(f"{name} {verb} {number} cats.\t{name} {verbs} {number} Katzen.")
    return lines


@pytest.fixture
def pair_file(tmp_path: Path) -> Path:
    """300 pairs."""
    path = tmp_path / "deu.txt"
    path.write_text("\n".join(pair_lines(300)) + "\n", encoding="utf-8")
    return path
