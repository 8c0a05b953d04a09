"""The scores of a split."""

from pathlib import Path

import numpy as np
import pytest

from seq2seq_cli.corpus.batches import collate
from seq2seq_cli.corpus.splits import SplitName
from seq2seq_cli.decoding.load import translator_of
from seq2seq_cli.evaluation.held_out import read_pairs, score_split, watched_pairs
from seq2seq_cli.evaluation.scorer import bleu, corpus_score
from seq2seq_cli.learning.loss import batch_loss
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


@pytest.mark.parametrize(("valid", "split"), [(10, "valid"), (0, "train")])
def test_the_watched_pairs_are_those_of_the_corpus_and_fit_on_a_screen(
    tmp_path: Path, valid: int, split: SplitName
) -> None:
    long = [(f"{'very ' * 20}{word}", "lang") for word in ("long", "longer")]
    growing = [("a " * length + str(length), "b " * length) for length in range(1, 13)]
    corpus = prepared(tmp_path, [*PAIRS, *long, *growing], [f"data.valid_sources={valid}", "data.test_sources=5"])
    watched = watched_pairs(corpus)
    assert watched == watched_pairs(corpus)
    assert len(watched) == 4
    assert set(watched) <= set(corpus.sentences(split))
    lengths = [len(source.split()) for source, _ in watched]
    assert lengths == sorted(lengths)
    assert max(lengths) <= 14


@pytest.mark.parametrize("score", ["general", "none"])
def test_the_attention_to_a_pair_is_that_of_the_model_which_reads_it(tmp_path: Path, score: str) -> None:
    corpus = prepared(tmp_path, PAIRS, ["data.valid_sources=10", "data.test_sources=10"])
    readout = "state" if score == "none" else "attentional"
    config = tiny_config(corpus, f"model.attention.score={score}", f"model.decoder.readout={readout}")
    model = fresh_tiny(corpus, config).model.eval()
    found = read_pairs(translator_of(model, corpus.codecs, config.decoding), corpus.sentences("valid")[:3])
    if score == "none":
        assert found == []
        return
    assert len(found) == 3
    for row, pair in enumerate(found):
        batch = collate(corpus.split("valid"), np.array([row]))
        weights = batch_loss(model, batch, teacher_forcing=1.0).weights
        assert weights is not None
        np.testing.assert_allclose(np.array(pair["weights"]), weights[0].detach(), atol=6e-4)
        assert pair["src_tokens"] == [*corpus.codec("src").read(pair["source"]).parts, "<eos>"]
        assert pair["tgt_tokens"][-1] == "<eos>"


def test_a_model_that_diverged_has_a_record_of_numbers(tmp_path: Path) -> None:
    corpus = prepared(tmp_path, PAIRS, ["data.valid_sources=10", "data.test_sources=10"])
    config = tiny_config(corpus)
    model = fresh_tiny(corpus, config).model.eval()
    for parameter in model.parameters():
        parameter.data.fill_(np.nan)
    [pair] = read_pairs(translator_of(model, corpus.codecs, config.decoding), corpus.sentences("valid")[:1])
    assert {weight for row in pair["weights"] or [] for weight in row} == {0}
