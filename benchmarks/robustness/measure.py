"""The dressed pairs of a prepared folder, and what a translator makes of them."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from benchmarks.robustness.dresses import DRESSES, FEW, TIMES, Dress, Dressed, Pair, generator, joined, renaming
from benchmarks.robustness.figures import Figures
from benchmarks.robustness.names import RARE_NAMES, known_names, unseen_names
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import SplitName
from seq2seq_cli.errors import UsageError
from seq2seq_cli.evaluation.evaluation_set import read_pair_lines
from seq2seq_cli.evaluation.losses import numbers_in
from seq2seq_cli.evaluation.scorer import bleu, chrf, corpus_score
from seq2seq_cli.evaluation.words import words_of

LINES = 500
"""Joined lines of each number of pairs."""
_FEWEST_NAMES = 100
_LOST = 0.6
"""Words of the translation of a joined line per word of its sentences' translations; with fewer, one is lost."""


def dressed_split(corpus: PreparedCorpus, split: SplitName, file: Path | None = None) -> dict[str, list[Dressed]]:
    """The pairs of a split in each dress, by its name, always the same.

    With a file of two columns, its pairs are taken; pairs of the split are added where few pairs are suited. Each
    source is there once, with the first of its references to which the dress applies. Raises UsageError where the
    training pairs leave fewer than 100 rare names.
    """
    of_split, training = corpus.sentences(split), corpus.sentences("train")
    rare = unseen_names(RARE_NAMES, (text for pair in training for text in pair))
    if len(rare) < _FEWEST_NAMES:
        raise UsageError(f"only {len(rare)} rare names are in no training pair: add others to rare_names.txt")
    lines = read_pair_lines([file], languages=corpus.manifest.text.languages) if file else of_split
    pairs, known = [pair for pair in lines if all(pair)], known_names(training)
    renamed = {"rare names": renaming(known, rare)} if known else {}
    found = {}
    for name, dress in (DRESSES | renamed).items():
        random, chosen = generator(), [*pairs, *of_split] if name in FEW else pairs
        found[name] = [each for _ in range(TIMES.get(name, 1)) for each in _dressed(chosen, dress, random)]
    for name, count in (("joined by two", 2), ("joined by three", 3)):
        found[name] = joined([(each.source, each.reference) for each in found["as is"]], count, LINES, generator())
    return {name: several for name, several in found.items() if several}


def _dressed(pairs: Sequence[Pair], dress: Dress, random: Random) -> list[Dressed]:
    found: dict[str, Dressed] = {}
    for pair in pairs:
        if pair[0] not in found and (dressed := dress(pair, random)):
            found[pair[0]] = dressed
    return list(found.values())


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


def measure(dresses: Mapping[str, Sequence[Dressed]], translations: Translations, language: str) -> dict[str, Figures]:
    """The figures by the name of the dress; the translations are in `language`."""
    return {name: _figures(several, translations, language) for name, several in dresses.items()}


def _figures(several: Sequence[Dressed], translations: Translations, language: str) -> Figures:
    outputs, references = translations.of(each.source for each in several), [each.reference for each in several]
    names = [has_name(output, name) for each, output in zip(several, outputs, strict=True) for name in each.names]
    counts = [count_numbers(each.source, each.reference, output) for each, output in zip(several, outputs, strict=True)]
    numbers, kept, added = map(sum, zip(*counts, strict=True))
    figures = Figures(
        pairs=len(several),
        bleu=corpus_score(bleu(language), outputs, references).value,
        chrf=corpus_score(chrf(), outputs, references).value,
        names=len(names),
        names_kept=_per_cent(sum(names), len(names)),
        numbers=numbers,
        numbers_kept=_per_cent(kept, numbers),
        added=added,
    )
    if several[0].of_text is None and len(several[0].parts) == 1:
        return figures
    translations.of(part for each in several for part in each.parts)  # all at once
    parts = [translations.of(each.parts) for each in several]
    if len(several[0].parts) > 1:
        apart = [" ".join(texts) for texts in parts]
        words = [[len(words_of(text, language)) for text in texts] for texts in (outputs, apart)]
        return replace(
            figures,
            by_hand=corpus_score(bleu(language), apart, references).value,
            lost=_per_cent(sum(joined < _LOST * halves for joined, halves in zip(*words, strict=True)), len(several)),
        )
    plain = [each.of_text(text) for each, [text] in zip(several, parts, strict=True) if each.of_text]
    return replace(figures, consistency=corpus_score(bleu(language), outputs, plain).value)


def has_name(text: str, name: str) -> bool:
    """Whether a text has a name, whatever its case, with an ending of up to three letters or without."""
    return bool(re.search(rf"(?<!\w){re.escape(name.casefold())}\w{{0,3}}(?!\w)", text.casefold()))


def count_numbers(source: str, reference: str, output: str) -> tuple[int, int, int]:
    """The numbers that source and reference have, which of them the output has, and which it alone has."""
    given, expected, found = map(numbers_in, (source, reference, output))
    return (given & expected).total(), (given & expected & found).total(), (found - (given | expected)).total()


def _per_cent(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None
