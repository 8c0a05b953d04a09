"""Lines that prepare leaves out: their number for each reason, and the first of them as examples."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from seq2seq_cli.corpus.manifest import DROPPED_FILE, REASONS, DroppedRecord, Reason
from seq2seq_cli.errors import PairFileError
from seq2seq_cli.pairs.pair_files import ONE_PER_LINE, KeyedTexts, PairFile
from seq2seq_cli.text.characters import normalise

MOST_BAD = 0.01
"""Fraction of the lines above which a file is refused: of those without a tab, of those with other columns than the
others, and of those with an empty side."""

MOST_EXAMPLES = 100
"""Lines kept for each reason."""

_PLACES = 3
"""Lines that the manifest names for each reason."""

LONGEST_EXAMPLE = 200
"""Characters of a sentence that an example shows."""

_FEW, _SOME, _MANY, _MOST = 0.01, 0.05, 0.1, 0.5
"""Fractions of the lines or pairs above which a doubt is told."""
LIMITS: Mapping[Reason, str] = {"too long": "data.max_tokens", "length ratio": "data.max_ratio"}
"""The keys that drop lines."""

_COLUMNS = ("reason", "place", "src", "tgt")
_ADVICE: Mapping[Reason, str] = {
    "no tab": "has no tab between source and target: insert one, or delete the {unit}",
    "other columns": "has fewer or more columns than the others: put cells that hold the separator in quotation marks",
    "empty side": "has an empty source or target: fill it in, or delete the {unit}",
}


class DroppedLine(NamedTuple):
    """A line that was dropped, and the beginning of its text."""

    place: str
    """The file and the number: ``deu.txt:21``, ``list.json: record 21``."""
    src: str
    tgt: str

    @classmethod
    def of(cls, file: PairFile, line: int, src: str, tgt: str) -> "DroppedLine":
        """Cut and normalise the text, so that it fits on a line."""
        # A slice first: a text may have a million characters.
        src, tgt = (normalise(text[:LONGEST_EXAMPLE]) for text in (src, tgt))
        place = f"{file.base_name}:{line}" if file.unit == "line" else f"{file.base_name}: {file.unit} {line}"
        return cls(place, src, tgt)


@dataclass(kw_only=True)
class LineCounts:
    """Counts over the lines of a block, of a file, or of all files."""

    lines: int = 0
    pairs: int = 0
    extra_columns: int = 0
    equal: int = 0
    """Pairs whose sides are the same text."""
    wrongly_decoded: int = 0
    """Pairs with characters that another encoding than the file's has left."""
    dropped: Counter[Reason] = field(default_factory=Counter)
    """The lines that are left out for each reason."""
    examples: dict[Reason, list[DroppedLine]] = field(default_factory=dict)
    """The first of these lines."""

    def drop(self, reason: Reason, count: int, examples: Iterable[DroppedLine]) -> None:
        """Count further lines, which come after those counted so far; takes only as many examples as are kept."""
        self.dropped[reason] += count
        kept = self.examples.setdefault(reason, [])
        kept += islice(examples, MOST_EXAMPLES - len(kept))

    def add(self, later: "LineCounts") -> None:
        """Add the counts of lines that come after those counted so far."""
        self.lines += later.lines
        self.pairs += later.pairs
        self.extra_columns += later.extra_columns
        self.equal += later.equal
        self.wrongly_decoded += later.wrongly_decoded
        for reason, count in later.dropped.items():
            self.drop(reason, count, later.examples[reason])

    @property
    def reasons(self) -> list[Reason]:
        """The reasons of the dropped lines, in the order in which they are checked."""
        return [reason for reason in REASONS if self.dropped[reason]]

    def check(self, file: PairFile) -> None:
        """Raise PairFileError when a file has no pair, or too many lines (or records) with a problem of _ADVICE."""
        unit = file.unit
        used = self.lines - self.dropped["blank line"]
        for reason, advice in _ADVICE.items():
            if (count := self.dropped[reason]) > MOST_BAD * used:
                fraction = f"{count:,} of {used:,} {unit}s have this problem; at most {MOST_BAD:.0%} may"
                place = self.examples[reason][0].place
                raise PairFileError(f"{place}: the {unit} {advice.format(unit=unit)} ({fraction})")
        if not self.pairs:
            reasons = "".join(
                f", {self.dropped[reason]:,} dropped as '{reason}' from {self.examples[reason][0].place} on"
                for reason in self.reasons
                if reason != "blank line"
            )
            what, cure = ("sentence", "give one per line") if file.is_text else ("sentence pair", ONE_PER_LINE)
            if isinstance(file.reader, KeyedTexts) and self.dropped["missing column"]:
                cure = "give two files with the same times or verses"
            raise PairFileError(f"{file.name}: no {what} in it{reasons}: {cure}")

    def doubts(self) -> Iterator[str]:
        """The warnings on what may be wrong with the lines, each with what to do."""
        for reason, key in LIMITS.items():
            if (count := self.dropped[reason]) > _SOME * self.lines:
                place = self.examples[reason][0].place
                yield f"{count:,} of {self.lines:,} lines are dropped as '{reason}', from {place} on: raise {key}"
        if (count := self.dropped["missing column"]) > _MOST * self.lines:
            place = self.examples["missing column"][0].place
            cure = "give files that belong together, or see --columns"
            yield f"{count:,} of {self.lines:,} lines lack a side, from {place} on: {cure}"
        of_pairs = f"of {self.pairs:,} pairs have"
        if self.equal > _MANY * self.pairs:
            yield f"{self.equal:,} {of_pairs} the same text on both sides: leave these lines out"
        if self.wrongly_decoded > _FEW * self.pairs:
            yield (
                f"{self.wrongly_decoded:,} {of_pairs} characters such as Ã¤ for ä: the file was once read in a wrong"
                " encoding: get it again, or name its encoding with --encoding"
            )

    def records(self) -> dict[Reason, DroppedRecord]:
        """The manifest's records of the reasons."""
        first = {reason: [line.place for line in self.examples[reason][:_PLACES]] for reason in self.reasons}
        return {reason: DroppedRecord(count=self.dropped[reason], first=places) for reason, places in first.items()}

    def write_examples(self, folder: Path) -> None:
        """Write the examples as tab-separated values, with a header."""
        rows = [(reason, *line) for reason in self.reasons for line in self.examples[reason]]
        (folder / DROPPED_FILE).write_bytes("".join("\t".join(row) + "\n" for row in [_COLUMNS, *rows]).encode("utf-8"))
