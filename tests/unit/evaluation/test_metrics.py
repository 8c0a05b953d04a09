"""BLEU against what its definition says."""

from math import exp

import pytest

from seq2seq_cli.evaluation.metrics import corpus_bleu


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
