"""``s2s translate`` warns, once and in one line each, of what its model translates badly."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from seq2seq_cli.text.sides import load_codecs, save_codecs
from tests.commands import s2s_here
from tests.untrained import make_run

STEADY = ("--set", "decoding.no_repeat_ngram_size=1")
"""No loops, which an untrained model has."""
ENDLESS = ("--set", "decoding.no_repeat_ngram_size=0", "--set", "decoding.beam_size=1")


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
        ("Я вижу собаку .", ["the text has Cyrillic letters", "is it English?"]),
        ("she saw 東 .", ["has Han letters"]),
        ("she <b>saw</b> him she <i>saw</i> him .", ["a sentence of 7 tokens"]),
        ("Sie küsste a@b.de gestern .", ["3 of 3 words are not known"]),
        ("she <i></i>saw <i></i>the <i></i>dog", []),
    ],
)
def test_texts_that_the_model_cannot_know_are_told(text: str, parts: Sequence[str], folder: Path) -> None:
    told = warnings(folder, *STEADY, text)
    assert len(told) == bool(parts)
    assert all(part in told[0] for part in ("TEXT 1: ", *parts) if parts)


def test_each_kind_is_told_once_with_the_first_text_and_the_number_of_others(folder: Path, tmp_path: Path) -> None:
    strange = "Sie küsste ihn gestern ."
    texts = tmp_path / "texts.txt"
    texts.write_text(f"she saw him .\n{strange}\n\n{strange}\nя вижу его\n{'she ' * 9}\n", encoding="utf-8")
    told = warnings(folder, *STEADY, "--input", str(texts))
    assert len(told) == 3
    assert told[0].startswith(f"s2s: warning: {texts}:2 and 1 more: 4 of 4 words are not known")
    assert told[1].startswith(f"s2s: warning: {texts}:5: the text has Cyrillic letters")
    assert told[2].startswith(f"s2s: warning: {texts}:6: a sentence of 9 tokens")
    [line] = warnings(folder, *STEADY, text=f"she .\n{strange}\n{strange}\n")
    assert line.startswith("s2s: warning: standard input:2 and 1 more: ")


def test_of_several_runs_it_is_told_which(folder: Path) -> None:
    told = warnings(folder, *STEADY, "--model", "newest", "--model", "runs/newest", "Sie küsste ihn gestern .")
    assert [line.split(": ")[2:4] for line in told] == [["TEXT 1", "newest"], ["TEXT 1", "runs/newest"]]
    short = ("--set", "decoding.max_source_length=2")
    told = warnings(
        folder, *STEADY, *short, "--model", "newest", "--model", "runs/newest", "she saw him", "she saw her"
    )
    assert [line.split(": ")[2:5] for line in told] == [
        ["TEXT 1 and 1 more", name, "a sentence of more than 2 tokens was translated in parts"]
        for name in ("newest", "runs/newest")
    ]


@pytest.mark.parametrize("text", ["she saw him .", "he kissed the dog ?", "dog " * 60])
def test_a_loop_in_the_translation_is_told_unless_the_text_has_it(text: str, folder: Path) -> None:
    done = s2s_here(folder, "translate", "--device", "cpu", *ENDLESS, text)
    loops = re.search(r"\b(\w+)(?: \1){3,}\b|\b(\w+(?: \w+)+)(?: \2){2,}\b", done.stdout)
    assert loops or not text.startswith("she")  # an untrained model loops
    told = [line for line in done.stderr.splitlines() if " times in a row" in line]
    assert len(told) == (loops is not None and not text.startswith("dog dog"))
    assert all("--set decoding.no_repeat_ngram_size=3 forbids that" in line for line in told)
