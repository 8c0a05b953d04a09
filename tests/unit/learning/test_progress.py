"""What a training counts, and which of its scores are the best so far."""

import math

import pytest

from seq2seq_cli.config.choices import Metric
from seq2seq_cli.learning.training_state import Progress
from seq2seq_cli.runs.records import History
from tests import records

NO_LOSS: dict[Metric, float] = {"loss": math.nan, "bleu": 1.0, "chrf": 20.0}
SOME_LOSS: dict[Metric, float] = {"loss": 9.0, "bleu": 1.0, "chrf": 20.0}


@pytest.mark.parametrize("metric", ["loss", "bleu"])
def test_a_loss_that_is_not_a_number_is_beaten_by_any(metric: Metric) -> None:
    assert Progress(best_scores=NO_LOSS).improves(SOME_LOSS, metric)
    assert not Progress(best_scores=SOME_LOSS).improves(NO_LOSS, metric)


def test_the_loss_is_told_where_bleu_is_0_as_it_decides_then() -> None:
    scores: dict[Metric, float] = {"loss": math.inf, "bleu": 0.0, "chrf": 5.0}
    told: dict[Metric, str] = {"loss": "loss not finite", "bleu": "loss not finite", "chrf": "chrF 5.0"}
    for metric, words in told.items():
        assert Progress(best_scores=scores, best_epoch=2).best_in_words(metric) == f"epoch 2 with {words}"
        best, score = History([records.epoch(100, 2, loss=math.inf, bleu=0.0, chrf=5.0)]).best_score(metric)
        assert (best, score) == (("chrf", 5.0) if metric == "chrf" else ("loss", math.inf))
