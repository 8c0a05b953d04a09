"""Scores of given translations, summed."""

import pytest

from seq2seq_cli.decoding.translation import TotalScore


def test_the_score_of_several() -> None:
    total = TotalScore(log_probability=-2.0, length=3) + TotalScore() + TotalScore(log_probability=-4.0, length=1)
    assert (total.log_probability, total.length, total.score) == (-6.0, 4, -1.5)
    assert total.perplexity == pytest.approx(1 / total.confidence)
    assert (TotalScore().score, TotalScore().perplexity) == (0.0, 1.0)
    assert TotalScore(log_probability=-1e6, length=1).perplexity == float("inf")
