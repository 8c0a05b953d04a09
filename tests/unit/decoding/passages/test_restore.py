import re

import numpy as np
import pytest

from seq2seq_cli.decoding.passages.passage import Limits, split_passage
from seq2seq_cli.decoding.passages.restore import restore
from seq2seq_cli.decoding.passages.word_weights import WordWeights
from seq2seq_cli.text.normalise import HIDDEN

WORDS = re.compile(r"https://[\w.]*\w|\w+|[^\w\s]")

LIMITS = Limits(max_length=1000, count_ids=len)


def translated(source: str, output: str, alignment: str) -> str:
    """A text translated with a given alignment: ``i-j`` where word j of the output attends to word i of the source.

    In the output, {n} stands for a copy of the n-th kept word.
    """
    passage = split_passage(source, language="en", limits=LIMITS)
    [piece] = passage.pieces
    copied = [int(match[1]) for match in re.finditer(r"{(\d)}", output)]
    output = re.sub(r"{\d}", HIDDEN, output)
    parts, units = (WORDS.findall(text) for text in (piece.text, output))
    weights = np.zeros((len(units), len(parts) + 1), dtype=np.float32)
    for i, j in (map(int, pair.split("-")) for pair in alignment.split()):
        weights[j, i] = 1
    return passage.join([restore(piece, WordWeights(piece.text, output, parts, units, weights), copied)])


@pytest.mark.parametrize(
    ("source", "output", "alignment", "expected"),
    [
        ("A <b>big</b> dog.", "Ein großer Hund.", "0-0 1-1 2-2 3-3", "Ein <b>großer</b> Hund."),
        ("<b>Hello</b> dog.", "Hund hallo.", "0-1 1-0 2-2", "Hund <b>hallo</b>."),
        ("<p><b>A dog.</b></p>", "Ein Hund.", "0-0 1-1", "<p><b>Ein Hund.</b></p>"),
        ("**I** see *Tom*.", "Tom sehe ich.", "0-2 1-1 2-0 3-3", "*Tom* sehe **ich**."),
        ("I <i>see <b>Tom</b></i>.", "Ich sehe Tom.", "0-0 1-1 2-2 3-3", "Ich <i>sehe <b>Tom</b></i>."),
        ("See [the dog](u_v).", "Den Hund sehen.", "0-2 1-0 2-1 3-3", "[Den Hund](u_v) sehen."),
        ("I <b>take it off</b> now", "Ich ziehe es jetzt aus", "0-0 1-1 2-2 3-4 4-3", "Ich <b>ziehe es</b> jetzt aus"),
        ("A dog,<img>go", "Ein Hund, los", "0-0 1-1 2-2 3-3", "Ein Hund,<img>los"),
        ("A dog <img> barks", "Ein Hund bellt", "0-0 1-1 2-2", "Ein Hund <img> bellt"),
        ("A <b>dog\nbarks</b>", "Ein Hund bellt", "0-0 1-1 2-2", "Ein <b>Hund\nbellt</b>"),
        (
            "&copy; a big &amp; old dog",
            "Ein großer alter Hund",
            "0-0 1-1 2-2 3-3",
            "&copy; Ein großer &amp; alter Hund",
        ),
        ("A &quot;dog&quot; sat", "Ein Hund saß", "0-0 1-1 2-2", "Ein &quot;Hund&quot; saß"),
        ("Wait&hellip; what", "Warte was", "0-0 1-1", "Warte&hellip; was"),
        ("A <b>big</b> dog.", "Ein großer Hund.", "", "Ein <b>großer</b> Hund."),
        ("unbe<i>liev</i>able!", "Unglaublich!", "0-0 1-1", "<i>Unglaublich</i>!"),
    ],
)
def test_marks_go_where_the_words_are_aligned(source: str, output: str, alignment: str, expected: str) -> None:
    assert translated(source, output, alignment) == expected


@pytest.mark.parametrize(
    ("source", "output", "expected"),
    [
        ("Go to https://a.org now.", "Geh jetzt.", "Geh https://a.org jetzt."),
        ("Go to https://a.org.", "Geh zu.", "Geh zu https://a.org."),
        ("Go to https://a.org", "Geh zu {0}", "Geh zu https://a.org"),
        ("The code `a  b` works", "Code a", "`a  b` Code a"),
        ("The code `a  b` works", "Der Code {0} a", "Der Code `a  b` a"),
        ("**I** see %s 😀 and %s.", "Ich sehe {2} und {1}.", "**Ich** %s sehe %s und 😀."),
        ("Good 👍🏽 job ❤️.", "Gut.", "👍🏽 Gut ❤️."),
    ],
)
def test_kept_words_that_the_translation_lacks_are_put_into_it(source: str, output: str, expected: str) -> None:
    assert translated(source, output, "") == expected


def test_an_empty_translation_keeps_the_marks() -> None:
    assert translated("A <b>big <i>dog</i></b> me@a.org sat", "", "") == "<b><i></i></b> me@a.org"
