"""Batches: every pair once, within the size, with little padding, in an order that the seed decides."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from seq2seq_cli.compute.ragged import Ragged, offsets_of
from seq2seq_cli.config.choices import BatchUnit
from seq2seq_cli.corpus.batches import collate, cut_into, epoch_order, length_order
from seq2seq_cli.corpus.prepared import ParallelIds
from seq2seq_cli.text.vocabulary import BOS, EOS, PAD

Lengths = list[tuple[int, int]]
Order = list[NDArray[np.int64]]

lengths_of_pairs = st.lists(st.tuples(st.integers(1, 30), st.integers(1, 30)), min_size=1, max_size=200)
sizes = st.integers(1, 200)
units = st.sampled_from(["token", "sentence"])


def pairs_of(lengths: Lengths) -> ParallelIds:
    """Pairs of these lengths; the words of row i of a side are all 10 + i."""
    src, tgt = (Ragged.of([[10 + i] * length for i, length in enumerate(side)]) for side in zip(*lengths, strict=True))
    return ParallelIds(src=src, tgt=tgt)


def orders(ids: ParallelIds, size: int, unit: BatchUnit) -> list[Order]:
    return [epoch_order(ids, size=size, unit=unit, seed=1, epoch=0), length_order(ids, size=size, unit=unit)]


def plain(order: Order) -> list[list[int]]:
    return [batch.tolist() for batch in order]


@given(lengths_of_pairs, sizes, units)
def test_every_pair_comes_once(lengths: Lengths, size: int, unit: BatchUnit) -> None:
    for order in orders(pairs_of(lengths), size, unit):
        assert sorted(np.concatenate(order).tolist()) == list(range(len(lengths)))


@given(lengths_of_pairs, sizes)
def test_neither_side_of_a_batch_is_larger_than_the_budget_of_tokens(lengths: Lengths, size: int) -> None:
    ids = pairs_of(lengths)
    for order, side in product(orders(ids, size, "token"), (ids.src.lengths, ids.tgt.lengths)):
        # EOS is one more on each side.
        assert all(len(batch) * (side[batch].max() + 1) <= size for batch in order if len(batch) > 1)


@given(lengths_of_pairs, sizes, units, st.integers(0, 5))
def test_every_epoch_has_the_same_number_of_batches(lengths: Lengths, size: int, unit: BatchUnit, epoch: int) -> None:
    ids = pairs_of(lengths)
    counts = {len(epoch_order(ids, size=size, unit=unit, seed=1, epoch=e)) for e in (epoch, epoch + 1)}
    assert len(counts) == 1


@given(lengths_of_pairs, st.integers(1, 20), units)
def test_pairs_are_cut_into_a_number_of_batches(lengths: Lengths, count: int, unit: BatchUnit) -> None:
    ids = pairs_of(lengths)
    order = cut_into(ids, count, unit=unit, seed=1, epoch=0, window=0)
    assert len(order) == count
    assert sorted(np.concatenate(order).tolist()) == list(range(len(lengths)))
    assert plain(order) == plain(cut_into(ids, count, unit=unit, seed=1, epoch=0, window=0))


def test_the_batches_that_pairs_are_cut_into_are_of_one_size() -> None:
    ids = pairs_of([(3, 3)] * 24 + [(7, 7)] * 12)
    of_tokens, of_sentences = (
        sorted(map(len, cut_into(ids, 6, unit=unit, seed=1, epoch=0, window=0))) for unit in ("token", "sentence")
    )
    assert of_tokens == [4, 4, 4, 8, 8, 8]  # 32 positions each, with EOS
    assert of_sentences == [6] * 6


def test_a_budget_is_filled_and_a_pair_beyond_it_is_a_batch_of_its_own() -> None:
    ids = pairs_of([(2, 2), (2, 2), (2, 2), (2, 2), (2, 2), (20, 3)])
    # Rows of 3 with EOS: four of them are 12. The last pair is longer than the budget.
    assert plain(length_order(ids, size=12, unit="token")) == [[0, 1, 2, 3], [4], [5]]


@given(lengths_of_pairs, sizes)
def test_batches_of_more_than_eight_pairs_have_a_multiple_but_for_the_last(lengths: Lengths, size: int) -> None:
    *others, _ = length_order(pairs_of(lengths), size=size, unit="token")
    assert all(len(batch) <= 8 or len(batch) % 8 == 0 for batch in others)


def test_an_empty_corpus_has_no_batches() -> None:
    ids = ParallelIds(src=Ragged.of([]), tgt=Ragged.of([]))
    for unit in ("token", "sentence"):
        assert length_order(ids, size=8, unit=unit) == []


def test_the_order_depends_on_seed_and_epoch() -> None:
    ids = pairs_of([(3, 4)] * 100 + [(5, 5)] * 100)

    def order(seed: int, epoch: int) -> list[list[int]]:
        return plain(epoch_order(ids, size=60, unit="token", seed=seed, epoch=epoch))

    assert order(1, 0) == order(1, 0)
    assert order(1, 0) != order(1, 1)
    assert order(1, 0) != order(2, 0)
    # Not only is the order of the batches another: they hold other pairs.
    assert set(map(frozenset, order(1, 0))).isdisjoint(map(frozenset, order(1, 1)))


@pytest.mark.parametrize("size", [300, 768, 3000])
@settings(max_examples=5)
@given(seed=st.integers(0, 2**32 - 1))
def test_less_than_a_twentieth_of_a_corpus_of_short_sentences_is_padding(size: int, seed: int) -> None:
    lengths = like_tatoeba(30_000, seed)
    ids = ParallelIds(src=_of_lengths(lengths[0]), tgt=_of_lengths(lengths[1]))
    order = epoch_order(ids, size=size, unit="token", seed=1, epoch=0)
    real = sum(int((side + 1).sum()) for side in lengths)
    padded = sum(len(batch) * int(side[batch].max() + 1) for batch in order for side in lengths)
    assert 1 - real / padded < 0.05


def like_tatoeba(count: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Lengths like in published files: mostly 4 to 12 tokens, a long tail, targets within 20 % of their sources."""
    random = np.random.default_rng(seed)
    src = np.clip(np.rint(random.lognormal(2.0, 0.4, count)), 1, 100)
    tgt = np.clip(np.rint(src * random.normal(1.0, 0.2, count)), 1, 100)
    return src.astype(np.int64), tgt.astype(np.int64)


def _of_lengths(lengths: NDArray[np.int64]) -> Ragged:
    return Ragged(values=np.zeros(int(lengths.sum()), dtype=np.uint32), offsets=offsets_of(lengths))


def test_a_batch_is_padded_on_the_right_and_framed() -> None:
    batch = collate(pairs_of([(9, 9), (1, 2), (3, 1)]), [1, 2])
    assert batch.src.tolist() == [[11, EOS, PAD, PAD], [12, 12, 12, EOS]]
    assert batch.src_lengths.tolist() == [2, 4]
    assert batch.tgt_in.tolist() == [[BOS, 11, 11], [BOS, 12, PAD]]
    assert batch.tgt_out.tolist() == [[11, 11, EOS], [12, EOS, PAD]]


@given(lengths_of_pairs)
def test_tokens_are_counted_on_the_target_side_without_padding(lengths: Lengths) -> None:
    batch = collate(pairs_of(lengths), range(len(lengths)))
    assert batch.tokens == (batch.tgt_out != PAD).sum() == sum(tgt + 1 for _, tgt in lengths)
    nothing = collate(pairs_of(lengths), [])
    assert len(nothing) == nothing.tokens == 0
