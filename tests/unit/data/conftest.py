import sys
from pathlib import Path

import pytest

DATA = Path(__file__).parents[3] / "data"
sys.path.insert(0, str(DATA))  # grammar.py and its parts are scripts beside the data, not a package

Pairs = list[tuple[str, str]]


@pytest.fixture(scope="session")
def sample_file() -> Path:
    return DATA / "sample.txt"


@pytest.fixture(scope="session")
def sample(sample_file: Path) -> Pairs:
    lines = sample_file.read_text(encoding="utf-8").splitlines()
    return [(english, german) for english, german in (line.split("\t") for line in lines)]
