import pytest

from seq2seq_cli.training.report import duration


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0 s"), (41.7, "42 s"), (99.0, "99 s"), (150.0, "2.5 minutes")])
def test_a_duration_is_told_in_the_unit_that_reads_best(seconds: float, text: str) -> None:
    assert duration(seconds) == text
