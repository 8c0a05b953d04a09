"""``s2s inspect``: check a prepared folder, and show its content."""

import sys
from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seq2seq_cli.cli.terminal.json_output import write_json
from seq2seq_cli.counts import counted
from seq2seq_cli.errors import S2SError, one_line

if TYPE_CHECKING:
    from seq2seq_cli.corpus.inspection import Leak
    from seq2seq_cli.corpus.prepared import PreparedCorpus

_UNITS = {"word": "tokens", "bpe": "subwords", "character": "characters"}
_BINS = 12
_BAR = 24
"""Characters of the longest bar."""
_MOST_UNKNOWN = 15
_EXAMPLES = 10


def inspect(
    prepared: Annotated[
        Path | None,
        typer.Argument(metavar="[PREPARED]", help="A prepared folder; data/prepared by default.", show_default=False),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="The seed that draws the pairs to show.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object, for programs.")] = False,
) -> None:
    """Check a prepared folder, and show its content.

    Every file is read. Leaks, references, lengths, the coverage of the vocabulary and unknown words are counted from
    the texts and ids, not taken from the manifest. Exits with 1 when a sentence leaks, with 2 when a file is damaged.
    """
    from seq2seq_cli.corpus import inspection
    from seq2seq_cli.corpus.manifest import DEFAULT_FOLDER
    from seq2seq_cli.corpus.prepared import PreparedCorpus

    corpus = PreparedCorpus.open(prepared or DEFAULT_FOLDER)
    corpus.verify()
    leaks = inspection.count_leaks(corpus)
    if as_json:
        write_json(_to_json(corpus, leaks, seed))
    else:
        _report(corpus, leaks, seed)
    leaked = sum(leak.sentences for leak in leaks if not leak.allowed)
    if leaked:
        found = "1 held-out sentence is" if leaked == 1 else f"{leaked:,} held-out sentences are"
        raise S2SError(f"{corpus.path}: {found} in another split: prepare again")


def _report(corpus: "PreparedCorpus", leaks: Sequence["Leak"], seed: int) -> None:
    for part in (
        _head(corpus),
        _splits(corpus),
        _leakage(leaks),
        _lengths(corpus),
        _vocabulary(corpus),
        _unknown(corpus),
        _examples(corpus, seed),
    ):
        sys.stdout.writelines(line.rstrip() + "\n" for line in chain(part, [""]))
        sys.stdout.flush()  # a part may take a while


def _to_json(corpus: "PreparedCorpus", leaks: Sequence["Leak"], seed: int) -> dict[str, Any]:
    """The content of the report; lengths are counts of the sentences with 0, 1, 2, ... units."""
    from seq2seq_cli.corpus import inspection
    from seq2seq_cli.corpus.splits import SPLITS
    from seq2seq_cli.text.sides import SIDES

    manifest = corpus.manifest
    unknown = {side: inspection.count_unknown(corpus, side, ("train", "valid")) for side in SIDES}
    return {
        "folder": str(corpus.path),
        "languages": [manifest.text.src.language, manifest.text.tgt.language],
        "unit": manifest.text.unit,
        "s2s": manifest.s2s,
        "spacy": manifest.spacy,
        "pair_files": [file.name for file in manifest.pair_files],
        "bytes": _size(corpus),
        "splits": {split: inspection.count_references(corpus, split)._asdict() for split in SPLITS},
        "leaks": [leak._asdict() for leak in leaks],
        "lengths": {side: inspection.count_lengths(corpus, side).tolist() for side in SIDES},
        "coverage": {side: [each._asdict() for each in inspection.vocabulary_curve(corpus, side)] for side in SIDES},
        "unknown": {side: dict(counted.most_common()) for side, counted in unknown.items()},
        "examples": [pair._asdict() for pair in inspection.draw_pairs(corpus, _EXAMPLES, seed)],
    }


def _size(corpus: "PreparedCorpus") -> int:
    return sum(record.size for record in corpus.manifest.files.values())


def _head(corpus: "PreparedCorpus") -> Iterator[str]:
    manifest = corpus.manifest
    text = manifest.text
    yield f"{one_line(str(corpus.path))}: {text.src.language} to {text.tgt.language}, unit {text.unit}"
    files = ", ".join(file.name for file in manifest.pair_files)
    yield one_line(f"made by s2s {manifest.s2s} with spaCy {manifest.spacy} from {files}")
    yield f"{counted(len(manifest.files), 'file')}, {_size(corpus) / 1e6:,.1f} MB, all unchanged"


def _splits(corpus: "PreparedCorpus") -> Iterator[str]:
    from seq2seq_cli.corpus.inspection import count_references
    from seq2seq_cli.corpus.splits import SPLITS

    yield f"{'split':<14}{'pairs':>12}{'sources':>12}{'with several targets':>24}{'most targets':>14}"
    for split in SPLITS:
        found = count_references(corpus, split)
        yield f"{split:<14}{found.pairs:>12,}{found.sources:>12,}{found.several:>24,}{found.most:>14,}"


