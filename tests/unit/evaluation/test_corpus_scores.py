"""BLEU and chrF against their definitions."""

from math import exp

import pytest

from seq2seq_cli.evaluation.scorer import corpus_bleu, corpus_chrf


def test_bleu_of_the_same_sentences_is_100() -> None:
    sentences = ["Sie hat ihn geküsst.", "Wir gehen heute ins Kino."]
    score = corpus_bleu(sentences, sentences)
    assert score.name == "BLEU"
    assert score.value == pytest.approx(100)


def test_bleu_is_the_brevity_penalty_when_every_n_gram_matches() -> None:
    # 5 of 6 tokens: the full stop is a token of its own under 13a; all n-grams match, so only brevity counts.
    assert corpus_bleu(["a b c d e"], ["a b c d e."]).value == pytest.approx(100 * exp(1 - 6 / 5))


def test_bleu_is_case_sensitive() -> None:
    assert corpus_bleu(["sie hat ihn geküsst."], ["Sie hat ihn geküsst."]).value < 100


def test_bleu_without_case_lower_cases_both_sides() -> None:
    score = corpus_bleu(["sie hat ihn geküsst."], ["Sie hat IHN geküsst."], lowercase=True)
    assert score.value == pytest.approx(100)
    assert "case:lc" in score.signature.split("|")


@pytest.mark.parametrize(
    ("language", "sentence", "wrong", "tokenisation"),
    [
        ("zh", "我喜欢吃苹果和香蕉。", "我喜欢吃苹果和西瓜。", "tok:zh"),
        ("ja", "彼女は彼にキスした。", "彼女は彼をキスした。", "tok:char"),
        ("th", "เธอจูบเขาแล้วเมื่อวาน", "เธอจูบเขาแล้วเมื่อเช้า", "tok:char"),
        ("de", "Sie hat ihn gestern geküsst.", "Sie hat ihn heute geküsst.", "tok:13a"),
    ],
)
def test_bleu_finds_the_words_of_the_language(language: str, sentence: str, wrong: str, tokenisation: str) -> None:
    score = corpus_bleu([sentence], [sentence], language=language)
    assert score.value == pytest.approx(100)
    assert tokenisation in score.signature.split("|")
    assert 0 < corpus_bleu([wrong], [sentence], language=language).value < 100


def test_the_signature_of_bleu_has_its_settings() -> None:
    signature = corpus_bleu(["Ja."], ["Ja."]).signature
    assert {"nrefs:1", "case:mixed", "tok:13a", "smooth:exp"} <= set(signature.split("|"))


def test_bleu_of_empty_translations_is_0() -> None:
    assert corpus_bleu(["", ""], ["Ja.", "Nein."]).value == 0


def test_bleu_of_no_sentences_is_an_error() -> None:
    with pytest.raises(ValueError, match="0 hypotheses"):
        corpus_bleu([], [])


def test_a_missing_reference_is_an_error() -> None:
    with pytest.raises(ValueError, match="2 hypotheses for the references of 1 sentences"):
        corpus_bleu(["Ja.", "Nein."], ["Ja."])


def test_chrf_of_the_same_sentences_is_100_and_without_common_characters_0() -> None:
    assert corpus_chrf(["Sie hat ihn geküsst."], ["Sie hat ihn geküsst."]).value == pytest.approx(100)
    assert corpus_chrf(["xyz"], ["abc"]).value == 0


def test_chrf_is_the_f_score_of_character_n_grams_in_which_recall_counts_twice() -> None:
    # "abcd" against "abcdef", without spaces. All n-grams of the hypothesis are in the reference: precision 1. Of the
    # reference's 6, 5, 4, 3 n-grams of length 1 to 4, the hypothesis has 4, 3, 2, 1; of length 5 it has none to count.
    recall = (4 / 6 + 3 / 5 + 2 / 4 + 1 / 3) / 4
    f_2 = (1 + 2**2) * recall / (2**2 * 1 + recall)
    score = corpus_chrf(["ab cd"], ["abcdef"])
    assert score.value == pytest.approx(100 * f_2)
    assert score.name == "chrF2"


def test_the_signature_of_chrf_has_its_settings() -> None:
    assert {"nrefs:1", "case:mixed", "nc:6", "nw:0", "space:no"} <= set(
        corpus_chrf(["Ja."], ["Ja."]).signature.split("|")
    )


def test_chrf_needs_one_reference_per_sentence_and_at_least_one_sentence() -> None:
    with pytest.raises(ValueError, match="0 hypotheses"):
        corpus_chrf([], [])
    with pytest.raises(ValueError, match="1 hypotheses for the references of 2 sentences"):
        corpus_chrf(["Ja."], ["Ja.", "Nein."])
