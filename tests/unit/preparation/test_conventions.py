"""Conventions learned from small corpora in several languages, and what they make of texts."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from string import ascii_lowercase

import pytest

from seq2seq_cli.preparation.conventions import conventions_of
from seq2seq_cli.preparation.prepare import prepare
from seq2seq_cli.text.casing import lower, upper
from seq2seq_cli.text.conventions import Conventions
from seq2seq_cli.text.sides import load_codecs
from tests.corpora import write_pairs

NAMES = ("Tom", "Mary", "Anna", "Paul", "Lisa", "Otto", "Emma", "John")
PLACES = ("Berlin", "the park", "the U.S. today", "a big city", "Rome", "my house")


def english() -> list[str]:
    """Two hundred sentences: statements and questions with names, contractions, commas, brackets and quotations."""
    pairs = list(product(NAMES, PLACES))
    return [
        *(f"She kissed {name} in {place}." for name, place in pairs),
        *(f"Did {name} see {place}?" for name, place in pairs),
        *(f"No, {name} doesn't like {place}, but I do." for name, place in pairs),
        *(f"He's in {place} (with {name}) and says \"I don't know\" to him." for name, place in pairs),
        *(f"What did {name} do? We don't know, isn't it so?" for name in NAMES),
    ]


@pytest.fixture(scope="module")
def conventions() -> Conventions:
    return conventions_of(english(), "en")


def test_the_sentences_of_the_corpus_are_not_changed(conventions: Conventions) -> None:
    assert [conventions.apply(sentence) for sentence in english()] == english()


@pytest.mark.parametrize("sentence", english()[::7])
def test_four_ways_to_write_a_sentence_become_the_same_text(conventions: Conventions, sentence: str) -> None:
    quiet = lower(sentence, "en")
    spaced = f"{quiet[:-1]} {quiet[-1]}"
    for text in (quiet, spaced, quiet[:-1], upper(sentence, "en"), sentence[:-1], f"  {spaced}\t"):
        assert conventions.apply(text) == sentence


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("did tom see rome", "Did Tom see Rome?"),
        ("what did tom do", "What did Tom do?"),
        ("she kissed tom , isn't it so", "She kissed Tom, isn't it so?"),  # by the last two words
        ("he does n't like it", "He doesn't like it."),
        ("he 's in the park", "He's in the park."),
        ("HE 'S IN THE U.S.", "He's in the U.S."),
        ("he’s here", "He's here."),
        ("he doesn´t, I don`t like it", "He doesn't, I don't like it."),
        ('He says " I do " to him .', 'He says "I do" to him.'),
        ("no ,she does not", "No, she does not."),
        ("no,she does not", "No, she does not."),
        ("in rome ( with tom ) .", "In Rome (with Tom)."),
        ("she kissed him. did tom see it? i do", "She kissed him. Did Tom see it? I do."),
        ("she left at 5 p.m. today", "She left at 5 p.m. today."),
        ("what did mr. tom do", "What did mr. Tom do?"),
        ("What did Dr. Smith do", "What did Dr. Smith do?"),
        ("i like vitamin c. did tom see it", "I like vitamin c. Did Tom see it?"),
        ("he has 25. what did tom do", "He has 25. What did Tom do?"),
        ("DID MR. TOM SEE C. IT IS", "Did mr. Tom see c. It is."),
    ],
)
def test_what_deviates_is_brought_to_the_conventions(conventions: Conventions, text: str, written: str) -> None:
    assert conventions.apply(text) == written


@pytest.mark.parametrize(
    "text",
    [
        "",
        "She kissed Zoë.",
        "iPhone is good.",
        "Write to tom@example.com or Mary.",
        "...and then?",
        "He came - I left.",
        "2 + 2 = 4.",
        "1,000 cats.",
        "The word ends in 's'.",
        "She is here :)",
    ],
)
def test_what_no_convention_forbids_is_left_alone(conventions: Conventions, text: str) -> None:
    assert conventions.apply(text) == text


def test_in_upper_case_an_address_is_left_alone(conventions: Conventions) -> None:
    assert conventions.apply("ASK TOM@EXAMPLE.COM AND MARY") == "Ask TOM@EXAMPLE.COM and Mary."


def test_french_has_spaces_before_some_marks_and_none_after_an_apostrophe() -> None:
    nouns = ["eau", *(f"a{letter}i" for letter in ascii_lowercase)]
    learned = [f"Où est l'{noun} ?" for noun in nouns] + [f"C'est l'{noun} : « {noun} »." for noun in nouns]
    french = conventions_of(learned, "fr")
    assert [french.apply(sentence) for sentence in learned] == learned
    assert french.apply("où est l' eau") == "Où est l'eau ?"
    assert french.apply("Où est l'ami?") == "Où est l'ami ?"
    assert french.apply("c'est l’ami: «ami» .") == "C'est l'ami : « ami »."


def test_german_nouns_have_capitals_and_words_in_upper_case_their_own_letters() -> None:
    learned = [f"{name} weiß, dass der {noun} groß ist." for name in NAMES for noun in ("Hund", "Mann", "Weg", "Fuß")]
    german = conventions_of(learned, "de")
    assert german.apply("MARY WEISS, DASS DER FUSS GROSS IST") == "Mary weiß, dass der Fuß groß ist."
    assert german.apply("mary weiß , dass der fuß groß ist") == "Mary weiß, dass der Fuß groß ist."
    assert german.apply("mary weiss, dass der hund gross ist") == "Mary weiss, dass der Hund gross ist."


def test_turkish_has_a_dotted_and_a_dotless_i() -> None:
    learned = [f"İyi {word} ile Irmak geldi." for word in "abcdefghijklmnopqrstuvyz"]
    turkish = conventions_of(learned, "tr")
    assert turkish.apply("İYİ A İLE IRMAK GELDİ") == turkish.apply("iyi a ile ırmak geldi") == "İyi a ile Irmak geldi."


def test_chinese_has_no_spaces_and_its_own_marks() -> None:
    who = "我你他她它您咱谁"
    learned = [f"{name}喜欢{thing}，对不对？" for name in who for thing in ("猫的颜色", "狗的声音", "书")]
    learned += [f"{name}不喜欢{thing}。" for name in who for thing in ("猫的颜色", "狗的声音", "书", "茶", "水")]
    chinese = conventions_of(learned, "zh")
    assert [chinese.apply(sentence) for sentence in learned] == learned
    assert chinese.apply("我 喜欢 书 ， 对 不 对 ？") == "我喜欢书，对不对？"
    assert chinese.apply("我不喜欢水") == "我不喜欢水。"
    assert chinese.apply("我喜欢书，对不对") == "我喜欢书，对不对？"


def test_arabic_has_no_case_and_its_own_question_mark() -> None:
    learned = [f"هل أنت {n}؟" for n in range(30)] + [f"أنا {n} هنا." for n in range(40)]
    arabic = conventions_of(learned, "ar")
    assert arabic.apply("هل أنت هنا ؟") == "هل أنت هنا؟"
    assert arabic.apply("هل أنت هنا") == "هل أنت هنا؟"
    assert arabic.apply("أنا هنا") == "أنا هنا."


def test_a_corpus_in_lower_case_without_marks_is_read_in_lower_case_without_marks() -> None:
    plain = conventions_of([lower(sentence, "en").replace(",", "")[:-1] for sentence in english()[:90]], "en")
    assert plain.apply("SHE KISSED TOM") == "she kissed tom"
    assert plain.apply("She kissed Tom") == "She kissed Tom"  # neither convention is known to be better for a name
    assert plain.apply("she kissed tom") == "she kissed tom"


def test_two_first_words_tell_more_than_one_where_there_are_many_sentences() -> None:
    few = ["Have you seen it?", "He is here."] * 30
    found = conventions_of(few, "en", many=[*few * 9, *["Have a seat."] * 9])
    assert conventions_of(few, "en").apply("have a nice day") == "Have a nice day?"
    assert found.apply("have a nice day") == "Have a nice day."
    assert found.apply("have we met") == "Have we met?"


def test_a_question_without_its_first_mark_is_one() -> None:
    spanish = conventions_of(["¿Qué comes?", "¿Dónde vas?", "Estoy aquí."] * 20, "es")
    assert spanish.apply("qué compraste") == "Qué compraste?"
    assert spanish.apply("¿dónde estás") == "¿Dónde estás?"


@pytest.mark.parametrize("sentences", [[], ["Go."], ["Go.", "She kissed Tom."] * 9])
def test_too_few_sentences_have_no_conventions(sentences: Sequence[str]) -> None:
    few = conventions_of(sentences, "en")
    assert few.apply("she kissed him .") == "she kissed him ."
    assert few.apply("she kissed him") == "she kissed him"


@pytest.mark.parametrize(
    "overrides",
    [[], ["text.unit=bpe", "text.src.lowercase=false"], ["text.unit=character"]],
    ids=lambda keys: str(keys),
)
def test_the_codec_of_the_source_has_the_conventions_of_the_training_split(
    tmp_path: Path, overrides: Sequence[str]
) -> None:
    write_pairs(tmp_path / "eng.txt", english())
    write_pairs(tmp_path / "test.txt", [f"zoe {n} , x" for n in range(300)])  # another style, which is not learned
    folder = prepare(
        tmp_path / "eng.txt",
        test=[tmp_path / "test.txt"],
        languages="en-de",
        out=tmp_path / "prepared",
        overrides=overrides,
    ).out
    src, tgt = load_codecs(folder)
    assert src.conventions.apply("did tom see rome") == "Did Tom see Rome?"
    assert src.conventions.apply("TOM DOESN'T") == "Tom doesn't."
    assert tgt.conventions == Conventions()

    rows = [line.split("\t")[0] for line in (folder / "train.src.txt").read_text(encoding="utf-8").splitlines()]
    lengths = sorted(len(src.read(row).words) for row in rows)
    assert src.conventions.max_length == lengths[-1]
    assert src.conventions.longest in lengths[int(0.985 * len(lengths)) :]
    assert sum(length <= src.conventions.longest for length in lengths) >= 0.99 * len(lengths)


def test_given_codecs_keep_their_conventions(tmp_path: Path) -> None:
    write_pairs(tmp_path / "eng.txt", english())
    write_pairs(tmp_path / "other.txt", [f"zoe {n} , x" for n in range(300)])
    older = prepare(tmp_path / "eng.txt", languages="en-de", out=tmp_path / "older").out
    newer = prepare(tmp_path / "other.txt", languages="en-de", out=tmp_path / "newer", codec_from=older).out
    assert load_codecs(newer) == load_codecs(older)
