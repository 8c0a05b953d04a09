"""docs/one_screen.py fits on a screen, and learns to translate."""

import re
import runpy

import pytest

from tests.learning.conftest import DATA, sample_pairs

SCREEN = DATA.parent / "docs" / "one_screen.py"
LINES = 60


def main(pairs: list[tuple[str, str]], epochs: int, sentence: str) -> str:
    translation: str = runpy.run_path(str(SCREEN))["main"](pairs, epochs, sentence)
    return translation


def test_it_fits_on_a_screen() -> None:
    assert len(SCREEN.read_text(encoding="utf-8").splitlines()) <= LINES


def test_a_few_pairs_are_learned_by_heart(capsys: pytest.CaptureFixture[str]) -> None:
    few = sample_pairs()[:60]
    sentence, translation = few[40]
    assert main(few, 60, sentence) == translation
    printed = capsys.readouterr().out
    losses = [float(loss) for loss in re.findall(r"^epoch \d+: ([\d.]+) nats", printed, flags=re.MULTILINE)]
    assert len(losses) == 60
    assert losses[-1] < losses[0] / 4
    assert printed.count(" <- ") >= len(translation.split())


@pytest.mark.slow
def test_a_new_sentence_is_translated() -> None:
    pairs, sentence = sample_pairs(), "She kissed the old man."
    assert sentence not in dict(pairs)
    assert main(pairs, 5, sentence) == "Sie küsste den alten Mann."
