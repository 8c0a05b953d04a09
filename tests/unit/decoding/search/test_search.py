"""Search on transition tables, against the search over all sequences."""

from contextlib import closing
from itertools import pairwise
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jaxtyping import Float

from seq2seq_cli.compute.threads import map_in_threads
from seq2seq_cli.decoding.search.constrained import Constraints
from seq2seq_cli.decoding.search.rows import Hypothesis
from seq2seq_cli.decoding.search.search import search
from seq2seq_cli.decoding.search.strategy import largest_repetition
from seq2seq_cli.text.vocabulary import BOS, EOS, PAD, UNK
from tests.unit.decoding.search.tables import (
    SHORT,
    A,
    B,
    C,
    TableEngine,
    all_sequences,
    options,
    random_engine,
    score,
    table,
    token_log_probabilities,
    weights_of,
)

IMMEDIATE = table(bos={EOS: 0.8, A: 0.2}, a={EOS: 1.0})
ENDLESS = table(bos={C: 1.0}, c={C: 0.75, EOS: 0.25})

EXHAUSTIVE = 5**4
"""A beam that holds every sequence of the random tables: 4 words with UNK, and at most 4 tokens."""

seeds = st.integers(0, 2**32 - 1)
penalties = st.fixed_dictionaries(
    {
        "length_penalty": st.sampled_from(["none", "average", "gnmt"]),
        "length_penalty_alpha": st.sampled_from([0.3, 1.0, 2.5]),
        "coverage_penalty": st.sampled_from([0.0, 0.4, 3.0]),
    }
)


def find(transitions: Float[np.ndarray, "V V"], *source: int, **values: object) -> Hypothesis:
    """The best translation by a table."""
    [[best]] = search(TableEngine(transitions[np.newaxis]), [[0, *source]], options(**values))
    return best


def test_greedy_search_takes_the_most_probable_token_and_a_beam_the_most_probable_sequence() -> None:
    greedy = find(SHORT, beam_size=1)
    assert greedy.ids == [A, B, EOS]
    assert greedy.log_probability == pytest.approx(log(0.6) + log(0.5) + log(0.9), abs=1e-12)
    best = find(SHORT, beam_size=2)
    assert best.ids == [B, EOS]
    assert best.log_probability == best.score == pytest.approx(log(0.4) + log(0.9), abs=1e-12)


def test_the_length_limit_cuts_what_does_not_end() -> None:
    found = search(TableEngine(np.stack([ENDLESS, SHORT])), [[0, 9], [0], [1]], options(longest=2, beam_size=1))
    assert [[h.ids for h in hypotheses] for hypotheses in found] == [[[C, C]], [[C, C]], [[A, B]]]
    by_source = options(beam_size=1, max_length_factor=1.5, longest=1)
    found = search(TableEngine(ENDLESS[np.newaxis]), [[0, 9, 9], [0]], by_source)
    assert [h.ids for [h] in found] == [[C] * 5, [C] * 2]
    assert not found[0][0].ended


@settings(max_examples=40)
@given(seeds, penalties, st.integers(0, 3))
def test_a_wide_beam_finds_the_best_of_all_sequences(seed: int, penalty: dict[str, object], shortest: int) -> None:
    engine, source = random_engine(seed), [0, A, A]
    chosen = options(beam_size=EXHAUSTIVE, n_best=7, min_length=shortest, **penalty)
    found = search(engine, [source], chosen)[0]
    allowed = [ids for ids in all_sequences(engine.vocabulary_size, 4) if len(ids) > shortest]
    best = sorted((score(engine, source, ids, chosen) for ids in allowed), reverse=True)[:7]
    assert [h.score for h in found] == pytest.approx(best, abs=1e-6)
    assert [score(engine, source, h.ids, chosen) for h in found] == pytest.approx(best, abs=1e-6)


@settings(max_examples=50)
@given(seeds, penalties, st.integers(1, 6), st.integers(1, 3))
def test_the_n_best_are_sorted_and_distinct_and_scored_by_the_model(
    seed: int, penalty: dict[str, object], beam_size: int, n_best: int
) -> None:
    engine, source = random_engine(seed, sharpness=3.0), [0, A]
    size = max(beam_size, n_best)
    chosen = options(longest=6, beam_size=size, n_best=n_best, prune=1.0, **penalty)
    found = search(engine, [source], chosen)[0]
    assert len(found) == n_best
    assert len({tuple(h.ids) for h in found}) == n_best
    ended = [h for h in found if h.ended]
    assert found[: len(ended)] == ended
    assert all(a.score >= b.score for a, b in pairwise(ended))
    for h in found:
        expected = token_log_probabilities(engine, source, h.ids)
        assert h.token_log_probabilities.tolist() == pytest.approx(expected, abs=1e-5)
        assert h.log_probability == pytest.approx(h.token_log_probabilities.sum(), abs=1e-5)
        assert h.score == pytest.approx(score(engine, source, h.ids, chosen), abs=1e-5)
        np.testing.assert_allclose(h.weights, weights_of(source, h.ids), atol=1e-6)
        assert PAD not in h.ids
        assert BOS not in h.ids
        assert EOS not in h.ids[:-1]


@settings(max_examples=30)
@given(seeds, st.integers(1, 4), st.permutations(range(5)), st.sampled_from([None, 0.5]), st.integers(0, 2))
def test_the_answer_does_not_depend_on_the_other_sentences(
    seed: int, beam_size: int, order: list[int], prune: float | None, ngram: int
) -> None:
    engine = random_engine(seed, tables=5)
    chosen = options(longest=5, beam_size=beam_size, prune=prune, no_repeat_ngram_size=ngram)
    sources = [[i, *[A] * i] for i in order]
    for source, [together] in zip(sources, search(engine, sources, chosen), strict=True):
        [[alone]] = search(engine, [source], chosen)
        assert together.ids == alone.ids
        assert together.score == alone.score
        assert together.weights.tolist() == alone.weights.tolist()


