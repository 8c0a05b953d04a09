"""The links of the sample's words, against alignments made by hand."""

import re
from pathlib import Path

import pytest

from seq2seq_cli.config.loader import load_config
from seq2seq_cli.text.segmenter import get_segmenter

from .conftest import Pairs

BY_HAND = [
    ("She kissed him.", "Sie küsste ihn.", "0-0 1-1 2-2 3-3"),
    ("Thank you.", "Danke.", "0-0 1?0 2-1"),
    ("Where are we going?", "Wohin gehen wir?", "0-0 1?1 2-2 3-1 4-3"),
    ("She called me.", "Sie rief mich an.", "0-0 1-1 1?3 2-2 3-4"),
    ("She looked for him.", "Sie suchte ihn.", "0-0 1-1 2?1 3-2 4-3"),
    ("She has kissed him.", "Sie hat ihn geküsst.", "0-0 1-1 2-3 3-2 4-4"),
    ("Tom does not hear us.", "Tom hört uns nicht.", "0-0 1?1 2-3 3-1 4-2 5-4"),
    ("Every day you get up at six.", "Jeden Tag stehst du um sechs auf.", "0-0 1-1 2-3 3-2 3?6 4?2 4?6 5-4 6-5 7-7"),
    ("On Sunday you cannot laugh.", "Am Sonntag kannst du nicht lachen.", "0-0 1-1 2-3 3-2 4-4 5-5 6-6"),
    ("Paul was in the new house.", "Paul war im neuen Haus.", "0-0 1-1 2-2 3?2 4-3 5-4 6-5"),
    ("You had to go home on Sunday.", "Du musstest am Sonntag nach Hause gehen.",
     "0-0 1-1 2?1 2?6 3-6 4?4 4-5 5-2 6-3 7-7"),
    ("We could not bring you a newspaper.", "Wir konnten dir keine Zeitung bringen.",
     "0-0 1-1 2-3 3-5 4-2 5?3 6-4 7-6"),
    ("He laughed because he was happy.", "Er lachte, weil er glücklich war.", "0-0 1-1 2?2 2-3 3-4 4-6 5-5 6-7"),
    ("When he saw us, he sang the song.", "Als er uns sah, sang er das Lied.",
     "0-0 1-1 2-3 3-2 4-4 5-6 6-5 7-7 8-8 9-9"),
    ("You know that you are calling his son now.", "Du weißt, dass du seinen Sohn jetzt anrufst.",
     "0-0 1-1 2?2 2-3 3-4 4?8 5-8 6-5 7-6 8-7 9-9"),
]  # fmt: skip


@pytest.fixture(scope="module")
def lines(sample: Pairs, sample_file: Path) -> dict[tuple[str, str], str]:
    """The line of links of each pair."""
    links = sample_file.with_suffix(".align").read_text(encoding="utf-8").splitlines()
    return dict(zip(sample, links, strict=True))


@pytest.mark.parametrize(("english", "german", "links"), BY_HAND)
def test_links_by_hand(lines: dict[tuple[str, str], str], english: str, german: str, links: str) -> None:
    assert lines[english, german] == links


def test_every_token_of_prepare_has_a_link(lines: dict[tuple[str, str], str]) -> None:
    """So that no sentence is cut otherwise than the grammar believes."""
    text = load_config(None, ["text.src.language=en", "text.tgt.language=de"]).text
    cut = [get_segmenter(side, "word").tokens for side in (text.src, text.tgt)]
    for pair, links in lines.items():
        ends = re.split("[-? ]", links)
        tokens = [[str(place) for place, _ in enumerate(side(text))] for side, text in zip(cut, pair, strict=True)]
        assert [set(ends[0::2]), set(ends[1::2])] == [set(of_side) for of_side in tokens], pair
