"""Translate the test split in other dresses, print what runs keep of it.

    python -m benchmarks.robustness RUN... --data FOLDER [--pairs FILE] [--json FILE] [--set decoding.KEY=VALUE]

Each distinct source counts once, with the first of its references to which the dress applies. A RUN that ends with .json is a file that --json wrote: the
figures of runs that were measured before. Each run is compared with the first one on the sources of 12 words and more,
by paired tests.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.robustness.dresses import LONG, Dressed, Pair
from benchmarks.robustness.figures import Figures, Translations, dressed_pairs, measure, table
from benchmarks.robustness.names import RARE_NAMES, known_names, unseen_names
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.decoding.load import load
from seq2seq_cli.errors import S2SError
from seq2seq_cli.evaluation.scorer import Scorer, bleu
from seq2seq_cli.evaluation.significance import difference
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
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.robustness", description="Measure what runs keep of text in other dresses."
    )
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="run folders, or files that --json wrote")
    parser.add_argument("--data", type=Path, default=Path("data/prepared"), metavar="FOLDER", help="prepared folder")
    parser.add_argument("--split", choices=("test", "valid"), default="test", help="split; default test")
    parser.add_argument(
        "--pairs",
        type=Path,
        metavar="FILE",
        help="two columns, in place of the split; of long sources and numbers, both",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures of all runs")
    parser.add_argument("--set", action="append", default=[], metavar="decoding.KEY=VALUE", help="override")
    options = parser.parse_args()
    try:
        dresses, language = dressed_split(options.data, options.split, options.pairs)
        long = {each.source: each.reference for each in dresses.get(LONG, [])}
        found: list[Measured] = []
        for run in options.runs:
            for measured in _measured(run, dresses, language, options.set):
                found.append(measured)
                print(
                    "\n".join(
                        [measured.run, "", *table(measured.figures), *_compared(measured, found[0], long, language), ""]
                    ),
                    flush=True,
                )
    except S2SError as error:
        sys.exit(f"benchmarks.robustness: {error}")
    if options.json:
        write_json(options.json, [asdict(measured) for measured in found])


def dressed_split(data: Path, split: str, file: Path | None = None) -> tuple[dict[str, list[Dressed]], str]:
    """The dressed pairs of a prepared folder's split or of a file, and the language of their targets."""
    corpus = PreparedCorpus.open(data)
    of_split = corpus.sentences(split)
    pairs = _read(file) if file else of_split
    training = list(corpus.sentences("train"))
    rare = unseen_names(RARE_NAMES, (text for pair in training for text in pair))
    known = known_names(training)
    print(f"{len(rare)} rare names in place of {', '.join(known) or 'none'}", file=sys.stderr)
    return dressed_pairs(pairs, of_split, known, rare), corpus.config.text.tgt.language


def _read(file: Path) -> list[Pair]:
    rows = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines()]
    return [(row[0], row[1]) for row in rows if len(row) > 1]


def _measured(
    run: Path, dresses: dict[str, list[Dressed]], language: str, overrides: Sequence[str]
) -> Iterator[Measured]:
    if run.suffix == ".json":
        yield from map(Measured.of_json, json.loads(run.read_text(encoding="utf-8")))
        return
    translations = Translations(load(run, overrides=overrides).translate)
    figures = {name: measure(several, translations, language) for name, several in dresses.items()}
    sources = [each.source for each in dresses.get(LONG, [])]
    yield Measured(run=str(run), figures=figures, long=dict(zip(sources, translations.of(sources), strict=True)))


def _compared(measured: Measured, first: Measured, references: dict[str, str], language: str) -> Iterator[str]:
    """The line with the difference in BLEU from the first run on long sources that both have translated."""
    sources = [source for source in references if source in measured.long and source in first.long]
    if measured is first or not sources:
        return
    expected = [[references[source]] for source in sources]
    new, old = (
        Scorer.of(bleu(language), [of_run.long[source] for source in sources], expected) for of_run in (measured, first)
    )
    found = difference(new, old)
    yield ""
    yield (
        f"{len(sources)} sources of {LONG}: {found.value:+.2f} BLEU more than {first.run}, 95 % range"
        f" {found.range.low:+.2f} to {found.range.high:+.2f}, p {found.p_bootstrap:.4f} (bootstrap), {found.p_randomisation:.4f} (randomisation)"
    )


if __name__ == "__main__":
    main()
