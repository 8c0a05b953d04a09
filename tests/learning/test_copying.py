"""A model that has learned to copy words writes names in letters that it has never seen."""

from itertools import product
from pathlib import Path
from random import Random

import pytest

from tests.corpora import prepared
from tests.learning.conftest import SMALL_BATCHES
from tests.tiny import trained

pytestmark = pytest.mark.slow

SETTINGS = [
    *SMALL_BATCHES,
    *("model.encoder.embedding_size=64", "model.encoder.hidden_size=32"),  # in each direction
    *("model.decoder.embedding_size=64", "model.decoder.hidden_size=64"),
    *("training.epochs=12", "training.lr=5e-3", "training.teacher_forcing=1.0", "training.augmentation.kept=0.3"),
]
VERBS = {"saw": "sah", "heard": "hörte", "knew": "kannte", "met": "traf"}
ANIMALS = {"dog": "Hund", "bear": "Bären", "wolf": "Wolf", "fish": "Fisch", "bird": "Vogel", "fox": "Fuchs"}
SYLLABLES = ("ka", "lo", "mi", "ne", "ru", "so")
NEVER_SEEN = ("Ζωή", "Юрий", "שרה", "Łódź")


def pair(name: str, verb: str, animal: str) -> tuple[str, str]:
    """The German sentence turns around, so that the name is found by attention and not by its place."""
    return f"{name} {verb} the {animal} today .", f"heute {VERBS[verb]} den {ANIMALS[animal]} {name} ."


def training_pairs() -> list[tuple[str, str]]:
    names = ["".join(syllables).capitalize() for syllables in product(SYLLABLES, repeat=2)]
    return Random(1).sample([pair(*parts) for parts in product(names, VERBS, ANIMALS)], 700)  # noqa: S311


@pytest.mark.parametrize("unit", ["word", "bpe"])
def test_names_in_letters_never_seen_are_copied(unit: str, tmp_path: Path) -> None:
    sizes = ("text.src.max_size=80", "text.tgt.max_size=80")
    # In small letters, no name of the source is that of the target.
    corpus = prepared(tmp_path, training_pairs(), [f"text.unit={unit}", "text.src.lowercase=false", *sizes])
    translator = trained(tmp_path / "run", "luong_general", SETTINGS, corpus)
    sources, targets = zip(*(pair(*parts) for parts in product(NEVER_SEEN, VERBS, ANIMALS)), strict=True)
    right = [t.text == target for t, target in zip(translator.translate(sources), targets, strict=True)]
    assert sum(right) / len(right) >= 0.9
