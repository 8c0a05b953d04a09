"""Pictures of attention: their labels, words that could break them, and the files."""

import io
import logging
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from matplotlib.image import imread

from seq2seq_cli.plots.attention_text import AttentionMap
from seq2seq_cli.plots.pictures import save_attention
from tests.unit.plots.maps import KISS, make_map

SVG = "{http://www.w3.org/2000/svg}"
BLANK = make_map([], [])


def drawn(folder: Path, *sentences: AttentionMap, ending: str = "svg") -> bytes:
    """The picture of some sentences."""
    path = folder / f"drawn.{ending}"
    save_attention(sentences, path)
    return path.read_bytes()


def words_of(svg: bytes) -> list[str]:
    """The text of a picture, in the order in which it is drawn."""
    root = ET.fromstring(svg.decode("utf-8"))  # noqa: S314 - from our own code
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def test_source_words_output_words_and_the_scale_are_labelled(tmp_path: Path) -> None:
    words = words_of(drawn(tmp_path, KISS))
    source, translation = words.index("source"), words.index("translation")
    assert words[:source] == ["She", "kissed", "him", "."]
    assert words[source + 1 : translation] == ["Sie", "küsste", "ihn", "."]
    assert "attention weight" in words


@pytest.mark.parametrize("word", ["$x^2$", "$", "a_b", "\\frac", "100%", "<eos>", "&amp;", "{", ""])
def test_words_are_not_taken_as_formulas(tmp_path: Path, word: str) -> None:
    table = make_map([word, "x"], ["y"])
    assert {word, "x", "y"} <= {*words_of(drawn(tmp_path, table)), ""}
    assert drawn(tmp_path, table, ending="png").startswith(b"\x89PNG")


def test_a_script_without_a_font_gives_one_line_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    private = make_map(["\U0010fffc\U0010fffd", "x"], ["\U0010fffc", "\U0010fffd"])  # letters that no font has
    with caplog.at_level(logging.WARNING, logger="seq2seq_cli"):
        assert drawn(tmp_path, private, ending="png")
    [record] = caplog.records
    assert "no installed font has some of the characters" in record.getMessage()


def test_nothing_is_cut_off_at_the_edges(tmp_path: Path) -> None:
    long = make_map(["Donaudampfschifffahrt" * 2] * 3, ["incomprehensibilities" * 2] * 2)
    pixels = imread(io.BytesIO(drawn(tmp_path, long, ending="png")))
    for edge in (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]):
        assert (edge == 1).all()


def panels_of(svg: bytes) -> list[tuple[float, float, float, float]]:
    """The left, upper, right and lower ends of the panels; the last one is the scale."""
    root = ET.fromstring(svg.decode("utf-8"))  # noqa: S314 - from our own code
    groups = [group for group in root.iter(f"{SVG}g") if group.get("id", "").startswith("axes_")]
    corners = [re.findall(r"[ML] (\S+) (\S+)", next(group.iter(f"{SVG}path")).attrib["d"]) for group in groups]
    sides = [[sorted(map(float, side)) for side in zip(*each, strict=True)] for each in corners]
    return [(x[0], y[0], x[-1], y[-1]) for x, y in sides]


def test_sentences_stand_below_each_other_clear_of_their_labels(tmp_path: Path) -> None:
    long = make_map(["Donaudampfschifffahrt"] * 9, ["incomprehensibilities"] * 7)
    picture = drawn(tmp_path, KISS, long, KISS)
    words = words_of(picture)
    assert (words.count("source"), words.count("translation"), words.count("attention weight")) == (1, 3, 1)
    first, second, third, scale = panels_of(picture)
    for upper, lower in [(first, second), (second, third)]:
        assert upper[3] < lower[1]
        assert upper[0] == pytest.approx(lower[0], abs=0.01)
    assert second[1] - first[3] > 100  # points, for the long labels
    assert max(first[2], second[2]) < scale[0]


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("a\0", "a\ufffd"),
        ("\x1b[31m", "\ufffd[31m"),
        ("\x0b\uffff\ufffe", "\ufffd" * 3),
        ("\ud800<&]]>", "\ufffd<&]]>"),
    ],
    ids=ascii,
)
def test_a_picture_is_well_formed_whatever_the_words_hold(tmp_path: Path, word: str, shown: str) -> None:
    words = words_of(drawn(tmp_path, make_map([word, "می\u200cخواهم"], ["x"])))

    assert {shown, "می\u200cخواهم"} <= {*words}


@pytest.mark.parametrize(("name", "start"), [("a.PNG", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.pdf", b"%PDF")])
def test_all_sentences_with_words_are_drawn_and_the_same_ones_give_the_same_file(
    tmp_path: Path, name: str, start: bytes
) -> None:
    assert save_attention([KISS, KISS], tmp_path / name) == 2
    content = (tmp_path / name).read_bytes()
    assert content.startswith(start)
    assert save_attention([KISS, BLANK, KISS], tmp_path / name, overwrite=True) == 2
    assert (tmp_path / name).read_bytes() == content
    assert save_attention([BLANK], tmp_path / f"none{name}") == 0
    assert [path.name for path in tmp_path.iterdir()] == [name]
