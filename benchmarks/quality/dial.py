"""The curve of the BLEU that ``s2s train --minutes`` expects, fitted to what trainings by the dial have brought.

    make results PAIRS=deu.txt RESULTS="dial:1.5 dial:6 dial:30"
    python -m benchmarks.quality.dial --pairs deu

    BLEU = (c - b (tokens / 1,000,000)^-t) / (1 + a (pairs / 10,000)^-p)

where tokens are those that ``quick`` could read in the time. It is fitted to everyday sentences:
the results without settings whose pair file has a name that begins as --pairs says.
"""

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.figures import markdown_table
from benchmarks.results.table import Result, read_results

EXPONENTS = np.arange(0.1, 1.3, 0.05).tolist()
FACTORS = np.arange(0.1, 2.0, 0.05).tolist()


@dataclass(frozen=True, kw_only=True)
class Curve:
    """The expected BLEU of pairs and tokens: c, and b and a with their exponents."""

    ceiling: float
    of_tokens: tuple[float, float]
    of_pairs: tuple[float, float]

    def bleu(self, *, pairs: float, tokens: float) -> float:
        """The BLEU to expect."""
        (b, t), (a, p) = self.of_tokens, self.of_pairs
        return (self.ceiling - b * math.pow(tokens / 1e6, -t)) / (1 + a * math.pow(pairs / 1e4, -p))


def fit(pairs: Sequence[float], tokens: Sequence[float], bleu: Sequence[float]) -> Curve:
    """The curve with the least squares: t, a and p from a grid, c and b by linear algebra."""

    def solved(t: float, a: float, p: float) -> tuple[float, Curve]:
        share = 1 / (1 + a * (np.array(pairs) / 1e4) ** -p)
        terms = np.stack([share, -share * (np.array(tokens) / 1e6) ** -t], axis=1)
        found, *_ = np.linalg.lstsq(terms, np.array(bleu), rcond=None)
        ceiling, b = found.tolist()
        error = float(np.sum((terms @ found - bleu) ** 2))
        return error, Curve(ceiling=ceiling, of_tokens=(b, t), of_pairs=(a, p))

    grid = product(EXPONENTS, FACTORS, EXPONENTS)
    return min((solved(*place) for place in grid), key=lambda found: found[0])[1]


def main() -> None:
    """Parse, fit, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality.dial", description="Fit what minutes bring.")
    parser.add_argument("--pairs", default="deu", metavar="NAME", help="begin of the pair files' names; default deu")
    parser.add_argument("--results", type=Path, default=Path("docs/results"), metavar="DIR", help="folder of results")
    options = parser.parse_args()
    found = read_results(options.results)
    results = [result for result in found if result.tokens_per_second and result.members == 1]
    for line in lines(results, options.pairs):
        print(line)


def tokens(result: Result) -> float:
    """Target tokens that ``quick`` could read in the minutes of the training."""
    return 60 * float(result.system.partition(":")[2]) * (result.tokens_per_second or 0.0)


def lines(results: Sequence[Result], everyday: str) -> Iterator[str]:
    """The curve, and a row for each training; those of other pairs, or with settings, are not fitted."""
    fitted = [result for result in results if result.pairs.startswith(everyday) and not result.settings]
    if not fitted:
        sys.exit(f"benchmarks.quality.dial: no result of dial:MINUTES on pairs named {everyday}...: see make results")
    counts = [result.training_pairs for result in fitted]
    curve = fit(counts, [*map(tokens, fitted)], [result.bleu.value for result in fitted])
    yield f"{curve}"
    rows = []
    for result in results:
        expected = curve.bleu(pairs=result.training_pairs, tokens=tokens(result))
        read = f"{tokens(result) / 1e6:.1f} million"
        error = f"{expected - result.bleu.value:+.1f}"
        rows.append([result.pairs, result.system, read, f"{result.bleu.value:.1f}", f"{expected:.1f}", error])
    yield from markdown_table(["pairs", "system", "tokens", "BLEU", "expected", "error"], rows, texts=2)


if __name__ == "__main__":
    main()
