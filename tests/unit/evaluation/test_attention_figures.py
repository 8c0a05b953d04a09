"""Figures of attention weights, by hand, and on both routes that have weights: validation and forced decoding."""

from math import log
from pathlib import Path

import numpy as np
import pytest

from seq2seq_cli.decoding.load import translator_of
from seq2seq_cli.decoding.scoring import score_pairs
from seq2seq_cli.evaluation.attention_figures import END, MARK, WORD, AttentionFigures, attention_sums, token_kinds
from seq2seq_cli.evaluation.held_out import read_references
from tests.corpora import prepared
from tests.tiny import fresh_tiny, tiny_config


def test_the_figures_of_weights_by_hand() -> None:
    """Two words and a full stop of `a b . <eos>`, then a sentence of one word, padded."""
    weights = np.array(
        [
            [[0.5, 0.5, 0.0, 0.0], [0.0, 0.25, 0.5, 0.25], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]],
            [[0.2, 0.6, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]],
        ],
        dtype=np.float32,
    )
    kinds = np.array([[WORD, WORD, MARK, END], [WORD, END, END, END]])
    figures = AttentionFigures.of(attention_sums(weights, kinds, kinds))
    quarter = 0.25 * log(4) + 0.75 * log(4 / 3)  # 0.2 and 0.6 are 1 to 3
    assert figures is not None
    assert figures.entropy == pytest.approx((log(2) + (0.5 * log(4) + 0.5 * log(2)) + 0.0 + quarter) / 4, abs=1e-6)
    assert figures.words_on_marks == pytest.approx(2 / 3)


def test_a_word_without_any_weight_is_on_no_mark() -> None:
    """Of `¡ a <eos>`, one word attends to the first token, which is a mark, and one to nothing."""
    weights = np.array([[[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]], dtype=np.float32)
    figures = AttentionFigures.of(attention_sums(weights, np.array([[MARK, WORD, END]]), np.array([[WORD, WORD]])))
    assert figures is not None
    assert figures.words_on_marks == pytest.approx(1 / 2)


def test_weights_that_are_alike_have_the_largest_entropy_and_no_tokens_have_no_figures() -> None:
    kinds = np.full((1, 5), WORD)
    figures = AttentionFigures.of(attention_sums(np.full((1, 5, 5), 0.2, dtype=np.float32), kinds, kinds))
    assert figures is not None
    assert figures.entropy == pytest.approx(log(5), abs=1e-6)
    assert figures.words_on_marks == 0
    assert AttentionFigures.of(np.zeros(4)) is None


PAIRS = [(f"the word {'very ' * (i % 3)}{i}, here .", f"das Wort {i}{' da' * (i % 2)} !") for i in range(40)]


@pytest.mark.parametrize("unit", ["word", "bpe"])
def test_validation_and_forced_decoding_have_the_same_figures(tmp_path: Path, unit: str) -> None:
    corpus = prepared(tmp_path, PAIRS, ["data.valid_sources=8", "data.test_sources=4", f"text.unit={unit}"])
    config = tiny_config(corpus)
    model = fresh_tiny(corpus, config).model
    _, in_validation = read_references(model, corpus, "valid")

    translator = translator_of(model, corpus.codecs, config.decoding)
    src_kinds, tgt_kinds = map(token_kinds, corpus.codecs)
    sums = []
    for pair in score_pairs(translator, corpus.sentences("valid"), with_attention=True):
        src, tgt = ([*reading.ids, 3] for reading in (pair.src, pair.tgt))
        sums.append(attention_sums(pair.weights[np.newaxis], src_kinds[[src]], tgt_kinds[[tgt]]))
    forced = AttentionFigures.of(np.sum(sums, axis=0))

    assert in_validation is not None
    assert forced is not None
    assert vars(forced) == pytest.approx(vars(in_validation), abs=1e-5)
    assert 0 < forced.words_on_marks < 1


def test_a_model_without_attention_has_no_figures(tmp_path: Path) -> None:
    corpus = prepared(tmp_path, PAIRS, ["data.valid_sources=8", "data.test_sources=4"])
    config = tiny_config(corpus, "model.attention.score=none", "model.decoder.readout=state")
    loss, attention = read_references(fresh_tiny(corpus, config).model, corpus, "valid")
    assert loss > 0
    assert attention is None
