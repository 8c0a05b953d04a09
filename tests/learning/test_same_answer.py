"""One answer in any batch and any order, of torch and of the exported model."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from seq2seq_cli.decoding.load import load
from seq2seq_cli.decoding.translation import Translation
from seq2seq_cli.training.run import train_session
from tests.corpora import prepared
from tests.learning.conftest import sample_pairs
from tests.tiny import started, tiny_config

SENTENCES = 500
SETTINGS = (
    "model.encoder.hidden_size=32",
    "model.decoder.hidden_size=32",
    "training.epochs=2",
    "training.batch_size=32",
    "training.lr=5e-3",
    "training.teacher_forcing=1.0",
)


@pytest.fixture(scope="module", params=["word", "bpe"])
def trained(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A small run, trained on a part of the sample, and sentences of the other part."""
    folder = tmp_path_factory.mktemp("same")
    pairs = sample_pairs()
    random.Random(1).shuffle(pairs)  # noqa: S311  # not for secrets
    corpus = prepared(folder / "data", pairs[:4000], [f"text.unit={request.param}", "text.tgt.spacing=true"])
    list(train_session(started(folder / "run", tiny_config(corpus, *SETTINGS), corpus)))
    return folder / "run", list(dict.fromkeys(src for src, _ in pairs[4000:]))[:SENTENCES]


def translated(run: Path, sentences: Sequence[str], *overrides: str) -> list[Translation]:
    keys = [f"decoding.{override}" for override in overrides]
    return load(run, device="cpu", overrides=keys).translator.translate(sentences)


def assert_same(found: Sequence[Translation], expected: Sequence[Translation]) -> None:
    assert [(t.source, t.text, t.alignment) for t in found] == [(t.source, t.text, t.alignment) for t in expected]
    assert [t.score for t in found] == pytest.approx([t.score for t in expected], abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("beam", ["beam_size=1", "beam_size=5"])
def test_batches_order_and_engines_give_one_answer(trained: tuple[Path, list[str]], beam: str) -> None:
    run, sentences = trained
    expected = translated(run, sentences, beam, "engine=torch")
    assert len({translation.text for translation in expected}) > SENTENCES / 4
    for engine in ("torch", "auto"):
        for size in (1, 7, 64):
            found = translated(run, sentences, beam, f"engine={engine}", f"batch_size={size}")
            assert_same(found, expected)
        numbered = list(enumerate(sentences))
        shuffled = random.Random(2).sample(numbered, SENTENCES)  # noqa: S311  # not for secrets
        found = translated(run, [sentence for _, sentence in shuffled], beam, f"engine={engine}")
        assert_same(found, [expected[number] for number, _ in shuffled])
