"""BLEU and chrF against what their definitions say."""

from math import exp

import pytest

from seq2seq_cli.evaluation.corpus_scores import corpus_bleu, corpus_chrf


def test_the_same_sentences_score_100() -> None:
    sentences = ["Sie hat ihn geküsst.", "Wir gehen heute ins Kino."]
    score = corpus_bleu(sentences, sentences)
    assert score.name == "BLEU"
    assert score.value == pytest.approx(100)


def test_it_is_the_brevity_penalty_when_every_n_gram_is_right() -> None:
    # 5 of 6 tokens: the full stop is a token of its own under 13a; all n-grams match, so only brevity counts.
    assert corpus_bleu(["a b c d e"], ["a b c d e."]).value == pytest.approx(100 * exp(1 - 6 / 5))


def test_case_counts() -> None:
    assert corpus_bleu(["sie hat ihn geküsst."], ["Sie hat ihn geküsst."]).value < 100


def test_the_signature_says_how() -> None:
    signature = corpus_bleu(["Ja."], ["Ja."]).signature
    assert {"nrefs:1", "case:mixed", "tok:13a", "smooth:exp"} <= set(signature.split("|"))


def test_empty_translations_score_0() -> None:
    assert corpus_bleu(["", ""], ["Ja.", "Nein."]).value == 0


def test_nothing_to_compare_is_an_error() -> None:
    with pytest.raises(ValueError, match="no sentences"):
        corpus_bleu([], [])


def test_a_missing_reference_is_an_error() -> None:
    with pytest.raises(ValueError, match="2 hypotheses do not match 1 references"):
        corpus_bleu(["Ja.", "Nein."], ["Ja."])


def test_chrf_of_the_same_sentences_is_100_and_of_nothing_alike_0() -> None:
    assert corpus_chrf(["Sie hat ihn geküsst."], ["Sie hat ihn geküsst."]).value == pytest.approx(100)
    assert corpus_chrf(["xyz"], ["abc"]).value == 0


def test_chrf_is_the_f_score_of_character_n_grams_in_which_recall_counts_twice() -> None:
    # "abcd" against "abcdef" without spaces: all n-grams of the former are in the latter, precision 1; of the latter's
    # 6, 5, 4, 3 n-grams of length 1 to 4 the former has 4, 3, 2, 1. It has none of length 5, which is left out.
    recall = (4 / 6 + 3 / 5 + 2 / 4 + 1 / 3) / 4
    f_2 = (1 + 2**2) * recall / (2**2 * 1 + recall)
    score = corpus_chrf(["ab cd"], ["abcdef"])
    assert score.value == pytest.approx(100 * f_2)
    assert score.name == "chrF2"


def test_the_signature_of_chrf_says_how() -> None:
    assert {"nrefs:1", "case:mixed", "nc:6", "nw:0", "space:no"} <= set(
        corpus_chrf(["Ja."], ["Ja."]).signature.split("|")
    )


def test_chrf_needs_a_reference_for_each_of_some_sentences() -> None:
    with pytest.raises(ValueError, match="chrF2 of no sentences"):
        corpus_chrf([], [])
    with pytest.raises(ValueError, match="1 hypotheses do not match 2 references"):
        corpus_chrf(["Ja."], ["Ja.", "Nein."])
