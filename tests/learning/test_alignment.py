"""Trained on the sample, the attention finds the words that the gold links name."""

from pathlib import Path

import pytest

from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.evaluation.attention_figures import read_gold_alignment
from seq2seq_cli.evaluation.evaluation_set import EvaluationSet, read_pair_lines, translate_set
from tests.learning.conftest import DATA
from tests.tiny import trained

pytestmark = pytest.mark.slow

SETTINGS = ["training.epochs=10", "training.batch_size=384", "training.device=cpu"]


@pytest.mark.parametrize(
    ("name", "lowest_entropy"),
    # A product of two states becomes sharp, 0.1; a tanh of their sum leaves the softmax wider: luong_concat_paper has
    # 0.29 to 0.37 by the seed and the precision.
    [
        *(("luong_general", 0.01), ("luong_dot", 0.05), ("luong_feed", 0.01)),
        ("luong_concat_paper", 0.2),
        ("rnnsearch", 0.3),
    ],
)
def test_words_look_at_the_words_that_they_translate(
    name: str, lowest_entropy: float, sample: PreparedCorpus, tmp_path: Path
) -> None:
    translator = trained(tmp_path / name, name, SETTINGS, sample)
    gold = read_gold_alignment(DATA / "sample.align", read_pair_lines([DATA / "sample.txt"]))
    output = translate_set(name, translator, EvaluationSet.of_split(sample, "test"), gold=gold)

    assert output.alignment is not None
    assert output.attention is not None
    assert output.alignment.pairs > 700
    assert output.alignment.error_rate < 0.15
    assert output.attention.words_on_marks < 0.05
    assert output.attention.entropy > lowest_entropy
