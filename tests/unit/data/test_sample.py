"""The file as a file: form, order, counts, and that the grammar made it."""

import os
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from pathlib import Path

import pytest

from .conftest import ROOT, Pairs


@pytest.mark.slow
def test_the_file_is_what_the_grammar_makes(sample_file: Path, tmp_path: Path) -> None:
    """The pairs and their links, in a process of its own, whose order of sets is a random one."""
    made = tmp_path / "made.txt"
    environment = {**os.environ, "PYTHONHASHSEED": "random", "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run([sys.executable, "-m", "data.grammar", str(made)], cwd=ROOT, check=True, env=environment)
    assert made.read_bytes() == sample_file.read_bytes()
    assert made.with_suffix(".align").read_bytes() == sample_file.with_suffix(".align").read_bytes()


def test_published_form(sample_file: Path) -> None:
    text = sample_file.read_bytes().decode("utf-8")
    assert text == unicodedata.normalize("NFC", text)
    assert text.endswith("\n")
    assert "\r" not in text
    assert "\ufeff" not in text
    for line in text.splitlines():
        assert re.fullmatch(r"[A-Z][A-Za-z ,]*[.?!]\t[A-ZÄÖÜ][A-Za-zÄÖÜäöüß ,]*[.?!]", line), line
        assert "  " not in line


def test_sorted_by_length_then_text_without_long_ones_and_both_sides_end_alike(sample: Pairs) -> None:
    assert sample == sorted(sample, key=lambda pair: (len(pair[0]), pair))
    assert 8_000 <= len(sample) <= 9_500
    assert max(len(english.split()) for english, _ in sample) <= 14
    assert [pair for pair in sample if pair[0][-1] != pair[1][-1]] == []
    for side in (0, 1):
        sentences = Counter(" ".join(re.findall(r"\w+", pair[side].lower())) for pair in sample)
        assert [sentence for sentence, count in sentences.items() if count > 1] == []


@pytest.mark.parametrize(("side", "most"), [(0, 450), (1, 750)])
def test_words_are_few_and_frequent(sample: Pairs, side: int, most: int) -> None:
    """A word that is too rare cannot be learned; the idioms' own words, once each, are the exception."""
    counts = Counter(word for pair in sample for word in re.findall(r"\w+", pair[side].lower()))
    assert len(counts) < most
    idiomatic = [word for word, count in counts.items() if count <= 3]
    assert len(idiomatic) < 20
    assert min(count for word, count in counts.items() if word not in idiomatic) >= 6


OFTEN = {
    r"\b(has|have) ": 600,
    r"\b(did|does|do) ": 900,
    r"\bnot\b|\bcannot\b": 900,
    r"\?$": 1_500,
    r" (that|whether) |\b([Bb]ecause|[Ii]f|[Aa]lthough) ": 1_600,
    r"\b(can|cannot|must|wants?|will) ": 800,
}
BY_HAND = {
    ("She has kissed him.", "Sie hat ihn geküsst."),
    ("They have looked for him.", "Sie haben ihn gesucht."),
    ("How are you?", "Wie geht es dir?"),
    ("See you tomorrow.", "Bis morgen."),
}


def test_every_construction_is_there_often_and_pairs_by_hand_are_there(sample: Pairs) -> None:
    for pattern, least in OFTEN.items():
        assert sum(bool(re.search(pattern, english)) for english, _ in sample) >= least, pattern
    assert set(sample) >= BY_HAND


def test_a_comma_stands_before_every_subordinate_clause(sample: Pairs) -> None:
    links = "dass|weil|wenn|ob|als|obwohl"
    linked = [german for _, german in sample if re.search(rf"\b(?:{links})\b", german, flags=re.IGNORECASE)]
    assert len(linked) > 2_000
    assert all(german.count(",") == 1 for german in linked)
    assert not any(re.search(rf"[^,] (?:{links})\b", german) for german in linked)


def test_prepositions_contract_with_their_article(sample: Pairs) -> None:
    assert [german for _, german in sample if re.search(r"\b(?:in dem|in das|an dem|zu dem|zu der)\b", german)] == []
