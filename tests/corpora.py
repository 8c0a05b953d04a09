"""Small corpora for tests, prepared by the real pipeline."""

import random
from collections.abc import Sequence
from pathlib import Path

from seq2seq_cli.config.loader import load_config
from seq2seq_cli.corpus.prepare import prepare
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.sources import Source

SYMBOLS = "abcdefghijklmnopqrst"


def prepared(folder: Path, pairs: Sequence[tuple[str, str]], overrides: Sequence[str] = ()) -> PreparedCorpus:
    """The corpus of these pairs, in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    pair_file = folder / "pairs.txt"
    pair_file.write_text("".join(f"{src}\t{tgt}\n" for src, tgt in pairs), encoding="utf-8")
    config = load_config(None, ["text.tgt.spacing=false", *overrides])
    prepare([Source.of(pair_file)], folder / "prepared", config)
    return PreparedCorpus.open(folder / "prepared")


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
