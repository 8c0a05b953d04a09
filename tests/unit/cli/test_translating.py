"""Translations as text and JSON lines, written by hand."""

import io
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seq2seq_cli.cli.terminal import for_terminal
from seq2seq_cli.cli.translating import OutputOptions, render
from seq2seq_cli.decoding.translation import SentenceTranslation, Translation
from seq2seq_cli.text.codec import Reading

BLANK = Translation(source="  ", text="", sentences=())


def translation(text: str, *probabilities: float, source: str = "Zoë ran", unknown: Sequence[str] = ()) -> Translation:
    """A translation word by word, with the probability of each word and of the end."""
    src, tgt = [*source.split(), "<eos>"], [*text.split(), "<eos>"]
    sentence = SentenceTranslation(
        source=source,
        text=text,
        src_tokens=src,
        tgt_tokens=tgt,
        weights=np.eye(len(tgt), len(src), dtype=np.float32),
        log_probability=sum(map(math.log, probabilities)),
        unknown=tuple(unknown),
        copied=tuple(unknown),
        forced=(),
        reading=Reading(source, [], []),
    )
    return Translation(source=source, text=text, sentences=(sentence,))


RAN = translation("Zoë lief", 0.5, 0.5, 0.5, unknown=["Zoë"])
WENT = translation("Zoë ging", 0.5, 0.25, 0.25)
BOTH = replace(RAN, alternatives=(RAN, WENT))


def shown(translation: Translation, options: OutputOptions, encoding: str = "utf-8") -> str:
    return render(translation, options, io.TextIOWrapper(io.BytesIO(), encoding=encoding))


def as_json(translation: Translation, options: OutputOptions) -> dict[str, Any]:
    def refuse(constant: str) -> object:
        raise AssertionError(constant)

    [line] = shown(translation, options).splitlines()
    content = json.loads(line, parse_constant=refuse)
    assert isinstance(content, dict)
    return content


def test_text_is_a_line_with_the_columns_that_were_asked_for() -> None:
    assert shown(RAN, OutputOptions()) == "Zoë lief\n"
    assert shown(RAN, OutputOptions(score=True)) == "Zoë lief\t-0.6931\t0.5000\n"
    assert shown(RAN, OutputOptions(score=True, align=True)) == "Zoë lief\t-0.6931\t0.5000\t0-0 1-1\n"
    assert shown(BLANK, OutputOptions(score=True, align=True)) == "\n"
    tabbed = replace(RAN, text="Zoë\tlief")
    assert shown(tabbed, OutputOptions()) == "Zoë\tlief\n"
    assert shown(tabbed, OutputOptions(score=True)) == "Zoë lief\t-0.6931\t0.5000\n"


def test_n_best_are_as_many_lines_for_each_text() -> None:
    assert shown(BOTH, OutputOptions(nbest=2)) == "Zoë lief\nZoë ging\n"
    assert shown(BOTH, OutputOptions(nbest=3)) == "Zoë lief\nZoë ging\n\n"
    assert shown(BOTH, OutputOptions(nbest=1)) == "Zoë lief\n"
    assert shown(BLANK, OutputOptions(nbest=2)) == "\n\n"


def test_attention_is_a_table_below_the_text() -> None:
    assert shown(RAN, OutputOptions(attention=True)) == (
        "Zoë lief\n\n      Zoë ran <eos>\nZoë   1.0 .   .\nlief  .   1.0 .\n<eos> .   .   1.0\n\n"
    )
    assert shown(BLANK, OutputOptions(attention=True)) == "\n"


def test_an_object_says_all() -> None:
    assert as_json(RAN, OutputOptions(format="json")) == {
        "source": "Zoë ran",
        "translation": "Zoë lief",
        "score": -0.693147,
        "confidence": 0.5,
        "log_probability": -2.079442,
        "alignment": [[0, 0], [1, 1]],
        "unknown": ["Zoë"],
        "copied": ["Zoë"],
        "forced": [],
    }
    assert "Zoë" in shown(RAN, OutputOptions(format="json"))
    assert shown(RAN, OutputOptions(format="json"), "ascii").isascii()
    sentences = as_json(RAN, OutputOptions(format="json", attention=True))["sentences"]
    assert [each["weights"] for each in sentences] == [[[1, 0, 0], [0, 1, 0], [0, 0, 1]]]
    alternatives = as_json(BOTH, OutputOptions(format="json", nbest=2))["alternatives"]
    assert [each["translation"] for each in alternatives] == ["Zoë lief", "Zoë ging"]


def test_a_number_that_json_lacks_is_null() -> None:
    impossible = translation("Zoë lief", 1.0)
    sentence = replace(impossible.sentences[0], log_probability=-math.inf)
    content = as_json(replace(impossible, sentences=(sentence,)), OutputOptions(format="json"))
    assert (content["score"], content["confidence"]) == (None, 0.0)


def test_controls_are_dropped_and_those_that_part_words_leave_a_space() -> None:
    parted = replace(RAN, text="a\rb\x0c\x1fc\r\nd\x85\ne\x1b\x07\x9b")
    assert shown(parted, OutputOptions()) == "a b c\nd\ne\n"
    assert as_json(parted, OutputOptions(format="json"))["translation"] == "a b c\nd\ne"


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def on_terminal(text: str) -> str:
    buffer = io.BytesIO()
    terminal = Terminal(buffer, encoding="utf-8", newline="\n")
    for_terminal(terminal).write(text)
    terminal.flush()
    return buffer.getvalue().decode()


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters='"\\')))
def test_a_terminal_gets_nothing_that_steers_it(text: str) -> None:
    written = on_terminal(text)
    assert not set(written) & {*map(chr, [*range(9), *range(11, 32), *range(127, 160)]), "\u202e", "\u2066", "\u2028"}
    # The escapes are those of JSON, so that its lines stay valid.
    assert json.loads(f'"{written}"', strict=False) == text


def test_a_terminal_keeps_the_joiners_of_scripts_and_emoji() -> None:
    text = "می\u200cخواهم \N{MAN}\u200d\N{WOMAN} \u200fשלום\n"
    assert on_terminal(text) == text
