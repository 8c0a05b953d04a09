"""Training noise: words hidden on both sides, and words divided into other subwords."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from seq2seq_cli.config.loader import load_config
from seq2seq_cli.config.schema.text import TextConfig
from seq2seq_cli.corpus.noise import Noise
from seq2seq_cli.corpus.prepared import ParallelIds
from seq2seq_cli.corpus.ragged import Ragged, offsets_of
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.segmenter import get_segmenter
from seq2seq_cli.text.sides import fit_codecs
from seq2seq_cli.text.vocabulary import UNK
from tests.corpora import WORDS, prepared

Pair = tuple[str, str]

PAIRS = [
    ("tom knows lisbon well .", "Tom kennt Lissabon gut ."),
    ("tom likes tom .", "Tom mag Tom ."),
    ("they built a house .", "Sie bauten ein Haus ."),
    ("houses , builders , knowing", "Häuser , Bauer , Kenner"),
]


def text_config(unit: str) -> TextConfig:
    languages = ("text.src.language=en", "text.tgt.language=de")
    return load_config(
        None,
        [
            *WORDS,
            f"text.unit={unit}",
            "text.shared_vocabulary=false",
            *languages,
            "text.src.min_count=1",
            "text.tgt.min_count=1",
        ],
    ).text


def codecs_of(pairs: Sequence[Pair], unit: str) -> tuple[Codec, Codec]:
    text = text_config(unit)
    counts = []
    for side, sentences in zip((text.src, text.tgt), zip(*pairs, strict=True), strict=True):
        segmenter = get_segmenter(side, text.unit)
        counts.append(Counter(token for sentence in sentences for token in segmenter.tokens(sentence)))
    return fit_codecs(text, counts[0], counts[1])


def noise_of(codecs: tuple[Codec, Codec], *, bpe_dropout: float = 0.0, hidden_words: float = 0.0) -> Noise:
    src, tgt = codecs
    return Noise(src_codec=src, tgt_codec=tgt, bpe_dropout=bpe_dropout, hidden_words=hidden_words, seed=1)


def encoded(pairs: Sequence[Pair], codecs: tuple[Codec, Codec]) -> ParallelIds:
    src, tgt = (
        [codec.read(text).ids for text in side] for codec, side in zip(codecs, zip(*pairs, strict=True), strict=True)
    )
    return ParallelIds(src=ragged(src), tgt=ragged(tgt))


def ragged(rows: list[list[int]]) -> Ragged:
    lengths = np.array([len(row) for row in rows])
    return Ragged(values=np.array([id_ for row in rows for id_ in row], dtype=np.uint16), offsets=offsets_of(lengths))


def every_row(ids: ParallelIds) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    return np.arange(len(ids))


def hidden(pair: Pair, unit: str) -> tuple[str, str]:
    """The pair with a hidden word as a model sees it, with ? for an unknown word."""
    codecs = codecs_of([*PAIRS, pair], unit)
    ids = encoded([pair], codecs)
    noisy = noise_of(codecs, hidden_words=1.0).apply(ids, every_row(ids), epoch=0, position=0)
    src, tgt = noisy.src.row(0).tolist(), noisy.tgt.row(0).tolist()
    return tuple(  # type: ignore[return-value]
        codec.write(side, {i: "?" for i, id_ in enumerate(side) if id_ == UNK}).text
        for codec, side in zip(codecs, (src, tgt), strict=True)
    )


@pytest.mark.parametrize("unit", ["word", "bpe"])
@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        (("Tom likes cake.", "Tom mag Kuchen."), ("? likes cake .", "? mag Kuchen.")),
        (("The Hotel is full.", "das hotel ist voll."), ("the ? is full .", "das ? ist voll.")),
        (("Tom likes Tom.", "Tom mag Tom."), ("? likes ? .", "? mag ?.")),
    ],
    ids=["name", "whatever the case", "twice on both sides"],
)
def test_a_word_that_both_sides_have_is_unknown_on_both(pair: Pair, expected: Pair, unit: str) -> None:
    src, tgt = hidden(pair, unit)
    assert src.lower() == expected[0]
    assert tgt == expected[1]


@pytest.mark.parametrize("unit", ["word", "bpe"])
@pytest.mark.parametrize(
    "pair",
    [
        ("They built a house.", "Sie bauten ein Haus."),
        ("Tom likes himself.", "Tom mag Tom."),
        ("... , !", "... , !"),
    ],
    ids=["nothing alike", "not as often", "punctuation"],
)
def test_other_pairs_stay_as_they_are(pair: Pair, unit: str) -> None:
    codecs = codecs_of([*PAIRS, pair], unit)
    ids = encoded([pair], codecs)
    noisy = noise_of(codecs, hidden_words=1.0).apply(ids, every_row(ids), epoch=0, position=0)
    assert noisy.src.row(0).tolist() == ids.src.row(0).tolist()
    assert noisy.tgt.row(0).tolist() == ids.tgt.row(0).tolist()


@pytest.mark.parametrize("unit", ["word", "bpe"])
def test_one_word_is_hidden_in_the_configured_fraction_of_pairs(unit: str) -> None:
    codecs = codecs_of([*PAIRS, ("Tom likes Berlin.", "Tom mag Berlin.")], unit)
    ids = encoded([("Tom likes Berlin.", "Tom mag Berlin.")] * 3000, codecs)
    noisy = noise_of(codecs, hidden_words=0.3).apply(ids, every_row(ids), epoch=0, position=0)
    unknown = np.array([(noisy.src.row(row) == UNK).sum() for row in range(3000)])
    assert unknown.max() == 1
    # 3,000 draws at 0.3: the mean is within 4 standard deviations of it.
    assert abs(unknown.mean() - 0.3) < 4 * (0.3 * 0.7 / 3000) ** 0.5
    names = {codecs[1].write(noisy.tgt.row(row).tolist()).text for row in range(3000)}
    assert names == {"Tom mag Berlin.", "mag Berlin.", "Tom mag."}


def test_bpe_dropout_leaves_the_text_and_changes_the_parts() -> None:
    codecs = codecs_of(PAIRS, "bpe")
    ids = encoded(PAIRS, codecs)
    half, whole = (
        noise_of(codecs, bpe_dropout=dropout).apply(ids, every_row(ids), epoch=0, position=0) for dropout in (0.5, 0.99)
    )
    for noisy in (half, whole):
        for row, (src, tgt) in enumerate(PAIRS):
            assert codecs[0].write(noisy.src.row(row).tolist()).text == codecs[0].write(codecs[0].read(src).ids).text
            assert codecs[1].write(noisy.tgt.row(row).tolist()).text == tgt
    for side in ("src", "tgt"):
        few, some, many = (len(getattr(pairs, side).values) for pairs in (ids, half, whole))
        assert few < some < many


def rows(pairs: ParallelIds) -> list[tuple[list[int], list[int]]]:
    return [(pairs.src.row(row).tolist(), pairs.tgt.row(row).tolist()) for row in range(len(pairs))]


@pytest.mark.parametrize(
    "amounts", [{"bpe_dropout": 0.5}, {"hidden_words": 0.5}, {"bpe_dropout": 0.5, "hidden_words": 0.5}]
)
def test_noise_is_reproducible_and_differs_between_epochs(amounts: dict[str, float]) -> None:
    codecs = codecs_of(PAIRS, "bpe")
    ids = encoded(PAIRS * 20, codecs)
    noise = noise_of(codecs, **amounts)
    chosen = np.array([7, 3, 20, 40, 41, 60, 61, 68, 9])
    first = rows(noise.apply(ids, chosen, epoch=2, position=5))
    noise.apply(ids, chosen, epoch=2, position=6)
    assert rows(noise.apply(ids, chosen, epoch=2, position=5)) == first
    assert rows(noise.apply(ids, chosen, epoch=3, position=5)) != first
    assert rows(noise.apply(ids, chosen, epoch=2, position=6)) != first


@pytest.mark.parametrize(
    ("unit", "stated", "share"),
    [
        ("word", "null", None),
        ("word", "0.3", 0.3),
        ("bpe", "null", 0.05),
        ("bpe", "0.0", None),
        ("bpe", "0.3", 0.3),
        ("character", "0.3", None),
    ],
)
def test_words_are_hidden_by_default_with_bpe_alone(
    tmp_path: Path, unit: str, stated: str, share: float | None
) -> None:
    corpus = prepared(tmp_path, PAIRS, [f"text.unit={unit}"])
    noise = Noise.of(load_config(None, [f"training.hidden_words={stated}"]).training, corpus)

    assert (noise and noise.hidden_words) == share
