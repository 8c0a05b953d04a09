"""The words that a corpus teaches, and the names that stay as they are."""

from collections import Counter
from pathlib import Path
from string import ascii_lowercase

import pytest

from seq2seq_cli.preparation.conventions import FEWEST
from seq2seq_cli.preparation.known_words import keeps_names, staying_words
from seq2seq_cli.preparation.prepare import prepare
from seq2seq_cli.text.sides import load_codecs
from tests.corpora import write_pairs


@pytest.mark.parametrize(("kept", "expected"), [(FEWEST, True), (FEWEST // 2 + 1, True), (FEWEST // 2, False)])
def test_names_are_kept_where_most_rare_ones_stand_in_the_translation(kept: int, expected: bool) -> None:
    rare = [f"N{letter}ame" for letter in ascii_lowercase[:FEWEST]]
    sentences = [f"She saw {name} and Tom." for name in rare] + ["She saw Tom."] * 10
    translations = [f"Sie sah {name if i < kept else 'Namen'}." for i, name in enumerate(rare)] + ["Sie sah Toms."] * 10
    tokens = Counter({**dict.fromkeys(rare, 1), "Tom": FEWEST + 10, "and": FEWEST})
    pairs = list(zip(sentences, translations, strict=True))
    assert keeps_names(pairs, tokens, "en") is expected
    assert not keeps_names(pairs[1:], tokens, "en")  # too few to tell


def test_staying_words_nearly_always_stand_in_the_translation() -> None:
    pairs = [("I saw Tom and Mary in Rome.", "Ich sah Tom und Maria in Rom.")] * (FEWEST - 1)
    assert staying_words(pairs, "en") == set()
    assert staying_words([*pairs, ("I like Tom.", "Ich mag ihn.")], "en") == {"tom"}
    assert staying_words([*pairs, *[("I like Tom.", "Ich mag ihn.")] * 2], "en") == set()


def test_names_that_stay_and_words_seen_once_are_not_known(tmp_path: Path) -> None:
    names = [f"{chr(65 + n // 26)}{chr(97 + n % 26)}ski" for n in range(60)]
    lines = [f"I saw {name} and Tom in Rome .\tIch sah {name} und Tom in Rom ." for name in names]
    (tmp_path / "eng.txt").write_text("\n".join(lines), encoding="utf-8")
    src, _ = load_codecs(prepare(tmp_path / "eng.txt", languages="en-de", out=tmp_path / "data").out)
    assert {"saw", "rome"} <= set(src.conventions.known_words)
    assert not {"tom", "aaski"} & set(src.conventions.known_words)


def test_given_codecs_learn_the_words_of_the_new_pairs(tmp_path: Path) -> None:
    names = [f"{chr(65 + n // 26)}{chr(97 + n % 26)}ski" for n in range(60)]
    write_pairs(tmp_path / "eng.txt", [f"I saw {name} ." for name in names])
    write_pairs(tmp_path / "other.txt", [f"he likes Prague and {n} , too" for n in range(60)])
    older = prepare(tmp_path / "eng.txt", languages="en-de", out=tmp_path / "older").out
    newer = prepare(tmp_path / "other.txt", languages="en-de", out=tmp_path / "newer", codec_from=older).out
    (before, _), (after, _) = load_codecs(older), load_codecs(newer)
    assert "saw" in before.conventions.known_words
    assert "likes" not in before.conventions.known_words
    assert {"saw", "likes"} <= set(after.conventions.known_words)
