"""What an output layer in int8 brings, and what it changes.

    python -m benchmarks.quality.precision RUN... --data FOLDER

Each run translates the different sources of the test and validation splits with both values of `decoding.precision`,
in turn, in one thread. The table has the sentences per second (medians of three rounds), BLEU (sacreBLEU, cased, the
first reference of each source), and the sentences that are translated otherwise than in fp32.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks import parser_of
from seq2seq_cli.config.choices import DecodingPrecision
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.decoding.load import load
from seq2seq_cli.errors import S2SError
from seq2seq_cli.evaluation.scorer import bleu, corpus_score

ROUNDS = 3


class Translated(NamedTuple):
    """The translations of a split with one precision."""

    outputs: list[str]
    seconds: list[float]
    """Of each round."""


def main() -> None:
    """Parse, translate, print."""
    parser = parser_of("quality.precision", "Compare translations with an output layer in int8 and in fp32.")
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="run folders")
    parser.add_argument("--data", type=Path, default=Path("data/prepared"), metavar="FOLDER", help="prepared folder")
    parser.add_argument("--beam", type=int, default=5, metavar="N", help="beam size; default 5")
    parser.add_argument("--pairs", type=int, default=0, metavar="N", help="similar pairs; default 0")
    options = parser.parse_args()
    overrides = [f"decoding.beam_size={options.beam}", f"decoding.similar_pairs={options.pairs}"]
    try:
        corpus = PreparedCorpus.open(options.data)
        for run in options.runs:
            for split in ("test", "valid"):
                pairs = dict(reversed(corpus.sentences(split)))  # the first reference of a source is the last set
                found = translated(run, list(pairs), overrides)
                print("\n".join(lines(f"{run}, {split}", found, list(pairs.values()), corpus)), flush=True)
    except S2SError as error:
        sys.exit(f"benchmarks.quality.precision: {error}")


def translated(run: Path, sources: Sequence[str], overrides: Sequence[str]) -> dict[DecodingPrecision, Translated]:
    """The translations with each precision, fp32 first."""
    precisions: tuple[DecodingPrecision, ...] = ("fp32", "auto")
    translators = {
        precision: load(run, overrides=[*overrides, f"decoding.precision={precision}"], threads=1).uncorrected
        for precision in precisions
    }
    found = {precision: Translated([], []) for precision in precisions}
    for _ in range(ROUNDS):
        for precision, translator in translators.items():
            start = time.perf_counter()
            found[precision].outputs[:] = [translation.text for translation in translator.translate(sources)]
            found[precision].seconds.append(time.perf_counter() - start)
    return found


def lines(
    title: str, found: dict[DecodingPrecision, Translated], references: Sequence[str], corpus: PreparedCorpus
) -> Iterator[str]:
    """The table of a run and a split."""
    yield f"{title}: {len(references):,} sources"
    yield "precision  sentences/s    BLEU  changed"
    metric = bleu(corpus.manifest.text.tgt.language)
    for precision, (outputs, seconds) in found.items():
        changed = sum(map(str.__ne__, outputs, found["fp32"].outputs))
        score = corpus_score(metric, outputs, references).value
        yield f"{precision:<9} {len(outputs) / median(seconds):>12,.0f} {score:>7.3f} {changed:>8,}"


if __name__ == "__main__":
    main()
