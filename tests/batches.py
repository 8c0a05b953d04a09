"""What tests say of batches."""

import torch

from seq2seq_cli.corpus.batches import Batch


def assert_same(left: Batch, right: Batch) -> None:
    """Both hold the same ids in the same places."""
    for name in ("src", "src_lengths", "tgt_in", "tgt_out", "places", "tgt_tokens"):
        assert torch.equal(getattr(left, name), getattr(right, name)), name
