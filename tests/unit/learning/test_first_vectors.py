"""First word vectors, counted from the pairs."""

import math

import numpy as np
import pytest
import torch

from seq2seq_cli.compute.ragged import Ragged
from seq2seq_cli.config.schema.model import ModelConfig
from seq2seq_cli.corpus.prepared import ParallelIds
from seq2seq_cli.learning.first_vectors import begin_with, vectors_of
from seq2seq_cli.model.build import build_model


def pairs_of(*pairs: tuple[list[int], list[int]]) -> ParallelIds:
    return ParallelIds(src=Ragged.of([src for src, _ in pairs]), tgt=Ragged.of([tgt for _, tgt in pairs]))


@pytest.mark.parametrize(
    ("pairs", "together"),
    [
        # together[s][t]: how often source unit s is with target unit t, counted by hand over the pairs
        ([([0, 1], [0]), ([0], [0]), ([1], [1, 2])], [[2.0, 0, 0], [1, 1, 1], [0, 0, 0]]),
        ([([1, 0, 1], [1, 0]), ([0], [0])], [[2.0, 1], [2, 2]]),  # a unit counts as often as a sentence has it
    ],
)
def test_products_of_vectors_are_the_positive_pointwise_mutual_information(
    pairs: list[tuple[list[int], list[int]]], together: list[list[float]]
) -> None:
    size, n = len(together), torch.tensor(together)
    # Products of matrices with unordered or repeated columns may damage memory, which shows on some processors alone.
    with torch.sparse.check_sparse_tensor_invariants():  # type: ignore[no-untyped-call]
        src, tgt = vectors_of(pairs_of(*pairs), src_size=size, tgt_size=size, dimension=5)
    smoothed = n.sum(dim=0) ** 0.75
    expected = (n * smoothed.sum() / (n.sum(dim=1, keepdim=True) * smoothed)).log().clamp(min=0).nan_to_num()
    assert src.shape == tgt.shape == (size, 5)
    torch.testing.assert_close(src @ tgt.T, expected, atol=1e-5, rtol=0)


def test_units_that_translate_one_another_begin_alike() -> None:
    random = np.random.default_rng(0)
    words = [random.choice(40, size=5, replace=False) for _ in range(500)]
    pairs = pairs_of(*((each.tolist(), (random.permutation(each) + 40).tolist()) for each in words))
    src, tgt = vectors_of(pairs, src_size=81, tgt_size=81, dimension=32)
    both = torch.nn.functional.normalize(src + tgt, dim=1)
    assert (both @ both[40:80].T)[:40].argmax(dim=1).tolist() == list(range(40))
    assert not both[80].any()  # it occurs nowhere


@pytest.mark.parametrize("tied", ["none", "all"])
def test_vectors_have_the_length_of_drawn_ones_and_units_without_one_keep_theirs(tied: str) -> None:
    sizes = {"embedding_size": 8, "hidden_size": 8}
    config = ModelConfig.model_validate(
        {"tied_embeddings": tied, "encoder": sizes, "decoder": {**sizes, "readout": "attentional"}}
    )
    torch.manual_seed(0)
    model = build_model(config, src_size=6, tgt_size=6)
    weights = [model.encoder.embedding.weight, model.decoder.embedding.weight]
    drawn = [weight.detach().clone() for weight in weights]
    src, tgt = torch.randn(6, 9), torch.randn(6, 9)
    src[2] = tgt[2] = 0
    begin_with(model, src, tgt)
    wanted = [src + tgt] * 2 if tied == "all" else [src, tgt]
    for weight, vectors, before in zip(weights, wanted, drawn, strict=True):
        assert torch.equal(weight[2], before[2])
        alike = torch.nn.functional.cosine_similarity(weight, vectors[:, :8])
        torch.testing.assert_close(alike[[0, 1, 3, 4, 5]], torch.ones(5))
        torch.testing.assert_close(weight[0].norm(), before.std() * math.sqrt(8))
