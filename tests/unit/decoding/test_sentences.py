import re
from itertools import pairwise

import pytest

from seq2seq_cli.decoding.sentences import Passage, sentence_ends, split_passage
from seq2seq_cli.text.tokenizer import LONGEST_WORD


def taken_apart(text: str, *, language: str = "en", longest: int = 100) -> Passage:
    return split_passage(text, language, lambda part: len(re.findall(r"\w+|[^\w\s]", part)) <= longest)


def sentences(text: str, language: str = "en") -> list[str]:
    return [text[a:b].strip() for a, b in pairwise([0, *sentence_ends(text, language), len(text)])]


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", ["Come in!", "Who is it?", "It is Dr. Smith, i.e. J. R. Smith of St. Ives.", "He wants 3.5 pounds."]),
        ("en", ['He said: "Go!"', "(She went.)", "“Really?” he asked.", "Yes… no, not at No. 5 or vs. him."]),
        ("en", ["I can't.", "No, I won’t.", "It is Tom's.", "He is from 'St. Ives'."]),
        ("fr", ["C'est dans l'art. 5.", "Oui."]),
        ("fr", ["« Non ! », dit-elle.", "La réunion est à 15 h.", "Merci.", "Tél. 01 23 45."]),
        ("en", ["He was born in 1950.[1]", "He died in 2000.[2][a]", "She left.", "See [3]."]),
        ("en", ["Call Tel. +44 20 7946, ca. €5, No. #5, max. 10 people.", "Add 250 g.", "Stir.", "It is 5 m. 20 cm."]),
        ("en", ["The train leaves at 5 p.m.", "It stops.", "We met at 5 p.m. today.", "Yahoo! is old."]),
        ("en", ["So do I.", "Tom and I.", "We saw Elizabeth I. of England.", "I. Newton fell."]),
        ("en", ["he left.", "was it you?", "it was mr. smith, at no. 5, e.g. at 5 p.m. today."]),
        ("en", ["“really?” he asked.", "yes… no!", "it is."]),
        ("en", ["apples, etc. and pears at acme corp. he says.", "what!? he left?! so do i.", "he left."]),
        ("en", ["He works at Apple Inc.", "She works at Google.", "I live on the 5th floor."]),
        ("fr", ["Il y en a.", "C'est mon ex.", "Il est parti."]),
        ("de", ["Das ist der, den ich mag.", "Er heißt Max.", "5 Leute kamen."]),
        ("en", ["It is 3.5km.", "At 7.30pm.", "We met on Dec. 5.", "Hello!😀", "Bye 😀."]),
        ("de", ["Das ist eine CD.", "Die Bahnhofstr. 12 und Dr. med. Ott am 5. Jan. 2020.", "Er mag Str. nicht."]),
        ("fr", ["MM. Dupont et Durand, p. ex. le 5 janv. 2020.", "Oui."]),
        ("ru", ["Это я.", "Он т. е. она."]),
        ("de", ["Am 3. Mai kam Ludwig XIV. nach Bonn.", "Das ist z. B. so, bzw. war es ca. 1990.", "„Gut!“", "Ja."]),
        ("en", ["I am 25.", "She is 30."]),
        ("fr", ["M. Dupont est là.", "« Oui ! »", "Il viendra le 3 mai."]),
        ("es", ["¿Quién es?", "¡El Sr. López!", "Pase Ud. primero."]),
        ("ru", ["Он живёт на ул. Ленина.", "Кто это?", "Это т.е. он."]),
        ("el", ["Τι κάνεις;", "Είμαι καλά.", "Πού πας;", "Σπίτι."]),
        ("hi", ["वह आया।", "कौन है?"]),
        ("ar", ["من هذا؟", "هذا أبي."]),
        ("hy", ["Ով է նա։", "Նա իմ հայրն է։"]),
        ("km", ["ខ្ញុំទៅផ្ទះ។", "គាត់គេង។"]),
    ],
)
def test_sentences_end_where_they_end(language: str, expected: list[str]) -> None:
    assert sentences(" ".join(expected), language) == expected


