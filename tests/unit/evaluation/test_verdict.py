"""The sentences of verdicts, computed by hand."""

from collections import Counter

import pytest

from seq2seq_cli.evaluation.evaluation_set import EvaluationSet
from seq2seq_cli.evaluation.verdict import Verdict, count_words, verdict_of


def verdict(
    *triples: tuple[str, str, str],
    seen: dict[str, int] | None = None,
    bleu: float = 0,
    chrf: float = 0,
    languages: tuple[str, str] = ("en", "de"),
) -> Verdict:
    """The verdict on sources, their references and their translations."""
    pairs = tuple((source, reference) for source, reference, _ in triples)
    tests = EvaluationSet(name="tests", pairs=pairs, languages=languages)
    texts = {source: text for source, _, text in triples}
    return verdict_of(texts, tests, bleu=float(bleu), chrf=float(chrf), seen=None if seen is None else Counter(seen))


def starting(found: Verdict, start: str) -> str:
    """The detail that starts so; empty without one."""
    return next((line for line in found[1:] if line.startswith(start)), "")


@pytest.mark.parametrize(
    ("bleu", "chrf", "use"),
    [
        (9.9, 29.9, "Usable for nothing yet: "),
        (10, 0, "Usable for finding out what a text is about: "),
        (29.9, 50.9, "Usable for reading the gist: "),
        (30, 0, "Usable for drafts that somebody corrects: "),
        (40, 0, "Usable for drafts that need few corrections: "),
        (0, 51, "Usable for drafts that somebody corrects: "),  # words are not parted by spaces
        (25, 15, "Usable for reading the gist: "),  # a character is a word
    ],
)
def test_the_use_is_the_better_one_by_two_scores(bleu: float, chrf: float, use: str) -> None:
    assert verdict(("Go.", "Geh.", "Geh."), bleu=bleu, chrf=chrf)[0].startswith(use)


@pytest.mark.parametrize(
    ("triples", "said"),
    [
        ([("Go now.", "Geh jetzt.", "Geh jetzt.")], "Its translations are as long as the expected ones."),
        (
            [("I go now.", "Ich geh jetzt gleich.", "Ich geh.")],
            "Its translations are 50 % shorter than the expected ones.",
        ),
        ([("I go.", "Ich geh.", "Ich geh ja.")], "Its translations are 50 % longer than the expected ones."),
        (
            [("Tom has 2 dogs. He ran.", "Tom hat 2 Hunde. Er lief.", "Er hat 3 Hunde und lief.")],
            (
                "Its translations are as long as the expected ones; left out: 1 of 1 names, 1 of 1 numbers, a sentence"
                " in 1 of 1 texts of several sentences."
            ),
        ),
    ],
)
def test_what_is_left_out_is_counted(triples: list[tuple[str, str, str]], said: str) -> None:
    assert verdict(*triples)[1] == said


UMBRELLAS = [
    (f"{name} has an umbrella.", f"{name} hat einen Schirm!", f"{name} hat einen Hut.") for name in ("Al", "Bo")
]


def test_words_that_are_missed_every_second_time_are_named_with_their_counts() -> None:
    kept = ("Umbrella?", "»Schirm?«", "Schirm")
    said = "Words that it misses most: schirm (missed 2 of 3 times"
    assert starting(verdict(*UMBRELLAS, kept), "Words") == f"{said})."
    assert starting(verdict(*UMBRELLAS, kept, seen={}), "Words") == f"{said}, seen 0 times in training)."
    assert starting(verdict(*UMBRELLAS, kept, seen={"schirm": 1}), "Words") == f"{said}, seen 1 time in training)."
    often_kept = [(source, kept[1], kept[2]) for source in ("Umbrella.", "My umbrella?", "An umbrella?")]
    assert not starting(verdict(*UMBRELLAS, *often_kept), "Words")
    assert not starting(verdict(UMBRELLAS[0]), "Words")  # missed once


def test_a_word_in_many_references_is_not_named() -> None:
    triples = [(f"the {number}x", f"das {number}x", f"die {number}x") for number in range(7)]
    assert "das (missed 6 of 6 times)" in starting(verdict(*triples[:6]), "Words")
    assert not starting(verdict(*triples), "Words")


def test_of_words_missed_as_often_the_rarer_one_in_training_comes_first() -> None:
    triples = [(f"{name} takes an oar.", "am Ruder", "mit") for name in ("Al", "Bo")]
    assert "most: am (missed 2 of 2 times), ruder " in starting(verdict(*triples), "Words")
    assert "most: ruder (missed 2 of 2 times, seen 1 time " in starting(
        verdict(*triples, seen={"am": 9, "ruder": 1}), "Words"
    )


def test_of_several_references_the_nearest_is_expected() -> None:
    pairs = (("I go.", "Ich breche auf."), ("I go.", "Ich gehe."))
    tests = EvaluationSet(name="tests", pairs=pairs, languages=("en", "de"))
    found = verdict_of({"I go.": "Ich gehe."}, tests, bleu=0.0, chrf=0.0, seen=Counter())
    assert not starting(found, "What would help")  # nothing is missed


def test_what_would_help_depends_on_how_often_training_has_the_missed_words() -> None:
    triple = ("I see a red bird now.", "Ich sehe jetzt Vögel, rot.", "Ich bin.")  # sehe, jetzt, vögel, rot are missed
    assert starting(verdict(triple, seen={"sehe": 5, "jetzt": 9, "rot": 4}), "What would help") == (
        "What would help most: longer training, or more sentences with these words; training never had 25 % of the"
        " missed words, and had 50 % 5 times or more."
    )
    assert starting(verdict(triple, seen={"sehe": 5}), "What would help") == (
        "What would help most: pairs with new words, or a word list; training never had 75 % of the missed words, and"
        " had 25 % 5 times or more."
    )
    assert not starting(verdict(triple), "What would help")


def test_an_easy_test_flatters_and_a_small_one_tells_little() -> None:
    sources = ["Go!", "I see a dog.", "I see a cat!", "She came here by train.", "He likes his old house."]
    found = verdict(*((source, "x", "x") for source in sources))
    assert found[2:] == (
        "The test flatters it: 60 % of the test sentences have one or two words, or differ from another in one word.",
        "5 test sentences cannot tell much: others may give another verdict.",
    )
    many = [
        (f"{a} sees {b} near the {c} house", "x", "x")
        for a, b, c in zip(*[iter(map(str, range(300)))] * 3, strict=True)
    ]
    assert len(verdict(*many, languages=("en", ""))) == 3  # numbers are no words: all are the same
    letters = [f"{first}{second}" for first in "abcdefghij" for second in "klmnopqrst"]
    different = [(" ".join(word + end for end in "uvwxyz"), "x", "x") for word in letters]
    assert len(verdict(*different)) == 2


def test_words_of_the_references_are_counted_whatever_their_case_and_marks() -> None:
    pairs = (("Go home.", "Geh »heim«!"), ("I won't.", "Ich will's nicht."), ("Water.", "पानी।"))
    tests = EvaluationSet(name="tests", pairs=pairs, languages=("en", "de"))
    training = ["Er ging Heim, heim.", "will's", "will", "पानी", "20"]
    assert count_words(training, tests) == {"heim": 2, "will's": 1, "पानी": 1}
