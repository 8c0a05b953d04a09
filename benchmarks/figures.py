"""Measured values and the tables that show them."""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Goal:
    """The value that a figure is to reach: at least this, or at most."""

    value: float
    at_most: bool = False

    def met_by(self, measured: float) -> bool:
        """Whether the measured value reaches the goal."""
        return measured <= self.value if self.at_most else measured >= self.value

    def __str__(self) -> str:
        return f"{'<=' if self.at_most else '>='} {_number(self.value)}"


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A measured quantity, measured several times where it varies."""

    name: str
    unit: str
    values: Sequence[float]
    goal: Goal | None = None

    @property
    def median(self) -> float:
        """The value to quote."""
        return statistics.median(self.values)


def ratio(name: str, over: Figure, under: Figure, goal: Goal | None = None) -> Figure:
    """The ratio of the medians of two figures."""
    return Figure(name=f"  {name}", unit="times", values=[over.median / under.median], goal=goal)


def table(figures: Sequence[Figure]) -> Iterator[str]:
    """The lines of the table: per figure its median, and its range and goal where it has them."""
    width = max(len(figure.name) for figure in figures)
    yield f"{'':<{width}}{'median':>10}{'lowest':>10}{'highest':>10}  unit"
    for figure in figures:
        spread = (min(figure.values), max(figure.values)) if len(figure.values) > 1 else ()
        shown = [_number(value) for value in (figure.median, *spread)]
        columns = "".join(f"{number:>10}" for number in shown).ljust(30)
        yield f"{figure.name:<{width}}{columns}  {figure.unit}{_verdict(figure)}"


def markdown_table(titles: Sequence[str], rows: Sequence[Sequence[str]], *, texts: int = 1) -> list[str]:
    """The lines of a table of a Markdown page: the first columns, `texts`, to the left, the numbers to the right."""
    rule = ["---"] * texts + ["--:"] * (len(titles) - texts)
    return [f"| {' | '.join(cells)} |" for cells in (titles, rule, *rows)]


def with_spread(values: Sequence[float | None], form: str = ".1f") -> str:
    """Mean and standard deviation over several runs; the mean alone of one."""
    known = [value for value in values if value is not None]
    spread = f" ± {statistics.stdev(known):{form.lstrip('+')}}" if len(known) > 1 else ""
    return f"{shown_mean(known, form)}{spread}"


def shown_mean(values: Sequence[float | None], form: str = ".1f") -> str:
    """The mean of the values that are known; empty where none is."""
    known = [value for value in values if value is not None]
    return format(statistics.mean(known), form) if known else ""


def _verdict(figure: Figure) -> str:
    if figure.goal is None:
        return ""
    return f" (goal {figure.goal}: {'met' if figure.goal.met_by(figure.median) else 'missed'})"


def _number(value: float) -> str:
    """Three digits; a number from 100 as a whole number."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
