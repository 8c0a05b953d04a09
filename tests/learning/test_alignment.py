"""Trained on the sample, the attention finds the words that the gold links name."""

from pathlib import Path

import pytest

from seq2seq_cli.config.loader import load_config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.decoding.load import load_translator
from seq2seq_cli.evaluation.evaluation_set import EvaluationSet, read_pair_lines
from seq2seq_cli.evaluation.gold_alignment import read_gold_alignment
from seq2seq_cli.evaluation.outputs import translate_set
from seq2seq_cli.preparation.prepare import prepare
from seq2seq_cli.training.resolve import resolve_config
from seq2seq_cli.training.run import train_session
from tests.tiny import started

pytestmark = pytest.mark.slow

DATA = Path(__file__).parents[2] / "data"
SETTINGS = ["training.epochs=10", "training.batch_size=384", "training.device=cpu"]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> PreparedCorpus:
    out = tmp_path_factory.mktemp("sample") / "prepared"
    prepare(DATA / "sample.txt", out=out)
    return PreparedCorpus.open(out)


@pytest.mark.parametrize(
    ("name", "lowest_entropy"),
    # A product of two states becomes sharp; a tanh of their sum leaves the softmax wider.
    [
        ("luong_general", 0.01),
        ("luong_dot", 0.05),
        ("luong_feed", 0.01),
        ("luong_concat_paper", 0.3),
        ("rnnsearch", 0.3),
    ],
)
def test_words_look_at_the_words_that_they_translate(
    name: str, lowest_entropy: float, sample: PreparedCorpus, tmp_path: Path
) -> None:
    config = resolve_config(load_config(name, SETTINGS), sample)
    session = started(tmp_path / name, config, sample)
    for _ in train_session(session):
        pass
    gold = read_gold_alignment(DATA / "sample.align", read_pair_lines([DATA / "sample.txt"]))
    output = translate_set(name, load_translator(session.run), EvaluationSet.of_split(sample, "test"), gold=gold)

    assert output.alignment is not None
    assert output.attention is not None
    assert output.alignment.pairs > 700
    assert output.alignment.error_rate < 0.15
    assert output.attention.words_on_marks < 0.05
    assert output.attention.entropy > lowest_entropy
