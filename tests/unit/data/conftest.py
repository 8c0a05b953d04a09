from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

Pairs = list[tuple[str, str]]


@pytest.fixture(scope="session")
def sample_file() -> Path:
    return ROOT / "data" / "sample.txt"


@pytest.fixture(scope="session")
def sample(sample_file: Path) -> Pairs:
    lines = sample_file.read_text(encoding="utf-8").splitlines()
    return [(english, german) for english, german in (line.split("\t") for line in lines)]
