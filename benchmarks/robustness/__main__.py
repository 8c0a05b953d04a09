"""Translate the test split in other dresses, print what runs keep of it.

    python -m benchmarks.robustness RUN... --data FOLDER [--pairs FILE] [--json FILE] [--set decoding.KEY=VALUE]

Each distinct source counts once, with the first of its references to which the dress applies. A RUN that ends with
.json is a file that --json wrote: the figures of runs that were measured before. Each run is compared with the first
one on the sources of 12 words and more, by paired tests.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from benchmarks import parser_of
from benchmarks.robustness.dresses import LONG, Dressed
from benchmarks.robustness.figures import Figures, table
from benchmarks.robustness.measure import Translations, dressed_split, measure
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.decoding.load import load
from seq2seq_cli.errors import S2SError
from seq2seq_cli.evaluation.scorer import Scorer, bleu, difference
from seq2seq_cli.files.writing import write_json


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The figures of a run, and its translations of the long sources."""

    run: str
    figures: dict[str, Figures]
    long: dict[str, str]

    @classmethod
    def of_json(cls, values: dict[str, Any]) -> "Measured":
        """What --json wrote for one run."""
        return cls(**values | {"figures": {name: Figures(**of_dress) for name, of_dress in values["figures"].items()}})


def main() -> None:
    """Parse, translate, print."""
    options = _parse()
    found: list[Measured] = []
    try:
        corpus = PreparedCorpus.open(options.data)
        language = corpus.manifest.text.tgt.language
        dresses = dressed_split(corpus, options.split, options.pairs)
        for measured in chain.from_iterable(_measured(run, dresses, language, options.set) for run in options.runs):
            found.append(measured)
            of_run = table({name: [figures] for name, figures in measured.figures.items()})
            lines = [measured.run, "", *of_run, *_compared(measured, found[0], dresses, language), ""]
            print("\n".join(lines), flush=True)
    except (S2SError, OSError) as error:
        sys.exit(f"benchmarks.robustness: {error}")
    if options.json:
        write_json(options.json, [asdict(measured) for measured in found])


def _parse() -> argparse.Namespace:
    parser = parser_of("robustness", "Measure what runs keep of text in other dresses.")
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="run folders, or files that --json wrote")
    parser.add_argument("--data", type=Path, default=Path("data/prepared"), metavar="FOLDER", help="prepared folder")
    parser.add_argument("--split", choices=("test", "valid"), default="test", help="split; default test")
    pairs = "two columns, in place of the split; the split is added for long sources and numbers"
    parser.add_argument("--pairs", type=Path, metavar="FILE", help=pairs)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures of all runs")
    parser.add_argument("--set", action="append", default=[], metavar="decoding.KEY=VALUE", help="override")
    return parser.parse_args()


def _measured(
    run: Path, dresses: Mapping[str, Sequence[Dressed]], language: str, overrides: Sequence[str]
) -> Iterator[Measured]:
    """The figures of a run folder, or those in a file."""
    if run.suffix == ".json":
        yield from map(Measured.of_json, json.loads(run.read_text(encoding="utf-8")))
        return
    translator = load(run, overrides=overrides).uncorrected  # as s2s evaluate
    translations = Translations(lambda texts: [found.text for found in translator.translate(texts)])
    figures = measure(dresses, translations, language)
    sources = [each.source for each in dresses.get(LONG, [])]
    yield Measured(run=str(run), figures=figures, long=dict(zip(sources, translations.of(sources), strict=True)))


def _compared(
    measured: Measured, first: Measured, dresses: Mapping[str, Sequence[Dressed]], language: str
) -> Iterator[str]:
    """The difference in BLEU from the first run, on the long sources that both have translated."""
    both = [each for each in dresses.get(LONG, []) if each.source in measured.long and each.source in first.long]
    if measured is first or not both:
        return
    outputs = [[of_run.long[each.source] for each in both] for of_run in (measured, first)]
    references = [[each.reference] for each in both]
    found = difference(*(Scorer.of(bleu(language), of_run, references) for of_run in outputs))
    yield ""
    yield (
        f"{LONG}, {len(both)} sources, less {first.run}: {found.value:+.2f} BLEU, 95 % range {found.range.low:+.2f}"
        f" to {found.range.high:+.2f}, p {found.p:.4f}"
    )


if __name__ == "__main__":
    main()
