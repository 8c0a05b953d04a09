"""The pairs of an epoch: all own pairs, a share of what helps, texts with moved tokens as their own sources."""

from collections import Counter

import pytest

from seq2seq_cli.compute.ragged import Ragged
from seq2seq_cli.config.schema.training import HelpConfig, TrainingConfig
from seq2seq_cli.corpus.prepared import ParallelIds, PreparedCorpus
from seq2seq_cli.preparation.pipeline import prepare
from seq2seq_cli.training.feed import Mixture
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
    mixed = mixture(corpus, own_share=0.25)
    tokens = int(own.tokens.sum())
    first, second = (pairs(mixed.of_epoch(epoch)) for epoch in (0, 1))
    for epoch in (0, 1):
        # The next pair, of fewer than 10 tokens, would be too many.
        assert 4 * tokens - 10 < mixed.of_epoch(epoch).tokens.sum() <= 4 * tokens
    assert first[: len(own)] == pairs(own)
    known = Counter(pairs(corpus.split("related")) + pairs(corpus.split("tgt_only")))
    assert Counter(src for src, _ in first[len(own) :]) != Counter(src for src, _ in second[len(own) :])
    related = [pair for pair in first[len(own) :] if pair in known and pair[0] != pair[1]]
    # Drawn alike from both: 300 of 400 are related.
    assert 0.6 < len(related) / (len(first) - len(own)) < 0.9
    assert pairs(mixed.of_epoch(1)) == second


def test_nothing_is_drawn_twice_and_the_tokens_of_a_copied_text_are_moved_a_little(corpus: PreparedCorpus) -> None:
    epoch = mixture(corpus, own_share=0).of_epoch(0)
    assert len(epoch) == len(corpus.split("train")) + 400
    texts = {tgt for _, tgt in pairs(corpus.split("tgt_only"))}
    copies = [(src, tgt) for src, tgt in pairs(epoch) if tgt in texts]
    assert len(copies) == len(corpus.split("tgt_only"))
    assert any(src != tgt for src, tgt in copies)
    for src, tgt in copies:
        assert sorted(src) == sorted(tgt)
        assert all(token in tgt[max(0, place - 2) : place + 3] for place, token in enumerate(src))
