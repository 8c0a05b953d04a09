import re

import numpy as np
import pytest
from seq2seq_cli.decoding.passages.protected import lost_numbers

from seq2seq_cli.decoding.passages.passage import Limits, split_passage
from seq2seq_cli.decoding.passages.restore import restore
from seq2seq_cli.decoding.passages.word_weights import WordWeights

WORDS = re.compile(r"https://[\w.]*\w|\w+|[^\w\s]")

LIMITS = Limits(usual_length=1000, max_length=1000, count_tokens=len, count_ids=len)


def translated(source: str, output: str, alignment: str) -> str:
    """A text translated with a given alignment: ``i-j`` where word j of the output attends to word i of the source."""
    passage = split_passage(source, language="en", limits=LIMITS)
    [piece] = passage.pieces
    parts, units = (WORDS.findall(text) for text in (piece.text, output))
    weights = np.zeros((len(units), len(parts) + 1), dtype=np.float32)
    for i, j in (map(int, pair.split("-")) for pair in alignment.split()):
        weights[j, i] = 1
    return passage.join([restore(piece, WordWeights(piece.text, output, parts, units, weights))])


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
        ("A dog.<br>Go", "Ein Hund. Los", "0-0 1-1 2-2 3-3", "Ein Hund.<br>Los"),
        ("A dog <br> barks", "Ein Hund bellt", "0-0 1-1 2-2", "Ein Hund <br> bellt"),
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
        ("Go to https://a.org", "Geh zu https://a.org", "Geh zu https://a.org"),
        ("The code `a  b` works", "Code a", "`a  b` Code a"),
    ],
)
def test_protected_words_that_the_translation_lacks_are_put_into_it(source: str, output: str, expected: str) -> None:
    assert translated(source, output, "") == expected


def test_an_empty_translation_keeps_the_marks() -> None:
    assert translated("A <b>big <i>dog</i></b> me@a.org sat", "", "") == "<b><i></i></b> me@a.org"


@pytest.mark.parametrize(
    ("source", "output", "lost"),
    [
        ("12.50 and 3", "12.50 und 3", []),
        ("12.50 and 3", "12,50 und 3", ["12.50"]),
        ("at 7:30 on 2024-01-31", "um 7:30 am 31", ["2024-01-31"]),
        ("3 and 3", "3", ["3"]),
        ("25", "125 2.5", ["25"]),
        ("none", "none", []),
        ("٣٫٥, ٣٬٥٠٠, 3．5, 5’10", "3.5, 3,500, 3.5, 5'10", []),
    ],
)
def test_numbers_are_lost_unless_they_occur_as_they_stand(source: str, output: str, lost: list[str]) -> None:
    assert [source[start:end] for start, end in lost_numbers(source, output, {})] == lost


def test_numbers_are_not_lost_in_another_form_and_each_form_stands_for_one() -> None:
    forms = {"1,000": "1000|1.000", "1.5": "1,5"}

    def lost(source: str, output: str) -> list[str]:
        return [source[start:end] for start, end in lost_numbers(source, output, forms)]

    assert lost("1,000 and 1,000 and 12.50 and 1,299.50", "1.000 und 12,50 und 1.299,50") == ["1,000"]
    assert lost("1,000 and 1,299.50", "1,000 und 1,299.50") == ["1,000", "1,299.50"]  # as no German writes them
    assert lost("1,000 and 1000", "1.000 und 1000") == []
    assert lost("1.5 or 1,5", "1.5 oder 1,5") == []
    assert lost("1.5 or 1,5", "1,5 oder 1,5") == []
    assert lost("٣, ３ and 10-12 or 5–6", "3, 3 und 10–12 oder 5-6") == []


def test_numbers_with_spaces_between_thousands_are_not_lost() -> None:
    assert lost_numbers("1,000 people in 25,000 cars", "1 000 personnes en 25 000", {"1,000": "1 000|1000"}) == []
    assert lost_numbers("3 big 100", "3 100", {"1,000": "1 000"}) == []  # two numbers
    assert lost_numbers("1,000 people", "1 personne 000", {"1,000": "1 000"}) == [(0, 5)]
    for source, output in [("25,000–30,000", "25 000-30 000"), ("500-1,000", "500-1 000")]:
        assert lost_numbers(source, output, {"1,000": "1 000"}) == []
    assert lost_numbers("25\u202f000 chiens, 1 000", "25,000 dogs, 1,000", {"1 000": "1,000"}) == []