def _leakage(leaks: Sequence["Leak"]) -> Iterator[str]:
    yield f"{'leakage':<14}{'src':>12}{'tgt':>12}"
    of_side = ([leak for leak in leaks if leak.side == side] for side in ("src", "tgt"))
    for src, tgt in zip(*of_side, strict=True):
        note = "  allowed: both splits were given" if src.allowed else ""
        yield f"{f'{src.held_out} in {src.other}':<14}{src.sentences:>12,}{tgt.sentences:>12,}{note}"


def _lengths(corpus: "PreparedCorpus") -> Iterator[str]:
    """Two histograms side by side, with the same bins."""
    from seq2seq_cli.corpus.inspection import count_lengths

    sides = [count_lengths(corpus, side).tolist() for side in ("src", "tgt")]
    step = _bin_width([sum(both) for both in zip_longest(*sides, fillvalue=0)])
    binned = [_binned(counts, step) for counts in sides]
    highest = max(1, *chain.from_iterable(binned))
    yield f"{_UNITS[corpus.manifest.text.unit]:<14}{'src':>12}  {'':<{_BAR}}{'tgt':>12}"
    for number, counts in enumerate(zip_longest(*binned, fillvalue=0)):
        first, last = number * step + 1, (number + 1) * step
        name = f"{first}" if step == 1 else f"{first}-{last}"
        if number == _BINS:
            name = f"{first} and more"
        bars = (f"{count:>12,}  {'#' * round(_BAR * count / highest):<{_BAR}}" for count in counts)
        yield f"{name:<14}{''.join(bars)}"


def _bin_width(counts: Sequence[int]) -> int:
    """The smallest of 1, 2, 5, 10, ... with which _BINS bins hold all but the longest half per cent."""
    steps = (digit * power for power in (1, 10, 100, 1_000, 10_000, 100_000) for digit in (1, 2, 5))
    most_beyond = sum(counts) / 200
    return next(step for step in steps if sum(counts[step * _BINS + 1 :]) <= most_beyond)


def _binned(counts: Sequence[int], step: int) -> list[int]:
    """Counts per bin: lengths 1 to ``step`` are the first bin; a last one, after _BINS bins, holds the rest."""
    starts = range(1, min(len(counts), step * _BINS + 1), step)
    bins = [sum(counts[start : start + step]) for start in starts]
    beyond = sum(counts[step * _BINS + 1 :])
    return [*bins, beyond] if beyond else bins


def _vocabulary(corpus: "PreparedCorpus") -> Iterator[str]:
    from seq2seq_cli.corpus.inspection import vocabulary_curve

    curves = [vocabulary_curve(corpus, side) for side in ("src", "tgt")]
    yield f"{'vocabulary':<14}{'src':>12}{'tgt':>12}  coverage of training by the most frequent units"
    yield f"{'units':<14}" + "".join(f"{curve[-1].units:>12,}" for curve in curves)
    below = [{units: f"{fraction:.2%}" for units, fraction in curve[:-1]} for curve in curves]
    for units in sorted({*below[0], *below[1]}):
        yield f"{f'first {units:,}':<14}" + "".join(f"{fractions.get(units, ''):>12}" for fractions in below)
    yield f"{'all':<14}" + "".join(f"{curve[-1].fraction:>12.2%}" for curve in curves)


def _unknown(corpus: "PreparedCorpus") -> Iterator[str]:
    from rich.cells import cell_len

    from seq2seq_cli.corpus.inspection import count_unknown

    counted = [count_unknown(corpus, side, ("train", "valid")) for side in ("src", "tgt")]
    totals = (f"{side}: {c.total():,}, {len(c):,} distinct" for side, c in zip(("src", "tgt"), counted, strict=True))
    yield f"unknown words of train and valid; {'; '.join(totals)}"
    for row in zip_longest(*(unknown.most_common(_MOST_UNKNOWN) for unknown in counted)):
        src, tgt = (f"{pair[1]:>8,}  {pair[0]}" if pair else "" for pair in row)
        # Chinese and Japanese characters are two cells wide.
        yield f"{src}{' ' * (40 - cell_len(src))}{tgt}"


def _examples(corpus: "PreparedCorpus", seed: int) -> Iterator[str]:
    from seq2seq_cli.corpus.inspection import draw_pairs

    pairs = draw_pairs(corpus, _EXAMPLES, seed)
    yield f"{counted(len(pairs), 'random pair')} (--seed {seed})"
    for pair in pairs:
        yield ""
        yield f"{pair.split:<7}{pair.src}"
        yield f"{'':<7}{' '.join(pair.src_units)}"
        yield f"{'':<7}{pair.tgt}"
        yield f"{'':<7}{' '.join(pair.tgt_units)}"