def test_hypotheses_that_are_finished_or_cannot_win_leave_the_batch() -> None:
    greedy = TableEngine(np.stack([SHORT, IMMEDIATE, ENDLESS]))
    search(greedy, [[0], [1], [2]], options(beam_size=1))
    assert greedy.rows == [3, 2, 2, 1]
    beam = TableEngine(IMMEDIATE[np.newaxis])
    search(beam, [[0]], options(beam_size=2))
    assert beam.rows == [1]  # a is less probable than <eos> already
    search(beam, [[0]], options(beam_size=2, n_best=2))
    assert beam.rows == [1, 1, 1]


def test_hopeless_hypotheses_are_pruned_but_not_the_n_best() -> None:
    # b, with 0.4, is log(1.5) = 0.41 below a; what follows from it would win.
    def ids(prune: float, n_best: int = 1) -> list[list[int]]:
        chosen = options(beam_size=2, prune=prune, n_best=n_best)
        return [h.ids for h in search(TableEngine(SHORT[np.newaxis]), [[0]], chosen)[0]]

    assert ids(0.42) == [[B, EOS]]
    assert ids(0.40) == [[A, B, EOS]]
    assert ids(0.40, n_best=2) == [[B, EOS], [A, B, EOS]]


@settings(max_examples=50)
@given(seeds, st.integers(1, 4), st.integers(1, 3), st.lists(st.sampled_from([A, B]), max_size=6))
def test_no_ngram_is_repeated_more_often_than_in_the_source(
    seed: int, beam_size: int, size: int, source: list[int]
) -> None:
    engine = random_engine(seed, words=8, sharpness=4.0)
    chosen = options(longest=9, beam_size=beam_size, no_repeat_ngram_size=size)
    [[found]] = search(engine, [[0, *source]], chosen)
    assert largest_repetition(found.ids, size) <= largest_repetition([0, *source], size)
    assert largest_repetition(source, 10**9) == largest_repetition(source, len(source) + 1)


def test_an_ngram_may_be_repeated_as_often_as_one_of_the_source() -> None:
    def ids(*source: int) -> list[int]:
        return find(ENDLESS, *source, longest=6, beam_size=1, no_repeat_ngram_size=2).ids

    assert ids() == [C, C, EOS]
    assert ids(A, B, A, B) == [C, C, C, EOS]
    assert ids(A, A, A, A) == [C, C, C, C, EOS]


def test_unknown_words_may_follow_each_other() -> None:
    unknown = table(bos={C: 1.0}, c={UNK: 1.0})
    unknown[UNK, UNK] = 1.0
    found = find(unknown, longest=6, beam_size=1, no_repeat_ngram_size=2)
    assert found.ids == [C, UNK, UNK, UNK, UNK, UNK]


def test_a_row_without_any_allowed_token_ends() -> None:
    assert find(table(bos={C: 1.0}, c={C: 1.0}), beam_size=2, no_repeat_ngram_size=1).ids == [C]
    nothing = find(table(bos={EOS: 1.0}), beam_size=2, min_length=1)
    assert (nothing.ids, nothing.log_probability, nothing.weights.shape) == ([], 0.0, (0, 2))


def test_the_best_allowed_token_is_found_behind_any_number_of_banned_ones() -> None:
    # After every token the next ones are the better the smaller they are, and none may occur twice.
    falling = np.zeros((64, 64))
    falling[:, A:] = 0.5 ** np.arange(1, 61)
    assert find(falling, longest=50, beam_size=1, no_repeat_ngram_size=1).ids == list(range(A, A + 50))


def test_no_more_proposals_are_asked_for_than_the_bans_of_the_best_tokens_need() -> None:
    # The better the smaller they are: of the banned tokens, 40 are among the best and 400 are not.
    falling = np.zeros((600, 600))
    falling[:, A:] = 0.99 ** np.arange(596)
    falling[:, EOS] = 0.7
    engine = TableEngine(falling[np.newaxis])
    banned = Constraints(prefix=(A,), after_prefix={*range(A, A + 40), *range(200, 600)})
    [[found]] = search(engine, [[0]], options(beam_size=1, longest=1, min_length=2), constraints=[banned])
    assert found.ids == [A, A + 40]
    assert max(engine.proposals) < 400


def test_a_search_in_a_thread_ends_when_nobody_wants_its_result() -> None:
    short, endless = table(bos={EOS: 1.0}), table(bos={A: 1.0}, a={A: 1.0})
    engine, longest = TableEngine(np.stack([short, endless])), 10_000

    def translate(number: int) -> list[list[Hypothesis]]:
        return search(engine, [[number]], options(longest=longest))

    with closing(map_in_threads(translate, [0, 1, 1], 2)) as found:
        assert next(found)[0][0].ids == [EOS]
    assert len(engine.rows) < longest


def test_unk_may_be_chosen_as_often_as_its_limit_allows() -> None:
    unknown = np.zeros((7, 7))
    unknown[:, UNK], unknown[:, EOS] = 0.6, 0.4
    engine = TableEngine(unknown[np.newaxis])
    for limits in ([2], [0], [1, 9]):
        found = search(engine, [[0]] * len(limits), options(beam_size=2, longest=4), most_unknown=limits)
        assert [best.ids.count(UNK) <= most for [best], most in zip(found, limits, strict=True)] == [True] * len(limits)
    assert find(unknown).ids == [EOS]
    assert search(engine, [[0]], options(beam_size=1, longest=9), most_unknown=[3])[0][0].ids == [UNK] * 3 + [EOS]
