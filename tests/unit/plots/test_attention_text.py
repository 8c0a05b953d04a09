"""Attention as text: alignment of the columns, width of the table, characters of the terminal."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from seq2seq_cli.plots.attention_text import AttentionMap, Style, attention_table
from tests.unit.plots.maps import KISS, make_map

# Any characters except spaces, which occur in no token.
words = st.text(st.characters(exclude_categories=["Cs", "Zs"]), min_size=1, max_size=30)


@st.composite
def maps(draw: st.DrawFn) -> AttentionMap:
    src, tgt = draw(st.lists(words, min_size=1, max_size=8)), draw(st.lists(words, min_size=1, max_size=5))
    hundredths = st.lists(st.integers(0, 100), min_size=len(src), max_size=len(src))
    return make_map(src, tgt, [[n / 100 for n in draw(hundredths)] for _ in tgt])


def cut(line: str, start: int, end: int) -> str:
    """The part of a line in the terminal cells from `start` to `end`."""
    part = ""
    for i, character in enumerate(line):
        # Not its own width: a variation selector makes the character before it wider.
        position, after = cell_len(line[:i]), cell_len(line[: i + 1])
        # A character without width belongs to the one before it.
        if start <= position < end or position == after == end:
            part += character
    return part


@pytest.mark.parametrize(
    ("shown", "options", "lines"),
    [
        (
            KISS,
            {},
            [
                "       She kissed him .",
                "Sie    .83 .10    .07 .",
                "küsste .20 .80    .   .",
                "ihn    .   .30    .70 .",
                ".      .   .      .   1.0",
            ],
        ),
        (
            KISS,
            {"width": 20},
            [
                *("       She kissed", "Sie    .83 .10", "küsste .20 .80", "ihn    .   .30", ".      .   .", ""),
                *("       him .", "Sie    .07 .", "küsste .   .", "ihn    .70 .", ".      .   1.0"),
            ],
        ),
        (
            make_map(["彼女", "は", "e\u0301te\u0301"], ["sie", "日本"], [[0.5, 0.25, 0.25], [0.1, 0.2, 0.7]]),
            {},
            ["     彼女 は  e\u0301te\u0301", "sie  .50  .25 .25", "日本 .10  .20 .70"],
        ),
        (make_map(["https://example.org/" + "a" * 200], ["x"]), {}, ["  https://example.or..", "x 1.0"]),
        (make_map([], []), {}, []),
        (
            KISS,
            {"style": "shades"},
            [
                *("       She kissed him .", "Sie    ███ ░░░░░░ ░░░", "küsste ░░░ ██████", "ihn        ▒▒▒▒▒▒ ▓▓▓"),
                *(".                     ██", "", "░ from .05   ▒ from .25   ▓ from .50   █ from .75"),
            ],
        ),
    ],
)
def test_weights_are_printed_as_numbers_or_shades(
    shown: AttentionMap, options: dict[str, Any], lines: list[str]
) -> None:
    assert attention_table(shown, **{"style": "numbers"} | options).splitlines() == lines


@given(maps())
@example(make_map(["000\U000e0000"], ["0"]))
@example(make_map(["0"], ["0\ufe0f"]))
def test_every_number_is_below_its_word(table: AttentionMap) -> None:
    lines = attention_table(table, style="numbers").split("\n")
    assert len(lines) == 1 + len(table.tgt_tokens)
    label_width = max(cell_len(shown(word)) for word in table.tgt_tokens)
    start = label_width + 1
    for column, word in enumerate(table.src_tokens):
        end = start + max(cell_len(shown(word)), 3)
        assert cut(lines[0], start, end).rstrip() == shown(word).rstrip()
        for line, weights in zip(lines[1:], table.weights, strict=True):
            number = cut(line, start, end).strip()
            assert float("0" if number == "." else number) == pytest.approx(weights[column], abs=0.0051)
        start = end + 1


def shown(word: str) -> str:
    """The label of a word, taken from a table of its own."""
    return attention_table(make_map([word], ["x"]), style="numbers").split("\n")[0][2:]


@given(maps(), st.integers(42, 120), st.sampled_from(["shades", "numbers"]))
def test_a_table_fits_the_terminal(table: AttentionMap, width: int, style: Style) -> None:
    lines = attention_table(table, style=style, width=width).split("\n\n")[0].split("\n")
    assert max(map(cell_len, lines)) <= width
