"""The sentences that translators are evaluated on."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path

from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import TEST, SplitName
from seq2seq_cli.counts import counted
from seq2seq_cli.errors import PairFileError, UsageError, one_line
from seq2seq_cli.pairs.pair_files import ONE_PER_LINE, local_pair_files, read_blocks
from seq2seq_cli.pairs.recognise import recognise
from seq2seq_cli.text.characters import normalise

logger = logging.getLogger(__name__)

_SHOWN = 3
"""Lines that a warning names."""


@dataclass(frozen=True, kw_only=True)
class EvaluationSet:
    """Sentence pairs with the languages of their sides; a source may have several references."""

    name: str
    pairs: tuple[tuple[str, str], ...]
    """Sources and references, plain text; not empty."""
    languages: tuple[str, str]
    """The languages of the source and the target, ISO 639; empty where unknown."""
    skipped: frozenset[int] = frozenset()
    """The lines of the files, counted from 0, without a text on both sides."""

    @classmethod
    def of_split(cls, corpus: PreparedCorpus, split: SplitName) -> "EvaluationSet":
        """A split of a prepared folder; raises UsageError when nothing is held out there."""
        if not (pairs := corpus.sentences(split)):
            raise UsageError(f"{corpus.path}: its {split} split is empty: name pairs with --file")
        languages = corpus.manifest.text.languages
        return cls(name=f"{corpus.path}, {split} split", pairs=tuple(pairs), languages=languages)

    @classmethod
    def of_lines(
        cls, lines: Sequence[tuple[str, str]], paths: Sequence[Path], languages: tuple[str, str]
    ) -> "EvaluationSet":
        """The `lines` that `read_pair_lines` found in files; those without a text on both sides are skipped.

        A warning names them. Raises PairFileError when there are no others.
        """
        name = " + ".join(map(str, paths))
        if not (pairs := tuple(pair for pair in lines if all(pair))):
            raise PairFileError(f"{name}: no sentence pair in it: {ONE_PER_LINE}")
        if skipped := frozenset(number for number, pair in enumerate(lines) if not all(pair)):
            shown = [f"{number + 1:,}" for number in sorted(skipped)[:_SHOWN]] + ["..."] * (len(skipped) > _SHOWN)
            lines_shown = f"{counted(len(skipped), 'line')} without a text on both sides: {', '.join(shown)}"
            logger.warning("%s: skips %s", name, lines_shown)
        return cls(name=name, pairs=pairs, languages=languages, skipped=skipped)

    @cached_property
    def references(self) -> dict[str, list[str]]:
        """The distinct references of each distinct source, in the order of the pairs."""
        found: dict[str, dict[str, None]] = {}
        for source, reference in self.pairs:
            found.setdefault(source, {})[reference] = None
        return {source: list(references) for source, references in found.items()}


def read_pair_lines(
    paths: Sequence[Path],
    *,
    encoding: str | None = None,
    columns: str | None = None,
    languages: tuple[str, str] = ("", ""),
    swap: bool = False,
) -> Iterator[tuple[str, str]]:
    """The two sentences of each line of files as ``s2s prepare`` takes them, either of them empty where it is missing.

    With `swap`, the second column is the source. `languages` are the source's and the target's, empty where unknown,
    `columns` the two columns by name or number, `encoding` is the files', by default UTF-8. Notices
    tell how the files are read. Raises PairFileError when a file cannot be read, UsageError when it lacks the columns.
    """
    encoding = "utf-8" if encoding is None else encoding
    in_order = (languages[1], languages[0]) if swap else languages
    with local_pair_files({TEST: [(path,) for path in paths]}) as given:
        found = recognise(given, encoding=encoding, columns=columns, languages=in_order)
        for notice in filter(None, (each.notice for each in found)):
            logger.info(one_line(notice))
        for block in chain.from_iterable(read_blocks(each, encoding=encoding) for each in found):
            for _, first, second, *_ in block.pairs():
                texts = normalise(first), normalise(second)
                yield (texts[1], texts[0]) if swap else texts
