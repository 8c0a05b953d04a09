"""The pairs of an epoch: all own pairs, a share of what helps, texts with noise as their own sources."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seq2seq_cli.compute.ragged import Ragged
from seq2seq_cli.config.schema.training import HelpConfig, TrainingConfig
from seq2seq_cli.corpus.prepared import ParallelIds, PreparedCorpus
from seq2seq_cli.preparation.pipeline import prepare
from seq2seq_cli.training.feed import Mixture, noisy
from tests.corpora import pair_lines


def rows(ids: Ragged) -> list[tuple[int, ...]]:
    return [tuple(ids.row(i).tolist()) for i in range(len(ids))]


def pairs(ids: ParallelIds) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    return list(zip(rows(ids.src), rows(ids.tgt), strict=True))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> PreparedCorpus:
    folder = tmp_path_factory.mktemp("mixture")
    files = {
        "deu.txt": pair_lines(40),
        "fra.txt": [f"bird {n}\toiseau {n}" for n in range(300)],
        "text.txt": [f"Satz Nummer {n}" for n in range(100)],
    }
    for name, lines in files.items():
        (folder / name).write_text("\n".join(lines), encoding="utf-8")
    report = prepare(
        folder / "deu.txt", out=folder / "out", related=[folder / "fra.txt"], tgt_only=[folder / "text.txt"]
    )
    return PreparedCorpus.open(report.out)


def mixture(corpus: PreparedCorpus, **help_: float) -> Mixture:
    return Mixture.of(TrainingConfig(help=HelpConfig(**{"least_covered": 0.0} | help_)), corpus)


def test_an_epoch_has_all_own_pairs_and_a_share_of_the_others(corpus: PreparedCorpus) -> None:
    own = corpus.split("train")
    mixed = mixture(corpus, own_share=0.25, noise=0.0)
    tokens = int(own.tokens.sum())
    first, second = (pairs(mixed.of_epoch(epoch, alone=False)) for epoch in (0, 1))
    for epoch in (0, 1):
        # The next pair, of fewer than 10 tokens, would be too many.
        assert 4 * tokens - 10 < mixed.of_epoch(epoch, alone=False).tokens.sum() <= 4 * tokens
    assert first[: len(own)] == pairs(own)
    known = Counter(pairs(corpus.split("related")) + pairs(corpus.split("tgt_only")))
    assert Counter(src for src, _ in first[len(own) :]) != Counter(src for src, _ in second[len(own) :])
    related = [pair for pair in first[len(own) :] if pair in known and pair[0] != pair[1]]
    # Drawn alike from both: 300 of 400 are related.
    assert 0.6 < len(related) / (len(first) - len(own)) < 0.9
    assert pairs(mixed.of_epoch(1, alone=False)) == second
    assert pairs(mixed.of_epoch(1, alone=True)) == pairs(own)


def test_nothing_is_drawn_twice_in_an_epoch(corpus: PreparedCorpus) -> None:
    mixed = mixture(corpus, own_share=0.01)
    assert len(mixed.of_epoch(0, alone=False)) == len(corpus.split("train")) + 400


@given(
    st.lists(st.lists(st.integers(4, 50), max_size=8), min_size=1, max_size=20),
    st.sampled_from([0.0, 0.1, 0.5, 1.0]),
    st.integers(0, 99),
)
def test_noise_moves_tokens_a_little_and_leaves_no_row_empty(lists: list[list[int]], noise: float, seed: int) -> None:
    ids = Ragged.of(lists)
    changed = noisy(ids, noise, np.random.default_rng(seed))
    assert len(changed) == len(ids)
    for before, after in zip(rows(ids), rows(changed), strict=True):
        assert bool(after) == bool(before)
        assert len(after) <= len(before)
        assert set(after) <= {token for each in lists for token in each}
        if noise == 0.0:
            assert Counter(after) == Counter(before)
        if noise == 1.0:
            assert len(after) <= 1
    if noise == 0.0:
        places = noisy(Ragged.of([list(range(40))]), 0.0, np.random.default_rng(seed)).row(0).tolist()
        assert all(abs(place - token) <= 3 for place, token in enumerate(places))
