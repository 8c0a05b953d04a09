from typing import TYPE_CHECKING

import numpy as np
import pytest

from seq2seq_cli.corpus.batches import collate, epoch_order, length_order
from seq2seq_cli.corpus.prepared import ParallelIds
from seq2seq_cli.text.vocabulary import BOS, EOS, PAD
from tests.corpora import prepared, symbol_sequences

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def ids(tmp_path_factory: pytest.TempPathFactory) -> ParallelIds:
    folder: Path = tmp_path_factory.mktemp("batches")
    sequences = symbol_sequences(300, shortest=1, longest=12)
    return prepared(folder, [(s, s) for s in sequences], ["data.valid_sources=0", "data.test_sources=0"]).split("train")


def test_an_epoch_has_every_pair_once(ids: ParallelIds) -> None:
    for order in (epoch_order(ids, batch_size=16, seed=1, epoch=0), length_order(ids, batch_size=16)):
        assert sorted(np.concatenate(order).tolist()) == list(range(300))
        assert sorted({len(batch) for batch in order}) == [300 % 16, 16]


def test_the_order_follows_from_seed_and_epoch(ids: ParallelIds) -> None:
    def order(seed: int, epoch: int) -> list[list[int]]:
        return [batch.tolist() for batch in epoch_order(ids, batch_size=16, seed=seed, epoch=epoch)]

    assert order(1, 0) == order(1, 0)
    assert order(1, 0) != order(1, 1)
    assert order(1, 0) != order(2, 0)


def test_a_batch_has_like_lengths(ids: ParallelIds) -> None:
    for lengths in (ids.src_lengths, ids.tgt_lengths):
        spans = [np.ptp(lengths[batch]) for batch in epoch_order(ids, batch_size=16, seed=1, epoch=0)]
        assert max(spans) <= 1


def test_a_batch_is_padded_on_the_right_and_framed(ids: ParallelIds) -> None:
    short, long = int(np.argmin(ids.src_lengths)), int(np.argmax(ids.src_lengths))
    batch = collate(ids, [short, long])
    width = int(ids.src_lengths[long]) + 1
    word = int(ids.src(short)[0])
    padding = [PAD] * (width - 2)
    assert batch.src[0].tolist() == [word, EOS, *padding]
    assert batch.src_lengths.tolist() == [2, width]
    assert batch.tgt_in[0].tolist() == [BOS, int(ids.tgt(short)[0]), *padding]
    assert batch.tgt_out[0].tolist() == [int(ids.tgt(short)[0]), EOS, *padding]
    assert batch.tgt_in[1].tolist() == [BOS, *ids.tgt(long).tolist()]
    assert batch.tgt_out[1].tolist() == [*ids.tgt(long).tolist(), EOS]
