"""The length penalty that is best on the validation split.

    python -m benchmarks.quality.penalties RUN... --data FOLDER

Each run translates the sentences of the validation split with each penalty; the table has their BLEU (sacreBLEU,
cased, one reference per pair). The best one of each run, to be recorded in its config, is marked.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks import parser_of
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.decoding.load import load
from seq2seq_cli.errors import S2SError
from seq2seq_cli.evaluation.scorer import bleu, corpus_score

PENALTIES = {
    "greedy": ("beam_size=1",),
    "none": ("length_penalty=none",),
    "average": ("length_penalty=average",),
    **{f"gnmt {a}": ("length_penalty=gnmt", f"length_penalty_alpha={a}") for a in (0.2, 0.4, 0.6, 0.8, 1.0, 1.2)},
}


def main() -> None:
    """Parse, translate, print."""
    parser = parser_of("quality.penalties", "Find the best length penalty on the validation split.")
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="run folders")
    parser.add_argument("--data", type=Path, default=Path("data/prepared"), metavar="FOLDER", help="prepared folder")
    parser.add_argument("--beam", type=int, default=5, metavar="N", help="beam size; default 5")
    parser.add_argument("--sentences", type=int, metavar="N", help="the first sentences of the split; default all")
    options = parser.parse_args()
    try:
        corpus = PreparedCorpus.open(options.data)
        pairs = corpus.sentences("valid")[: options.sentences]
        if not pairs:
            parser.error(f"{options.data}: its valid split is empty")
        for run in options.runs:
            found = scores(run, pairs, corpus.manifest.text.tgt.language, options.beam)
            print("\n".join(lines(run, found)), flush=True)
    except S2SError as error:
        sys.exit(f"benchmarks.quality.penalties: {error}")


def scores(run: Path, pairs: Sequence[tuple[str, str]], language: str, beam: int) -> dict[str, float]:
    """BLEU of a run with each penalty, by its name; greedy search beside them."""
    found = {}
    for name, keys in PENALTIES.items():
        overrides = [f"decoding.{key}" for key in (f"beam_size={beam}", *keys)]
        translations = load(run, overrides=overrides).uncorrected.translate(source for source, _ in pairs)
        outputs, references = [t.text for t in translations], [reference for _, reference in pairs]
        found[name] = corpus_score(bleu(language), outputs, references).value
    return found


def lines(run: Path, found: dict[str, float]) -> Iterator[str]:
    """The table of a run; the best penalty has a star."""
    best = max((name for name in found if name != "greedy"), key=found.__getitem__)
    yield f"{run.name}"
    for name, value in found.items():
        yield f"  {name:<10}{value:6.2f}{' *' if name == best else ''}"


if __name__ == "__main__":
    main()
