"""Input feeding on a task that needs it: no word is translated twice, and the output does not tell which ones were.

A source is a set of letters in any order. Its translation has one of two words for each letter, in the order of the
alphabet. The words written so far do not say which letters they stand for; the attentional vector does.
"""

import random
from pathlib import Path

import numpy as np
import pytest

from seq2seq_cli.corpus.prepared import PreparedCorpus
from tests.corpora import prepared
from tests.learning.conftest import SMALL_BATCHES
from tests.tiny import trained

pytestmark = pytest.mark.slow

LETTERS = "abcdefghijklmnopqrstuvw"
SETTINGS = [
    *(f"model.{side}.{size}=64" for side in ("encoder", "decoder") for size in ("hidden_size", "embedding_size")),
    # A state of an encoder in both directions could count the letters before its own in the alphabet.
    *("model.encoder.directions=one", "model.bridge=zero", "model.encoder.dropout=0.0", "model.decoder.dropout=0.0"),
    *("training.epochs=8", "training.lr=3e-3", "training.warmup_steps=100", "training.label_smoothing=0.0"),
    "decoding.no_repeat_ngram_size=0",  # the outputs repeat themselves
    *SMALL_BATCHES,
]


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> PreparedCorpus:
    source = random.Random(1)  # noqa: S311  # not for secrets
    word_of = {letter: source.choice("xy") for letter in LETTERS}
    sources = {tuple(source.sample(LETTERS, source.randint(5, 9))) for _ in range(12_000)}
    pairs = [
        (" ".join(letters), " ".join(word_of[letter] for letter in sorted(letters))) for letters in sorted(sources)
    ]
    return prepared(tmp_path_factory.mktemp("sets"), pairs)


def error_rate(name: str, corpus: PreparedCorpus, folder: Path) -> float:
    sources, targets = zip(*corpus.sentences("test"), strict=True)
    translations = trained(folder / name, name, SETTINGS, corpus).translate(sources)
    wrong = [t.text.split() != target.split() for t, target in zip(translations, targets, strict=True)]
    return float(np.mean(wrong))


def test_it_avoids_errors_that_the_model_without_it_makes(sets: PreparedCorpus, tmp_path: Path) -> None:
    fed, not_fed = (error_rate(name, sets, tmp_path) for name in ("luong_feed", "luong_general"))
    assert fed < 0.1
    assert 1.5 * fed < not_fed
