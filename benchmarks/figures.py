"""Measured values and the table that shows them."""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Figure:
    """Something measured, more than once where chance plays a part."""

    name: str
    unit: str
    values: Sequence[float]

    @property
    def median(self) -> float:
        """The value to quote."""
        return statistics.median(self.values)


def table(figures: Sequence[Figure]) -> Iterator[str]:
    """A line a figure: the median, and the range where there is one."""
    width = max(len(figure.name) for figure in figures)
    yield f"{'':<{width}}{'median':>10}{'lowest':>10}{'highest':>10}  unit"
    for figure in figures:
        spread = (min(figure.values), max(figure.values)) if len(figure.values) > 1 else ()
        shown = [_number(value) for value in (figure.median, *spread)]
        columns = "".join(f"{number:>10}" for number in shown).ljust(30)
        yield f"{figure.name:<{width}}{columns}  {figure.unit}"


def _number(value: float) -> str:
    """Three digits, or all of a longer whole number."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
