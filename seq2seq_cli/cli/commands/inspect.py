"""``s2s inspect``: check a prepared folder, and show its content."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.cells import cell_len

from seq2seq_cli.cli.parsing import option
from seq2seq_cli.corpus import inspection
from seq2seq_cli.corpus.manifest import DEFAULT_FOLDER
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import HELD_OUT, SPLITS, SplitName
from seq2seq_cli.counts import counted
from seq2seq_cli.errors import S2SError, one_line
from seq2seq_cli.text.sides import SIDES

_UNITS = {"word": "tokens", "bpe": "subwords", "character": "characters"}
_QUANTILES = {"half at most": 0.5, "95 % at most": 0.95, "99 % at most": 0.99, "all at most": 1.0}
_MOST_UNKNOWN = 15
_EXAMPLES = 10


def inspect(
    prepared: Annotated[Path, typer.Argument(metavar="PREPARED", help="A prepared folder.")] = DEFAULT_FOLDER,
    seed: Annotated[int, option("N", "The seed that draws the pairs to show.", min=0)] = 1,
) -> None:
    """Check a prepared folder, and show its content.

    Every file is read. Leaks, references, lengths and unknown words are counted from the texts and ids, not taken from
    the manifest. Exits with 1 when a sentence leaks, with 2 when a file is damaged.
    """
    corpus = PreparedCorpus.open(prepared)
    corpus.verify()
    leaks = inspection.count_leaks(corpus)
    are_given = {file.part for file in corpus.manifest.pair_files}.issuperset(HELD_OUT)
    figures = _splits(corpus), _leakage(leaks, are_given), _lengths(corpus), _unknown(corpus)
    for part in (_head(corpus), *figures, _examples(corpus, seed)):
        sys.stdout.writelines(line.rstrip() + "\n" for line in chain(part, [""]))
        sys.stdout.flush()  # a part may take a while
    if leaked := sum(sum(both) for splits, both in leaks.items() if not (are_given and splits == HELD_OUT[::-1])):
        raise S2SError(f"{corpus.path}: {counted(leaked, 'held-out sentence')} in another split: prepare again")


def _head(corpus: PreparedCorpus) -> Iterator[str]:
    manifest = corpus.manifest
    text = manifest.text
    yield f"{one_line(str(corpus.path))}: {text.src.language} to {text.tgt.language}, unit {text.unit}"
    files = ", ".join(file.name for file in manifest.pair_files)
    yield one_line(f"made by s2s {manifest.s2s} with spaCy {manifest.spacy} from {files}")
    size = sum(record.size for record in manifest.files.values())
    yield f"{counted(len(manifest.files), 'file')}, {size / 1e6:,.1f} MB, all unchanged"


def _splits(corpus: PreparedCorpus) -> Iterator[str]:
    yield f"{'split':<14}{'pairs':>12}{'sources':>12}{'with several targets':>24}{'most targets':>14}"
    for split in SPLITS:
        targets = inspection.count_references(corpus, split)
        several, most = np.count_nonzero(targets > 1), targets.max(initial=0)
        yield f"{split:<14}{targets.sum():>12,}{len(targets):>12,}{several:>24,}{most:>14,}"


def _leakage(leaks: Mapping[tuple[SplitName, SplitName], Sequence[int]], are_given: bool) -> Iterator[str]:
    yield f"{'leakage':<14}{'src':>12}{'tgt':>12}"
    for splits, (src, tgt) in leaks.items():
        note = "  allowed: both splits were given" if are_given and splits == HELD_OUT[::-1] else ""
        yield f"{' in '.join(splits):<14}{src:>12,}{tgt:>12,}{note}"


def _lengths(corpus: PreparedCorpus) -> Iterator[str]:
    """The lengths that half of the sentences, nearly all and all of them have at most."""
    yield f"{_UNITS[corpus.manifest.text.unit]:<14}{'src':>12}{'tgt':>12}"
    lengths = [np.concatenate([corpus.split(split).side(side).lengths for split in SPLITS]) for side in SIDES]
    for name, fraction in _QUANTILES.items():
        yield f"{name:<14}" + "".join(f"{np.quantile(each, fraction, method='inverted_cdf'):>12,}" for each in lengths)


def _unknown(corpus: PreparedCorpus) -> Iterator[str]:
    unknown = {side: inspection.count_unknown(corpus, side, ("train", "valid")) for side in SIDES}
    totals = (f"{side}: {words.total():,}, {len(words):,} distinct" for side, words in unknown.items())
    yield f"unknown words of train and valid; {'; '.join(totals)}"
    for row in zip_longest(*(words.most_common(_MOST_UNKNOWN) for words in unknown.values())):
        src, tgt = (f"{pair[1]:>8,}  {pair[0]}" if pair else "" for pair in row)
        # Chinese and Japanese characters are two cells wide.
        yield f"{src}{' ' * (40 - cell_len(src))}{tgt}"


def _examples(corpus: PreparedCorpus, seed: int) -> Iterator[str]:
    drawn = list(inspection.draw_pairs(corpus, _EXAMPLES, seed))
    yield f"{counted(len(drawn), 'random pair')} (--seed {seed})"
    for split, pair in drawn:
        yield ""
        for name, codec, text in zip((split, ""), corpus.codecs, pair, strict=True):
            yield f"{name:<7}{text}"
            yield f"{'':<7}{' '.join(inspection.shown_units(codec, text))}"
