"""Batches made ahead are those made in place, and the thread that makes them leaves nothing behind."""

import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from seq2seq_cli.corpus.batches import Batch, collate, epoch_order
from seq2seq_cli.corpus.noise import Noise
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.errors import PreparedFolderError
from seq2seq_cli.training.feed import AHEAD, ahead, feed
from tests.batches import assert_same
from tests.tiny import CPU


def order_of(corpus: PreparedCorpus) -> list[NDArray[np.int64]]:
    return epoch_order(corpus.split("train"), size=60, unit="token", seed=1, epoch=2)


def noise_of(corpus: PreparedCorpus) -> Noise:
    return Noise(src_codec=corpus.src_codec, tgt_codec=corpus.tgt_codec, bpe_dropout=0.0, hidden_words=0.5, seed=1)


def makers() -> int:
    return sum(thread.name.startswith("feed") for thread in threading.enumerate())


@pytest.mark.parametrize("start", [0, 3])
def test_an_epoch_continues_at_its_position(corpus: PreparedCorpus, start: int) -> None:
    ids, order = corpus.split("train"), order_of(corpus)
    fed = list(feed(ids, order, None, epoch=2, start=start, device=CPU))
    assert len(fed) == len(order) - start
    for batch, rows in zip(fed, order[start:], strict=True):
        assert_same(batch, collate(ids, rows))


def test_the_noise_of_a_batch_is_that_of_its_epoch_and_position(corpus: PreparedCorpus) -> None:
    ids, order, noise = corpus.split("train"), order_of(corpus), noise_of(corpus)
    fed = list(feed(ids, order, noise, epoch=2, start=4, device=CPU))
    for position, batch in enumerate(fed, start=4):
        noisy = noise.apply(ids, order[position], epoch=2, position=position)
        assert_same(batch, collate(noisy, range(len(noisy))))


def test_batches_made_ahead_are_those_made_in_place(corpus: PreparedCorpus) -> None:
    ids, order = corpus.split("train"), order_of(corpus)

    def make(position: int) -> Batch:
        return collate(ids, order[position])

    positions = range(2, len(order))
    made = list(ahead(make, iter(positions)))
    assert len(made) == len(positions)
    for batch, position in zip(made, positions, strict=True):
        assert_same(batch, make(position))
    assert makers() == 0


def test_no_more_batches_are_made_ahead_than_the_limit(corpus: PreparedCorpus) -> None:
    ids, order = corpus.split("train"), order_of(corpus)
    made: list[int] = []

    def make(position: int) -> Batch:
        made.append(position)
        return collate(ids, order[position])

    batches = ahead(make, iter(range(len(order))))
    next(batches)
    batches.close()
    assert made == list(range(len(made)))
    assert len(made) <= 1 + AHEAD
    assert makers() == 0


def test_an_error_is_raised_in_the_place_of_its_batch(corpus: PreparedCorpus) -> None:
    ids = corpus.split("train")

    def make(position: int) -> Batch:
        if position == 2:
            raise PreparedFolderError("damaged")
        return collate(ids, [position])

    batches = ahead(make, iter(range(10)))
    assert [int(next(batches).src_lengths[0]) for _ in range(2)] == [int(ids.src.lengths[i]) + 1 for i in range(2)]
    with pytest.raises(PreparedFolderError, match="damaged") as raised:
        next(batches)
    assert "make" in [frame.name for frame in traceback.extract_tb(raised.value.__traceback__)]
    assert makers() == 0


@pytest.mark.parametrize("how", ["close", "drop", "interrupt"])
def test_the_thread_ends_with_its_consumer(corpus: PreparedCorpus, how: str) -> None:
    ids = corpus.split("train")

    def consume(batches: Iterator[Batch]) -> None:
        for _ in batches:
            if how == "interrupt":
                raise KeyboardInterrupt
            if how == "drop":
                return

    batches = ahead(lambda position: collate(ids, [position % 10]), iter(range(10**9)))
    if how == "close":
        next(batches)
        batches.close()
    elif how == "drop":
        consume(batches)
        del batches
    else:
        with pytest.raises(KeyboardInterrupt):
            consume(batches)
        batches.close()
    assert makers() == 0


UNFINISHED = """
from seq2seq_cli.training.feed import ahead

batches = ahead(lambda position: position, iter(range(10**9)))
print(next(batches))
raise KeyboardInterrupt
"""


def test_an_interrupted_program_ends_although_batches_are_left() -> None:
    done = subprocess.run([sys.executable, "-c", UNFINISHED], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "0\n"
    assert done.stderr.splitlines()[-1] == "KeyboardInterrupt"


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_gpu_gets_the_same_batches(corpus: PreparedCorpus) -> None:
    ids, order, noise = corpus.split("train"), order_of(corpus), noise_of(corpus)
    here, there = (
        list(feed(ids, order, noise, epoch=2, start=0, device=torch.device(name))) for name in ("cpu", "cuda")
    )
    assert all(batch.src.device.type == "cuda" for batch in there)
    for left, right in zip(here, there, strict=True):
        assert_same(left, right.to(CPU))
    assert makers() == 0
