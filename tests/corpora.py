"""Small corpora for tests, prepared by the real pipeline."""

import json
import random
from collections.abc import Iterable, Sequence
from pathlib import Path

from seq2seq_cli.corpus.manifest import MANIFEST, FileRecord
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import TEST, VALID, first_of_each, sentence_key, text_hashes
from seq2seq_cli.preparation.leak_free_splits import assign_splits
from seq2seq_cli.preparation.pipeline import prepare

WORDS = ("text.unit=word", "text.src.lowercase=true", "text.src.spacing=false")
"""Words, those of the source in lower case: what the ids of a small corpus are can be told by looking at it."""

SYMBOLS = "abcdefghijklmnopqrst"


def write_lines(path: Path, lines: Iterable[str]) -> Path:
    """A file of lines, with a line feed after each."""
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    return path


def prepared(folder: Path, pairs: Sequence[tuple[str, str]], overrides: Sequence[str] = ()) -> PreparedCorpus:
    """The corpus of these pairs, in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    pair_file = write_lines(folder / "pairs.txt", map("\t".join, pairs))
    known = ["text.src.language=en", "text.tgt.language=de", "text.tgt.spacing=false"]
    prepare(pair_file, out=folder / "prepared", overrides=[*WORDS, *known, *overrides])
    return PreparedCorpus.open(folder / "prepared")


def forge_record(folder: Path, name: str) -> None:
    """Describe a file of a prepared folder in the manifest as it is now."""
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    manifest["files"][name] = FileRecord.of(folder / name).model_dump()
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")


def symbol_sequences(count: int, *, shortest: int, longest: int, seed: int = 0) -> list[str]:
    """Distinct random sequences such as "a f f c", of all lengths alike."""
    source = random.Random(seed)  # noqa: S311  # not for secrets
    sequences: dict[str, None] = {}
    while len(sequences) < count:
        length = source.randint(shortest, longest)
        sequences[" ".join(source.choices(SYMBOLS, k=length))] = None
    return list(sequences)


def reversed_words(sequence: str) -> str:
    return " ".join(reversed(sequence.split()))


def write_reversals(path: Path, count: int = 200) -> None:
    """A pair file of sequences and their reversals."""
    sequences = symbol_sequences(count, shortest=3, longest=6)
    write_lines(path, (f"{s}\t{reversed_words(s)}" for s in sequences))


def splits_of(pairs: Sequence[tuple[str, str]], *, valid: int = 1000, test: int = 1000) -> list[int]:
    """The split of each pair of texts, which are known by their hashes."""
    src, tgt = (text_hashes(sentence_key(pair[side]) for pair in pairs) for side in (0, 1))
    is_new = first_of_each(text_hashes(pair[0].encode("utf-8") for pair in pairs))
    found: list[int] = assign_splits(src, tgt, is_new, {VALID: valid, TEST: test}).tolist()
    return found


NAMES = ("Tom", "Maria", "Anna", "Paul", "Lisa", "Otto")
VERBS = (("sees", "sieht"), ("hears", "hört"), ("finds", "findet"), ("kissed", "küsste"))


def pair_lines(count: int) -> list[str]:
    """Lines that differ in a number, so that each is a group of its own."""
    lines = []
    for number in range(count):
        name, (verb, verbs) = NAMES[number % len(NAMES)], VERBS[number % len(VERBS)]
        lines.append(f"{name} {verb} {number} cats.\t{name} {verbs} {number} Katzen.")
    return lines
