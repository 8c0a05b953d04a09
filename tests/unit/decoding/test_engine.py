"""Which rows of a search read which source."""

import numpy as np

from seq2seq_cli.decoding.engine import readers_of, still_read


def test_the_rows_of_each_source_have_slots_filled_up_to_the_most() -> None:
    slots, places = readers_of(np.array([2, 0, 2, 2, 0]), 4)
    assert slots.tolist() == [[1, 4, 0], [0, 0, 0], [0, 2, 3], [0, 0, 0]]
    assert places.tolist() == [6, 0, 7, 8, 1]


def test_sources_are_left_out_once_half_of_them_have_no_row() -> None:
    kept, sources = still_read(np.array([3, 1, 1]), 4)
    assert kept is not None
    assert (kept.tolist(), sources.tolist()) == ([1, 3], [1, 0, 0])
    kept, sources = still_read(np.array([3, 1, 1, 0]), 4)
    assert (kept, sources.tolist()) == (None, [3, 1, 1, 0])
