"""What a translator makes of dressed pairs, in figures."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from random import Random

from benchmarks.figures import markdown_table
from benchmarks.robustness.dresses import DRESSES, FEW, TIMES, Dress, Dressed, Pair, joined, renaming
from seq2seq_cli.evaluation.corpus_scores import corpus_bleu, corpus_chrf
from seq2seq_cli.evaluation.languages import words_of

SEED = 1
LINES = 500
"""Joined lines of each number of pairs."""
_LOST = 0.6
"""Words of the translation of a joined line per word of those of its halves; with fewer, a sentence is lost."""
_DIGITS = re.compile(r"\d+")
_TITLES = [
    "dress",
    "pairs",
    "BLEU",
    "chrF2",
    "by hand",
    "lost, %",
    "names",
    "kept, %",
    "numbers",
    "kept, %",
    "invented",
]
_TITLES += ["consistency"]


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
    """Numbers in digits of source and reference, whatever their separators: 12.50 has two."""
    numbers_kept: float | None
    """Per cent of them that the translation has."""
    invented: int
    """Numbers in digits that neither source nor reference has."""
    consistency: float | None = None
    """BLEU between the translation of the dressed source and the dressed translation of the plain source."""


def dressed_pairs(
    pairs: Sequence[Pair], more: Sequence[Pair], known: Sequence[str], rare: Sequence[str]
) -> dict[str, list[Dressed]]:
    """The pairs in each dress, by its name, always the same; `more` are for the dresses to which few pairs are suited.

    Each source is there once, with the first of its references to which the dress applies.
    """
    renamed = {"rare names": renaming(known, rare)} if known else {}
    found = {}
    for name, dress in (DRESSES | renamed).items():
        random, chosen = _generator(), [*pairs, *more] if name in FEW else pairs
        found[name] = [each for _ in range(TIMES.get(name, 1)) for each in _dressed(chosen, dress, random)]
    for name, count in (("joined by two", 2), ("joined by three", 3)):
        found[name] = joined([(each.source, each.reference) for each in found["as is"]], count, LINES, _generator())
    return {name: several for name, several in found.items() if several}


def _dressed(pairs: Sequence[Pair], dress: Dress, random: Random) -> list[Dressed]:
    found: dict[str, Dressed] = {}
    for pair in pairs:
        if pair[0] not in found and (dressed := dress(pair, random)):
            found[pair[0]] = dressed
    return list(found.values())


def _generator() -> Random:
    return Random(SEED)  # noqa: S311  # always the same, and no secret


class Translations:
    """The translations of a translator, each made once."""

    def __init__(self, translate: Callable[[list[str]], list[str]]) -> None:
        self._translate = translate
        self._known: dict[str, str] = {}

    def of(self, sources: Iterable[str]) -> list[str]:
        """The translations of the sources."""
        sources = list(sources)
        new = [source for source in dict.fromkeys(sources) if source not in self._known]
        self._known.update(zip(new, self._translate(new), strict=True))
        return [self._known[source] for source in sources]


def measure(several: Sequence[Dressed], translations: Translations, language: str) -> Figures:
    """The figures of dressed pairs, one or more; `language` is that of the translations."""
    outputs, references = translations.of(each.source for each in several), [each.reference for each in several]
    parts = [translations.of(each.parts) for each in several]
    names = [has_name(output, name) for each, output in zip(several, outputs, strict=True) for name in each.names]
    counts = [count_numbers(each.source, each.reference, output) for each, output in zip(several, outputs, strict=True)]
    numbers, kept, invented = map(sum, zip(*counts, strict=True))
    figures = Figures(
        pairs=len(several),
        bleu=corpus_bleu(outputs, references, language=language).value,
        chrf=corpus_chrf(outputs, references).value,
        names=len(names),
        names_kept=_per_cent(sum(names), len(names)),
        numbers=numbers,
        numbers_kept=_per_cent(kept, numbers),
        invented=invented,
    )
    if len(several[0].parts) > 1:
        apart = [" ".join(texts) for texts in parts]
        words = [[len(words_of(text, language)) for text in texts] for texts in (outputs, apart)]
        return replace(
            figures,
            by_hand=corpus_bleu(apart, references, language=language).value,
            lost=_per_cent(sum(joined < _LOST * halves for joined, halves in zip(*words, strict=True)), len(several)),
        )
    if several[0].of_text:
        plain = [each.of_text(text) for each, [text] in zip(several, parts, strict=True) if each.of_text]
        return replace(figures, consistency=corpus_bleu(outputs, plain, language=language).value)
    return figures


def has_name(text: str, name: str) -> bool:
    """Whether a text has a name, whatever its case, with an ending of up to three letters or without."""
    return bool(re.search(rf"(?<!\w){re.escape(name.casefold())}\w{{0,3}}(?!\w)", text.casefold()))


def count_numbers(source: str, reference: str, output: str) -> tuple[int, int, int]:
    """The numbers that source and reference have, those of them that the output has, and those that it alone has."""
    given, expected, found = (Counter(_DIGITS.findall(text)) for text in (source, reference, output))
    return (given & expected).total(), (given & expected & found).total(), (found - (given | expected)).total()


def _per_cent(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None


def table(figures: Mapping[str, Figures]) -> list[str]:
    """The lines of a table in Markdown, a row for each dress; columns have the width of their widest cell."""
    rows = [_TITLES, *([name, *map(_shown, astuple(of_dress))] for name, of_dress in figures.items())]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    aligned = [
        [f"{cell:<{widths[0]}}" if not at else f"{cell:>{widths[at]}}" for at, cell in enumerate(row)] for row in rows
    ]
    return markdown_table(aligned[0], aligned[1:])


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:.1f}"
