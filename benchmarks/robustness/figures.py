"""The figures of a translator on dressed pairs, and their table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from benchmarks.figures import markdown_table, shown_mean

_TITLES = ["dress", "pairs", "BLEU", "chrF2", "split by hand", "lost, %"]
_TITLES += ["names", "kept, %", "numbers", "kept, %", "added", "consistency"]


@dataclass(frozen=True, kw_only=True)
class Figures:
    """The figures of a translator on one dress; None where there is nothing to count."""

    pairs: int
    bleu: float
    """Of references dressed alike, as is chrF2."""
    chrf: float
    by_hand: float | None = None
    """BLEU of the same lines, where each sentence is translated by itself."""
    lost: float | None = None
    """Per cent of the joined lines whose translation has less than 60 % of the words of their sentences' ones."""
    names: int
    """Names in source and reference, letter by letter."""
    names_kept: float | None
    """Per cent of them that the translation has, with an ending of up to three letters or without."""
    numbers: int
    """Numbers in digits that source and reference have; 12.50 and 12,50 are the same two, 5,500 and 5500 one."""
    numbers_kept: float | None
    """Per cent of them that the translation has."""
    added: int
    """Numbers in digits that neither source nor reference has, or not so often."""
    consistency: float | None = None
    """BLEU between the translation of the dressed source and the dressed translation of the plain source."""


def table(figures: Mapping[str, Sequence[Figures]]) -> list[str]:
    """The lines of a table in Markdown: a row for each dress, the means of the figures of one or more translators."""
    rows = [_TITLES, *([name, *_cells(several)] for name, several in figures.items())]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    padded = [[row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])] for row in rows]
    return markdown_table(padded[0], padded[1:])


def _cells(several: Sequence[Figures]) -> list[str]:
    columns = [[getattr(each, field.name) for each in several] for field in fields(Figures)]
    return [shown_mean(values, ",.1f").removesuffix(".0" if isinstance(values[0], int) else "") for values in columns]
