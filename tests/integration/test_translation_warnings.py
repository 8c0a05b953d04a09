"""``s2s translate`` warns, once and in one line each, of what its model translates badly."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.sides import load_codecs, save_codecs
from tests.commands import s2s_here
from tests.untrained import make_run

STEADY = ("--set", "decoding.no_repeat_ngram_size=1")
"""No loops, which an untrained model has."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with a run whose longest training sentence has five tokens."""
    folder = tmp_path_factory.mktemp("warnings")
    run = folder / "runs" / "newest"
    make_run(run)
    src, tgt = load_codecs(run)
    save_codecs(run, (replace(src, longest=5), tgt))
    return folder


def warnings(folder: Path, *arguments: str, text: str = "") -> list[str]:
    done = s2s_here(folder, "translate", "--device", "cpu", *arguments, text=text)
    assert done.returncode == 0
    return [line for line in done.stderr.splitlines() if line.startswith("s2s: warning: ")]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("she saw him .", []),
        ("she saw the dog .", []),
        ("she saw him she saw him .", ["a sentence of 7 tokens", "the longest training sentence (5)"]),
        ("Zoë saw Bea .", []),
        ("Sie küsste ihn gestern .", ["4 of 4 words are not known", "is the text English?"]),
        ("Я вижу собаку .", ["3 of 3 words are not known"]),
        ("she saw 東 .", []),
        ("she <b>saw</b> him she <i>saw</i> him .", ["a sentence of 7 tokens"]),
        ("Sie küsste a@b.de gestern .", ["3 of 3 words are not known"]),
        ("she <i></i>saw <i></i>the <i></i>dog", []),
    ],
)
def test_texts_that_the_model_cannot_know_are_told(text: str, parts: Sequence[str], folder: Path) -> None:
    told = warnings(folder, *STEADY, text)
    assert len(told) == bool(parts)
    assert all(part in told[0] for part in ("TEXT 1: ", *parts) if parts)


def counted(codec: Codec, text: str) -> Codec:
    """The codec, as if the text had been in training a hundred times."""
    found = Counter(codec.read(text).ids)
    return replace(codec, counts=tuple(100 * found[id_] for id_ in range(len(codec.vocabulary))))


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("he saw the dog .", ""),
        ("him the dog kissed", ""),
        ("sie sah den Hund .", "the text looks like German: is it English?"),
        ("kgo isdt rhw eimg .", "the text is unlike all that the model has learned from: is it English?"),
        ("12 345 67 89 .", ""),
    ],
)
def test_the_language_of_the_target_and_gibberish_are_told_by_the_units_of_both_sides(
    text: str, part: str, tmp_path: Path
) -> None:
    run = make_run(tmp_path / "runs" / "newest", unit="bpe").path
    src, tgt = load_codecs(run)
    english = "she kissed him . he saw the dog . he saw her ?"
    save_codecs(run, (counted(src, english), counted(tgt, "sie küsste ihn . er sah den Hund . er sah sie ?")))
    told = warnings(tmp_path, *STEADY, text)
    assert len(told) == bool(part)
    assert part in "".join(told)


def test_each_kind_is_told_once_with_the_first_text(folder: Path, tmp_path: Path) -> None:
    strange = "Sie küsste ihn gestern ."
    texts = tmp_path / "texts.txt"
    texts.write_text(f"she saw him .\n{strange}\n\n{strange}\nshe saw him .\n{'she ' * 9}\n", encoding="utf-8")
    told = warnings(folder, *STEADY, "--input", str(texts))
    assert len(told) == 2
    assert told[0].startswith(f"s2s: warning: {texts}:2: 4 of 4 words are not known")
    assert told[1].startswith(f"s2s: warning: {texts}:6: a sentence of 9 tokens")
    [line] = warnings(folder, *STEADY, text=f"she .\n{strange}\n{strange}\n")
    assert line.startswith("s2s: warning: standard input:2: ")


def test_a_sentence_in_parts_is_told(folder: Path) -> None:
    [told] = warnings(folder, *STEADY, "--set", "decoding.max_source_length=2", "she saw him", "she saw her")
    assert told.startswith("s2s: warning: TEXT 1: a sentence of more than 2 tokens was translated in parts")
