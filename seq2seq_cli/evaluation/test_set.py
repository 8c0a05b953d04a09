"""The sentences that translators are evaluated on."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import SplitName
from seq2seq_cli.errors import PairFileError, UsageError
from seq2seq_cli.pairs.pair_files import local_pair_files, read_blocks
from seq2seq_cli.text.normalise import normalise


@dataclass(frozen=True, kw_only=True)
class TestSet:
    """Sentence pairs with the languages of their sides; a source may have several references."""

    __test__ = False  # pytest takes the name for one of a test class

    name: str
    pairs: tuple[tuple[str, str], ...]
    """Sources and references, plain text; not empty."""
    languages: tuple[str, str]
    """Those of the source and the target, ISO 639; empty where unknown."""

    @classmethod
    def of_split(cls, corpus: PreparedCorpus, split: SplitName) -> "TestSet":
        """A split of a prepared folder; raises UsageError when nothing is held out there."""
        if not (pairs := corpus.sentences(split)):
            raise UsageError(f"{corpus.path}: its {split} split is empty: name pairs with --file")
        text = corpus.manifest.text
        languages = text.src.language or "", text.tgt.language or ""
        return cls(name=f"{corpus.path}, {split} split", pairs=tuple(pairs), languages=languages)

    @classmethod
    def of_file(cls, path: Path, languages: tuple[str, str], *, swap: bool = False) -> "TestSet":
        """The pairs of a file as ``s2s prepare`` takes it: source, tab, target; the other way round with `swap`.

        Lines without a text on both sides are passed over. Raises PairFileError when the file cannot be read, or has no
        pairs.
        """
        pairs = tuple(pair for pair in read_lines(path, swap=swap) if all(pair))
        if not pairs:
            raise PairFileError(f"{path}: no line has two sentences with a tab between them")
        return cls(name=str(path), pairs=pairs, languages=languages)

    def leaving_out(self, pairs: Collection[int]) -> "TestSet":
        """The test set without the pairs of these numbers."""
        return replace(self, pairs=tuple(pair for number, pair in enumerate(self.pairs) if number not in pairs))

    @cached_property
    def references(self) -> dict[str, list[str]]:
        """The distinct references of each distinct source, in the order of the pairs."""
        found: dict[str, dict[str, None]] = {}
        for source, reference in self.pairs:
            found.setdefault(source, {})[reference] = None
        return {source: list(references) for source, references in found.items()}


def read_lines(path: Path, *, encoding: str = "utf-8", swap: bool = False) -> Iterator[tuple[str, str]]:
    """The two sentences of each line of a pair file, either of them empty where it is missing; see `TestSet.of_file`.

    Raises PairFileError when the file cannot be read.
    """
    with local_pair_files({"all": [(path,)]}) as files:
        for block in read_blocks(files["all"][0], encoding=encoding):
            for line in block.src.split("\n"):
                first, _, rest = line.partition("\t")
                pair = normalise(first), normalise(rest.partition("\t")[0])
                yield (pair[1], pair[0]) if swap else pair
