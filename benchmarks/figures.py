"""Measured values and the table that shows them."""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Goal:
    """What a figure is to reach: at least this much, or at most."""

    value: float
    at_most: bool = False

    def met_by(self, measured: float) -> bool:
        """Whether the measured value is on the right side of it."""
        return measured <= self.value if self.at_most else measured >= self.value

    def __str__(self) -> str:
        return f"{'<=' if self.at_most else '>='} {_number(self.value)}"


@dataclass(frozen=True, kw_only=True)
class Figure:
    """Something measured, more than once where chance plays a part."""

    name: str
    unit: str
    values: Sequence[float]
    goal: Goal | None = None

    @property
    def median(self) -> float:
        """The value to quote."""
        return statistics.median(self.values)


def ratio(name: str, over: Figure, under: Figure, goal: Goal | None = None) -> Figure:
    """How many times the second figure the first one is, by their medians."""
    return Figure(name=f"  {name}", unit="times", values=[over.median / under.median], goal=goal)


def table(figures: Sequence[Figure]) -> Iterator[str]:
    """A line a figure: the median, the range where there is one, and the goal where there is one."""
    width = max(len(figure.name) for figure in figures)
    yield f"{'':<{width}}{'median':>10}{'lowest':>10}{'highest':>10}  unit"
    for figure in figures:
        spread = (min(figure.values), max(figure.values)) if len(figure.values) > 1 else ()
        shown = [_number(value) for value in (figure.median, *spread)]
        columns = "".join(f"{number:>10}" for number in shown).ljust(30)
        yield f"{figure.name:<{width}}{columns}  {figure.unit}{_verdict(figure)}"


def _verdict(figure: Figure) -> str:
    if figure.goal is None:
        return ""
    return f" (goal {figure.goal}: {'met' if figure.goal.met_by(figure.median) else 'missed'})"


def _number(value: float) -> str:
    """Three digits, or all of a longer whole number."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
