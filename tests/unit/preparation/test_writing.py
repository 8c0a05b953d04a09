"""What the codec of the source knows of the training sentences: the longest one, and the apostrophe inside words."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from seq2seq_cli.preparation.pipeline import prepare
from seq2seq_cli.text.sides import load_codecs
from tests.corpora import write_lines

PAIRS = [
    *[(f"It's {n}.", f"Es sind nun {n}.") for n in range(100)],
    *[(f"It’s not {n}.", f"Ist’s denn {n}?") for n in range(40)],
    *[(f"'{n}' is a number!", f"Geht's um {n}?") for n in range(30)],
]
OTHER = [(f"L’une de {n} or l’autre of those many.", f"It's {n}, isn't it, and that's what it's.") for n in range(200)]


@pytest.mark.parametrize(
    ("overrides", "longest"),
    [
        (["text.unit=word"], 7),
        (["text.unit=bpe", "text.shared_vocabulary=true"], 7),
        (["text.unit=character", "text.src.spacing=true", "text.tgt.spacing=true"], 17),
    ],
    ids=lambda keys: str(keys),
)
def test_the_codec_of_the_source_knows_the_longest_sentence_and_the_apostrophe_of_training(
    tmp_path: Path, overrides: Sequence[str], longest: int
) -> None:
    pairs = write_lines(tmp_path / "pairs.txt", map("\t".join, PAIRS))
    test = write_lines(tmp_path / "test.txt", map("\t".join, OTHER))
    keys = [*overrides, "data.valid_sources=0"]
    folder = prepare(pairs, test=[test], languages="en-de", out=tmp_path / "out", overrides=keys).out
    codecs = load_codecs(folder)
    assert (codecs[0].longest, codecs[0].apostrophe) == (longest, "'")
    assert (codecs[1].longest, codecs[1].apostrophe) == (0, "")
    assert longest == max(len(codecs[0].read(source).words) for source, _ in PAIRS)


def test_sentences_without_apostrophes_have_none(tmp_path: Path) -> None:
    lines = [f"It is {n} ' ’ 5's.\tDer Jaʼnʼ {n} ist’s, oʼ, dʼun, lʼun." for n in range(100)]
    folder = prepare(write_lines(tmp_path / "pairs.txt", lines), languages="en-de", out=tmp_path / "out").out
    assert [codec.apostrophe for codec in load_codecs(folder)] == ["", ""]