def test_sentences_end_without_a_space_where_a_letter_in_upper_case_or_of_such_a_script_follows() -> None:
    assert sentences("Hi Tom!How are you?I am fine?no!x") == ["Hi Tom!", "How are you?", "I am fine?no!x"]
    assert sentences("すごい!本当?はい。", "ja") == ["すごい!", "本当?", "はい。"]
    assert sentences("我喜欢你。你呢？「很好！」他说。", "zh") == ["我喜欢你。", "你呢？", "「很好！」", "他说。"]


def test_lines_bullets_and_tabs_lie_between_pieces() -> None:
    text = "# A title\r\n\r\n  - one dog\n  - two dogs\n> 1. He said\tno\n\n\n"
    passage = taken_apart(text)
    assert [piece.text for piece in passage.pieces] == ["A title", "one dog", "two dogs", "He said", "no"]
    assert passage.join(["T", "1", "2", "S", "n"]) == "# T\r\n\r\n  - 1\n  - 2\n> 1. S\tn\n\n\n"


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("de", "3. Mai war ein Sonntag.", ["3. Mai war ein Sonntag."]),
        ("de", "> 3. Mai", ["3. Mai"]),
        ("de", "1. Eins\n2. Zwei", ["Eins", "Zwei"]),
        ("de", "1) Eins", ["Eins"]),
        ("en", "3. Wash your hands.", ["Wash your hands."]),
    ],
)
def test_a_number_before_a_line_is_an_ordinal_where_a_language_has_them(
    language: str, text: str, expected: list[str]
) -> None:
    assert [piece.text for piece in taken_apart(text, language=language).pieces] == expected


def test_what_cannot_be_translated_stays_as_it_is() -> None:
    untranslatable = "", "   ", "\t\n", "...", "😀 👍🏽", "<br>", "**", "{name} www.a.org"
    for text in (*untranslatable, "```\nx = 1\n```", "<script>a()</script>"):
        assert taken_apart(text).pieces == ()
        assert taken_apart(text).join([]) == text


def test_control_characters_are_left_out() -> None:
    passage = taken_apart("\0He\x1b[31m is\x07 in\ud800 <b\x00>\u202e")
    assert passage.text == "He[31m is in <b>"
    assert taken_apart("\0\0\0").join([]) == ""


@pytest.mark.parametrize(
    ("longest", "expected"),
    [
        (12, ["a b c, d e; f g, h i"]),
        (8, ["a b c, d e;", "f g, h i"]),
        (4, ["a b c,", "d e;", "f g, h i"]),
        (1, ["a", "b", "c,", "d", "e;", "f", "g,", "h", "i"]),
    ],
)
def test_a_sentence_that_is_too_long_is_cut_at_the_best_places(longest: int, expected: list[str]) -> None:
    passage = split_passage("a b c, d e; f g, h i", "en", lambda part: len(re.findall(r"\w", part)) <= longest)
    assert [piece.text for piece in passage.pieces] == expected
    assert passage.was_cut == (len(expected) > 1)


def test_characters_without_spaces_are_cut_anywhere_but_not_inside_of_one() -> None:
    text = "e\u0301" * 10
    passage = split_passage(text, "en", lambda part: len(part) <= 3)
    parts = [passage.text[piece.start : piece.end] for piece in passage.pieces]
    assert len(parts) > 5
    assert all(part.startswith("e") for part in parts)
    assert passage.was_cut


def test_a_word_that_no_language_has_is_kept_as_it_is() -> None:
    text = "x" * (LONGEST_WORD + 1)
    assert taken_apart(text).pieces == ()
    for around in ("See {} now", "<b>He</b>, <i>{}</i> now"):
        [piece] = taken_apart(around.format(text), longest=10).pieces
        assert [piece.text[start:end] for start, end in piece.kept] == [text]


@pytest.mark.parametrize(
    "unit",
    ["word ", "Word. ", "<b>a ", "</b>", '<a href="', "<!--", "`", "``a", "[a](", "&a", "a@", "a_", "**a", "((", "。"],
)
def test_very_long_texts_of_any_kind_are_taken_apart(unit: str) -> None:
    text = unit * (6000 // len(unit))
    passage = taken_apart(text, longest=50)
    assert passage.join([passage.text[piece.start : piece.end] for piece in passage.pieces]) == text
