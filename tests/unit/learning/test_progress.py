"""What a training counts, and which of its scores are the best so far."""

import math

import pytest

from seq2seq_cli.config.choices import METRIC_NAMES, Metric
from seq2seq_cli.learning.state import Progress
from seq2seq_cli.runs.records import History
from tests import records

NO_LOSS: dict[Metric, float] = {"loss": math.nan, "bleu": 1.0, "chrf": 20.0}
SOME_LOSS: dict[Metric, float] = {"loss": 9.0, "bleu": 1.0, "chrf": 20.0}


@pytest.mark.parametrize("metric", ["loss", "bleu"])
def test_a_loss_that_is_not_a_number_is_beaten_by_any(metric: Metric) -> None:
    assert Progress(best_scores=NO_LOSS).improves(SOME_LOSS, metric)
    assert not Progress(best_scores=SOME_LOSS).improves(NO_LOSS, metric)


@pytest.mark.parametrize("loss", [math.nan, math.inf])
def test_a_loss_that_is_not_finite_is_told_as_the_records_tell_it(loss: float) -> None:
    progress = Progress(best_scores={"loss": loss, "bleu": 0.0, "chrf": 5.0}, best_epoch=2)
    history = History([records.epoch(100, 2, loss=loss, bleu=0.0, chrf=5.0)])
    for metric in METRIC_NAMES:
        assert progress.best_in_words(metric) == history.best_in_words(metric)
    assert progress.best_in_words("loss") == "epoch 2 with loss not finite"
