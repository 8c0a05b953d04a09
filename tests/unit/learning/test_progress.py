"""What a training counts, and which of its scores are the best so far."""

import math

import pytest

from seq2seq_cli.config.choices import Metric
from seq2seq_cli.learning.state import Progress

NO_LOSS: dict[Metric, float] = {"loss": math.nan, "bleu": 1.0, "chrf": 20.0}
SOME_LOSS: dict[Metric, float] = {"loss": 9.0, "bleu": 1.0, "chrf": 20.0}


@pytest.mark.parametrize("metric", ["loss", "bleu"])
def test_a_loss_that_is_not_a_number_is_beaten_by_any(metric: Metric) -> None:
    assert Progress(best_scores=NO_LOSS).improves(SOME_LOSS, metric)
    assert not Progress(best_scores=SOME_LOSS).improves(NO_LOSS, metric)
