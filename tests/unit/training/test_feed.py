"""The batches of an epoch, from any position on, of changed pairs, for each process and on each device."""

import threading
from collections.abc import Iterable
from itertools import chain

import numpy as np
import pytest
from numpy.typing import NDArray

from seq2seq_cli.config.schema.training import AugmentationConfig, TrainingConfig
from seq2seq_cli.corpus.augmentation import Augmentation
from seq2seq_cli.corpus.batches import Batch, collate, epoch_order
from seq2seq_cli.corpus.names import Names
from seq2seq_cli.corpus.numbers import Numbers
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.text.vocabulary import PAD
from seq2seq_cli.training.feed import feed
from tests.batches import assert_same
from tests.pretend_device import PRETEND, pretended_gpu
from tests.tiny import CPU


def order_of(corpus: PreparedCorpus) -> list[NDArray[np.int64]]:
    return epoch_order(corpus.split("train"), size=60, unit="token", seed=1, epoch=2)


UNCHANGED = {name: 0.0 for name in AugmentationConfig.model_fields if name != "enabled"}


def augmentation(corpus: PreparedCorpus, stream: int = 0, /, **probabilities: float) -> Augmentation:
    return Augmentation(
        codecs=corpus.codecs,
        training=TrainingConfig(augmentation=AugmentationConfig.model_validate(UNCHANGED | probabilities)),
        names=Names.of((), units=()),
        numbers=Numbers(),
        stream=stream,
    )


def fed(
    corpus: PreparedCorpus, order: list[NDArray[np.int64]], changes: Augmentation | None, start: int = 0
) -> list[Batch]:
    ids = corpus.split("train")
    return list(feed(ids, order, changes, epoch=2, start=start, device=CPU))


def pairs_in(batches: Iterable[Batch]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The pairs of all batches, sorted, without padding."""
    pairs = [pair for batch in batches for pair in zip(batch.src.tolist(), batch.tgt_out.tolist(), strict=True)]
    return sorted((tuple(filter(PAD.__ne__, src)), tuple(filter(PAD.__ne__, tgt))) for src, tgt in pairs)


@pytest.mark.parametrize("start", [0, 3])
def test_an_epoch_continues_at_its_position(corpus: PreparedCorpus, start: int) -> None:
    ids, order = corpus.split("train"), order_of(corpus)
    for batch, rows in zip(fed(corpus, order, None, start), order[start:], strict=True):
        assert_same(batch, collate(ids, rows))


@pytest.fixture
def short_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seq2seq_cli.training.feed.WINDOW", 4)


@pytest.mark.usefixtures("short_windows")
@pytest.mark.parametrize("start", [1, 4, 6, 11])
def test_an_epoch_of_changed_pairs_continues_at_any_position(corpus: PreparedCorpus, start: int) -> None:
    order, changes = order_of(corpus), augmentation(corpus, kept=0.5, joined=0.5)
    whole = fed(corpus, order, changes)
    assert len(whole) == len(order)
    for batch, expected in zip(fed(corpus, order, changes, start), whole[start:], strict=True):
        assert_same(batch, expected)


@pytest.mark.usefixtures("short_windows")
def test_a_window_has_each_of_its_pairs_once_in_other_batches(corpus: PreparedCorpus) -> None:
    order = order_of(corpus)
    changed, plain = fed(corpus, order, augmentation(corpus)), fed(corpus, order, None)
    assert pairs_in(changed[:4]) == pairs_in(plain[:4])
    assert pairs_in(changed[4:8]) == pairs_in(plain[4:8])
    assert pairs_in(changed) == pairs_in(plain)
    assert [pairs_in([batch]) for batch in changed] != [pairs_in([batch]) for batch in plain]


@pytest.mark.usefixtures("short_windows")
@pytest.mark.parametrize("probabilities", [{}, {"joined": 1.0}])
def test_each_process_has_a_part_of_every_window(corpus: PreparedCorpus, probabilities: dict[str, float]) -> None:
    order, size = order_of(corpus), 3
    shares = [[rows[rank::size] for rows in order] for rank in range(size)]
    batches = [fed(corpus, share, augmentation(corpus, i, **probabilities)) for i, share in enumerate(shares)]
    assert [len(each) for each in batches] == [len(order)] * size
    if not probabilities:
        assert pairs_in(chain(*batches)) == pairs_in(fed(corpus, order, None))
    for together in zip(*batches, strict=True):
        widths = [batch.src.shape[1] for batch in together if len(batch)]
        assert max(widths, default=0) < 4 * min(widths, default=1)


@pytest.mark.parametrize("changes", [None, {}, {"joined": 1.0}])
def test_a_process_without_a_pair_has_an_empty_batch(corpus: PreparedCorpus, changes: dict[str, float] | None) -> None:
    order = [np.array([5]), np.zeros(0, dtype=np.int64)]
    batches = fed(corpus, order, None if changes is None else augmentation(corpus, **changes))
    assert sorted(map(len, batches)) == [0, 1]
    assert sorted(batch.tokens for batch in batches) == [0, int(corpus.split("train").tgt.lengths[5]) + 1]


def test_a_gpu_gets_the_same_batches(corpus: PreparedCorpus) -> None:
    ids, order, changes = corpus.split("train"), order_of(corpus), augmentation(corpus, kept=0.5, joined=0.5)
    before = threading.active_count()
    with pretended_gpu():
        here, there = (list(feed(ids, order, changes, epoch=2, start=0, device=device)) for device in (CPU, PRETEND))
        assert all(batch.src.device == PRETEND for batch in there)
        for left, right in zip(here, there, strict=True):
            assert_same(left, right.to(CPU))
    assert threading.active_count() == before
