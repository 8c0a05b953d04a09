"""The compared trainings: their configs, their turns and their ratios."""

from benchmarks.models import DECODERS
from benchmarks.speed.training import JOEYNMT, LOOP, compare
from benchmarks.speed.training_round import Round


def one_round(rate: float) -> Round:
    return Round(rate=rate, peak=700.0, peak_halfway=600.0, precision="fp32")


def test_our_speeds_are_divided_by_those_of_each_measured_peer() -> None:
    speeds = dict(zip((*DECODERS, LOOP), (1500.0, 900.0, 600.0, 10.0), strict=True))
    figures = {figure.name: figure for figure in compare({name: [one_round(rate)] for name, rate in speeds.items()})}
    ratios = {name: figure.median for name, figure in figures.items() if "over" in name}
    assert ratios == {f"  {name} over {LOOP}": times for name, times in zip(DECODERS, (150.0, 90.0, 60.0), strict=True)}
    verdicts = [figure.goal.met_by(figure.median) for figure in figures.values() if figure.goal]
    assert verdicts == [True, True, False]

    both = compare({name: [one_round(rate)] for name, rate in {**speeds, JOEYNMT: 100.0}.items()})
    assert [figure.median for figure in both if f"over {JOEYNMT}" in figure.name] == [15.0, 9.0, 6.0]
