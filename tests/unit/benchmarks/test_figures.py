"""Measured values, their ratios and their table."""

from benchmarks.figures import Figure, Goal, ratio, table


def test_the_table_shows_median_range_and_goal() -> None:
    figures = [
        Figure(name="s2s prepare", unit="s", values=[3.0, 1.234, 1.5], goal=Goal(value=1.5, at_most=True)),
        Figure(name="ratio", unit="times", values=[1234.4], goal=Goal(value=1235.0)),
        Figure(name="other", unit="MB", values=[2.0]),
    ]
    assert list(table(figures)) == [
        "               median    lowest   highest  unit",
        "s2s prepare       1.5      1.23         3  s (goal <= 1.5: met)",
        "ratio           1,234                      times (goal >= 1,235: missed)",
        "other               2                      MB",
    ]


def test_a_ratio_is_that_of_the_medians() -> None:
    ours = Figure(name="ours", unit="tokens/s", values=[900.0, 1.0, 800.0])
    theirs = Figure(name="theirs", unit="tokens/s", values=[100.0, 90.0])
    times = ratio("ours over theirs", ours, theirs)
    assert times.median == 800.0 / 95.0
