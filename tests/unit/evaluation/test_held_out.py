"""The scores of a split."""

from pathlib import Path

import pytest

from seq2seq_cli.decoding.load import translator_of
from seq2seq_cli.evaluation.held_out import score_split
from seq2seq_cli.evaluation.scorer import bleu, corpus_score
from tests.corpora import prepared
from tests.tiny import fresh_tiny, tiny_config

PAIRS = [(f"word {i} .", f"Wort {i} .") for i in range(60)]


@pytest.mark.parametrize("lowercase", [False, True])
def test_a_model_of_lower_case_is_scored_against_lower_cased_references_as_well(
    tmp_path: Path, lowercase: bool
) -> None:
    held_out = ["data.valid_sources=10", "data.test_sources=10"]
    corpus = prepared(tmp_path, PAIRS, [*held_out, f"text.tgt.lowercase={'true' if lowercase else 'false'}"])
    config = tiny_config(corpus)
    model = fresh_tiny(corpus, config).model
    translator = translator_of(model, corpus.codecs, config.decoding)

    scores = score_split(model, translator, corpus, "test")

    assert "case:mixed" in scores.bleu.signature
    assert (scores.lowercase_bleu is not None) == lowercase
    if scores.lowercase_bleu:
        pairs = corpus.sentences("test")
        hypotheses = [translation.text for translation in translator.translate([src for src, _ in pairs])]
        expected = corpus_score(bleu(), [text.lower() for text in hypotheses], [tgt.lower() for _, tgt in pairs])
        assert scores.lowercase_bleu.value == pytest.approx(expected.value)
        assert "case:lc" in scores.recorded()["signatures"]["lowercase_bleu"]
