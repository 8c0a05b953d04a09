"""The alignment error rate by hand, the reading of links, and the merging of weights to words."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seq2seq_cli.config.loader import load_config
from seq2seq_cli.decoding.scoring import PairScore
from seq2seq_cli.errors import InputError
from seq2seq_cli.evaluation.attention_figures import (
    AlignmentCounts,
    GoldAlignment,
    attention_links,
    count_links,
    read_gold_alignment,
    words_of_ids,
)
from seq2seq_cli.text.sides import Codecs, fit_codecs

PAIR = ("the cat sat .", "die Katze saß .")
WEIGHTS = np.array(
    [
        [0.7, 0.1, 0.1, 0.1, 0.0],  # die: the
        [0.4, 0.3, 0.1, 0.1, 0.1],  # Katze: the, a possible link
        [0.1, 0.2, 0.3, 0.4, 0.0],  # saß: the full stop, no link at all
        [0.0, 0.0, 0.0, 0.3, 0.7],  # the full stop: <eos>, so that it has no link
        [0.9, 0.1, 0.0, 0.0, 0.0],
    ],
    dtype=np.float32,
)


def codecs_of(unit: str) -> Codecs:
    text = load_config(None, ["text.src.language=en", "text.tgt.language=de", f"text.unit={unit}"]).text
    counts = [dict.fromkeys(["the", "cat", "sat", "."], 5), dict.fromkeys(["▁die", "▁Katze", "▁saß", "."], 5)]
    if unit == "character":
        counts = [dict.fromkeys(side, 5) for side in PAIR]
    return fit_codecs(text, counts[0], counts[1])


def gold(path: Path, content: str, pairs: list[tuple[str, str]], *, swap: bool = False) -> GoldAlignment:
    path.write_text(content, encoding="utf-8")
    return read_gold_alignment(path, pairs, swap=swap)


def read(codecs: Codecs, weights: np.ndarray = WEIGHTS) -> PairScore:
    src, tgt = (codec.read(text) for codec, text in zip(codecs, PAIR, strict=True))
    return PairScore(src=src, tgt=tgt, weights=weights)


def test_the_error_rate_of_a_matrix_by_hand(tmp_path: Path) -> None:
    """A has 3 links; of 4 sure ones it finds the-die, and the?Katze is possible: 1 - (1 + 2) / (3 + 4)."""
    codecs = codecs_of("word")
    alignment = gold(tmp_path / "a.align", "0-0 0?1 1-1 2-2 3-3\n", [PAIR])
    counts = count_links(alignment, PAIR, read(codecs), codecs)
    assert counts == AlignmentCounts(pairs=1, links=3, sure=4, in_sure=1, in_possible=2)
    assert counts.error_rate == pytest.approx(1 - 3 / 7)
    assert [counts.precision, counts.recall] == pytest.approx([2 / 3, 1 / 4])
    perfect = read(codecs, np.eye(5, dtype=np.float32))
    sure = gold(tmp_path / "b.align", "0-0 1-1 2-2 3-3", [PAIR])
    assert count_links(sure, PAIR, perfect, codecs).error_rate == 0
    assert count_links(alignment, ("another", "pair"), read(codecs), codecs) == AlignmentCounts()
    both = counts + AlignmentCounts(pairs=1, links=4, sure=4, in_sure=4, in_possible=4)
    assert both.error_rate == pytest.approx(1 - (5 + 6) / (7 + 8))


def test_weights_of_pieces_are_those_of_their_words() -> None:
    """The pieces of a source word together outweigh the heaviest single piece."""
    weights = np.array([[0.4, 0.3, 0.3, 0.0], [0.3, 0.4, 0.2, 0.1], [0, 0, 0, 1]], dtype=np.float32)
    assert attention_links(weights, [0, 1, 1], [0, 0]) == [(1, 0)]
    assert attention_links(weights, [0, 1, 2], [0, 1]) == [(0, 0), (1, 1)]


@pytest.mark.parametrize("unit", ["word", "bpe", "character"])
def test_the_words_of_ids_are_those_of_the_unit_word(unit: str) -> None:
    for codec, text in zip(codecs_of(unit), ("the cat sat.", "die Katze saß."), strict=True):
        reading = codec.read(text)
        words = words_of_ids(codec, reading)
        parts = [part for word in reading.words for part in word.parts]
        merged = ["".join(part for part, of in zip(parts, words, strict=True) if of == word) for word in range(4)]
        assert merged == [*text.removesuffix(".").split(), "."]


links = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("-?p"), st.integers(0, 3)), max_size=6)


@given(lines=st.lists(links, min_size=1, max_size=4), newline=st.sampled_from(["\n", "\r\n"]), swap=st.booleans())
def test_links_are_read_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, lines: list[list[tuple[int, str, int]]], newline: str, swap: bool
) -> None:
    pairs = [(f"source {number}", f"target {number}") for number in range(len(lines))]
    content = newline.join(" ".join(f"{i}{mark}{j}" for i, mark, j in line) for line in lines) + newline
    found = gold(tmp_path_factory.getbasetemp() / "read.align", content, pairs, swap=swap)
    for pair, line in zip(pairs, lines, strict=True):
        expected = {mark: {(j, i) if swap else (i, j) for i, each, j in line if each == mark} for mark in "-?p"}
        assert found[pair].sure == expected["-"]
        assert found[pair].possible == expected["-"] | expected["?"] | expected["p"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("0-0 1:1\n", "bad.align:1: '1:1' is no link: write i-j for a sure one and i?j for a possible one"),
        ("0-0 -1-1\n", "bad.align:1: '-1-1' is no link"),
        ("\n0-0 ²-1\n", "bad.align:2: '²-1' is no link"),
        ("0-0\n1-1\n", "bad.align: has 2 lines, but the pairs have 1: give a line of links for each"),
        ("", "bad.align: has 0 lines, but the pairs have 1"),
    ],
)
def test_what_is_no_alignment_is_named(tmp_path: Path, content: str, message: str) -> None:
    pairs = [PAIR] * (2 if content.startswith("\n") else 1)
    with pytest.raises(InputError) as caught:
        gold(tmp_path / "bad.align", content, pairs)
    assert str(caught.value).startswith(f"{tmp_path}/{message}")


def test_a_link_of_a_word_that_is_not_there_is_named(tmp_path: Path) -> None:
    codecs = codecs_of("word")
    alignment = gold(tmp_path / "bad.align", "0-0\n1-1 2-9\n", [("", ""), PAIR])
    with pytest.raises(InputError, match=r"bad\.align:2: no word 9: 'die Katze saß \.' has 4 words"):
        count_links(alignment, PAIR, read(codecs), codecs)
