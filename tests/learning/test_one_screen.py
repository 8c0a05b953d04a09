"""docs/one_screen.py fits on a screen, and learns to translate."""

import re
import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCREEN = ROOT / "docs" / "one_screen.py"
LINES = 60

Pairs = list[tuple[str, str]]


@pytest.fixture
def main() -> Callable[[Pairs, int, str], str]:
    return runpy.run_path(str(SCREEN))["main"]  # type: ignore[no-any-return]


def pairs() -> Pairs:
    lines = (ROOT / "data" / "sample.txt").read_text(encoding="utf-8").splitlines()
    return [(src, tgt) for src, tgt in (line.split("\t") for line in lines)]


def test_it_fits_on_a_screen() -> None:
    assert len(SCREEN.read_text(encoding="utf-8").splitlines()) <= LINES


def test_a_few_pairs_are_learned_by_heart(
    main: Callable[[Pairs, int, str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    few = pairs()[:60]
    sentence, translation = few[40]
    assert main(few, 60, sentence) == translation
    printed = capsys.readouterr().out
    losses = [float(loss) for loss in re.findall(r"^epoch \d+: ([\d.]+) nats", printed, flags=re.MULTILINE)]
    assert len(losses) == 60
    assert losses[-1] < losses[0] / 4
    assert printed.count(" <- ") >= len(translation.split())


@pytest.mark.slow
def test_a_new_sentence_is_translated(main: Callable[[Pairs, int, str], str]) -> None:
    sentence = "She kissed the old man."
    assert sentence not in dict(pairs())
    assert main(pairs(), 5, sentence) == "Sie küsste den alten Mann."
