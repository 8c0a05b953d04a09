"""Prefix and terms: always kept, and written where the model finds them best."""

import math
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seq2seq_cli.decoding.search.constrained import Constraints, Form, State, Term
from seq2seq_cli.decoding.search.rows import Hypothesis
from seq2seq_cli.decoding.search.search import search
from seq2seq_cli.text.vocabulary import BOS, EOS, UNK
from tests.unit.decoding.search.tables import (
    A,
    B,
    C,
    TableEngine,
    all_sequences,
    options,
    random_engine,
    table,
    token_log_probabilities,
    weights_of,
)

WORDS = [A, B, C, 7, 8, 9]

seeds = st.integers(0, 2**32 - 1)
form = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(tuple)
forms = st.lists(form, min_size=1, max_size=3, unique=True).map(tuple)
positions = st.frozensets(st.integers(0, 1)).map(tuple)
terms = st.lists(st.builds(Term, forms, positions), max_size=3).map(tuple)
constraints = st.fixed_dictionaries(
    {
        "prefix": st.lists(st.sampled_from([*WORDS, UNK]), max_size=2).map(tuple),
        "terms": terms,
        "continuing": st.frozensets(st.sampled_from(WORDS), max_size=2),
    }
)


def term(*forms: Form, at: tuple[int, ...] = ()) -> Term:
    return Term(forms, at)


def found(engine: TableEngine, constraint: Constraints, *source: int, **values: object) -> Hypothesis:
    """The best translation of one sentence under the constraint."""
    [[best]] = search(engine, [[0, *source]], options(**values), constraints=[constraint])
    return best


def after(constraint: Constraints, *tokens: int) -> State:
    """The state of a hypothesis whose tokens the model would have written by itself."""
    state = State(constraint, limit=9)
    for token in tokens:
        state = state.after(token, dict.fromkeys(state.asked(), 0.0), [], is_free=True)
    return state


def is_made_of(ids: Sequence[int], given: Sequence[Sequence[Form]]) -> bool:
    """Whether the tokens are one form of each of some of the terms, one after the other."""
    return not ids or any(
        tuple(ids[: len(form)]) == form and is_made_of(ids[len(form) :], [*given[:i], *given[i + 1 :]])
        for i, forms in enumerate(given)
        for form in forms
    )


@settings(max_examples=40)
@given(seeds, constraints, st.integers(1, 4), st.integers(1, 12), st.sampled_from([None, 1.0]), st.integers(0, 2))
def test_constraints_are_always_met_and_nothing_forced_is_left_dangling(
    seed: int, given_constraint: dict[str, Any], beam_size: int, longest: int, prune: float | None, ngram: int
) -> None:
    constraint = Constraints(**given_constraint)
    engine = random_engine(seed, words=len(WORDS), sharpness=3.0)
    best = found(engine, constraint, longest=longest, beam_size=beam_size, prune=prune, no_repeat_ngram_size=ngram)
    prefix = constraint.prefix
    assert tuple(best.ids[: len(prefix)]) == prefix
    assert best.forced.issuperset(range(len(prefix)))
    if not constraint.continuing and not prefix:
        forced = [best.ids[position] for position in sorted(best.forced)]
        assert len(forced) >= sum(min(map(len, term.forms)) for term in constraint.terms)
        for _, run in groupby(enumerate(sorted(best.forced)), key=lambda numbered: numbered[1] - numbered[0]):
            assert is_made_of([best.ids[position] for _, position in run], [term.forms for term in constraint.terms])
    occurring = [tuple(best.ids[i : i + n]) for n in (1, 2, 3) for i in range(len(best.ids) - n + 1)]
    assert all(any(form in occurring for form in term.forms) for term in constraint.terms)
    assert len(best.ids) <= constraint.longest + longest
    assert best.log_probability == pytest.approx(best.token_log_probabilities.sum(), abs=1e-9)


# "a b <eos>" by itself. c is never among the best, but after a it is more probable than at the start.
PLAIN = table(
    bos={A: 0.9, B: 0.09, C: 0.01},
    a={B: 0.85, C: 0.1, EOS: 0.05},
    b={EOS: 0.9, A: 0.09, C: 0.01},
    c={EOS: 0.5, B: 0.3, A: 0.2},
)


@pytest.mark.parametrize("beam_size", [1, 2, 5])
def test_the_model_decides_where_a_term_goes_and_one_that_is_written_anyway_changes_nothing(beam_size: int) -> None:
    engine = TableEngine(PLAIN[np.newaxis])
    best = found(engine, Constraints(terms=(term((C,)),)), beam_size=beam_size)
    assert best.ids == [A, C, EOS]
    assert best.forced == {1}
    [[free]] = search(engine, [[0]], options(beam_size=beam_size))
    best = found(engine, Constraints(terms=(term((A, B), (C,)),)), beam_size=beam_size)
    assert (best.ids, best.log_probability, sorted(best.forced)) == (free.ids, free.log_probability, [0, 1])


def test_an_improbable_term_is_not_made_up_for_by_more_tokens() -> None:
    # c is improbable everywhere; "a b" may be repeated at little cost.
    babbling = table(
        bos={A: 0.99, C: 0.01}, a={B: 0.97, C: 0.02, EOS: 0.01}, b={A: 0.49, EOS: 0.5, C: 0.01}, c={EOS: 0.9, B: 0.1}
    )
    chosen = {"beam_size": 5, "length_penalty": "average", "longest": 12}
    best = found(TableEngine(babbling[np.newaxis]), Constraints(terms=(term((C,)),)), **chosen)
    assert best.ids == [A, C, EOS]
    assert best.score == best.log_probability


def test_hypotheses_less_probable_than_a_finished_one_with_a_term_leave_the_batch() -> None:
    likely = table(bos={A: 0.99, C: 0.01}, a={B: 0.5, C: 0.02, EOS: 0.48}, b={A: 0.5, EOS: 0.5}, c={EOS: 0.9, B: 0.1})
    engine = TableEngine(likely[np.newaxis])
    best = found(engine, Constraints(terms=(term((C,)),)), beam_size=8, length_penalty="average", longest=40)
    assert best.ids == [A, C, EOS]  # 0.99 * 0.02 * 0.9 = 0.018
    assert engine.rows == [1, 2, 2, 1, 1, 1, 1]  # a b a b a b a: 0.015


def test_prefix_and_terms_are_added_to_the_length_limit() -> None:
    engine = TableEngine(table(bos={C: 1.0}, a={A: 1.0}, b={A: 1.0}, c={C: 1.0})[np.newaxis] * 0.9 + 0.1 / 7)
    assert found(engine, Constraints(prefix=(B, A, C)), longest=1, beam_size=2).ids == [B, A, C, C]
    assert len(found(engine, Constraints(terms=(term((C, A, B)),)), longest=2, beam_size=2).ids) == 5


def test_a_form_that_is_only_the_beginning_of_a_word_does_not_count() -> None:
    # "a b" does not have the word a.
    best = found(TableEngine(PLAIN[np.newaxis]), Constraints(terms=(term((A,)),), continuing={B}), beam_size=3)
    assert best.ids in ([A, EOS], [A, C, EOS])  # equally probable
    forced = found(TableEngine(PLAIN[np.newaxis]), Constraints(terms=(term((C,)),), continuing={EOS, A}), beam_size=1)
    assert forced.ids[forced.ids.index(C) + 1] == B


def test_a_form_without_a_space_begins_behind_an_opening_mark_alone() -> None:
    constraint = Constraints(terms=(term((C,), (B, A)),), continuing={B}, opening={7})
    assert after(constraint).asked() == [C]
    assert after(constraint, 7).asked() == [C, B]
    assert after(constraint, 7, B, A).unmet == []
    assert after(constraint, 7, 8).asked() == [C]


def test_the_last_word_of_a_prefix_is_not_lengthened_and_no_sentence_ends_before_its_terms() -> None:
    constraint = Constraints(prefix=(A, C), after_prefix={B})
    assert [after(constraint, *tokens).banned() for tokens in ([], [A], [A, C])] == [[EOS], [EOS], [B]]
    closing = Constraints(terms=(term((A,)),), closing={B})
    assert [after(closing).banned(), after(closing, A).banned()] == [[EOS, B], []]
    begun = Constraints(prefix=(A, B), terms=(term((A,)),), continuing={B})
    assert [after(begun, A).unmet, after(begun, A, B).unmet] == [[], [0]]


@settings(max_examples=10)
@given(seeds, st.lists(constraints, min_size=3, max_size=3), st.integers(1, 3))
def test_the_answer_does_not_depend_on_the_constraints_of_other_sentences(
    seed: int, of_sources: list[dict[str, Any]], beam_size: int
) -> None:
    given_constraints = [Constraints(**of_source) for of_source in of_sources]
    engine = random_engine(seed, tables=3, words=len(WORDS))
    chosen = options(longest=6, beam_size=beam_size, prune=2.0)
    together = search(engine, [[0], [1], [2]], chosen, constraints=given_constraints)
    for number, constraint in enumerate(given_constraints):
        [[alone]] = search(engine, [[number]], chosen, constraints=[constraint])
        [best] = together[number]
        assert (best.ids, best.log_probability, best.forced) == (alone.ids, alone.log_probability, alone.forced)


# "a b c <eos>" by itself: "der Hund schläft". 7 stands for "Köter", which the model hardly knows.
ASLEEP = np.zeros((8, 8))
ASLEEP[BOS, [A, 7]] = 0.99, 0.01
ASLEEP[A, [B, C, 7]] = 0.9, 0.099, 0.001
ASLEEP[B, [C, 7, EOS]] = 0.9, 0.05, 0.05
ASLEEP[C, [EOS, 7]] = 0.9, 0.1
ASLEEP[7, [C, B, EOS]] = 0.4, 0.3, 0.3


@pytest.mark.parametrize("beam_size", [1, 2, 5])
def test_a_term_goes_where_the_attention_is_on_its_source_words(beam_size: int) -> None:
    def ids(*at: int) -> list[int]:
        # Of four source positions, that of the previous token, modulo 4, has most of the attention.
        asked = Constraints(terms=(term((7,), at=at),))
        return found(TableEngine(ASLEEP[np.newaxis]), asked, 1, 1, longest=6, beam_size=beam_size).ids

    assert ids()[:4] == [A, B, C, 7]  # beside the model's own word
    assert ids(A % 4) == [A, 7, C, EOS]  # in its place
    assert ids(B % 4)[:3] == [A, B, 7]


few_forms = st.lists(st.lists(st.sampled_from([A, B, C]), min_size=1, max_size=3).map(tuple), min_size=1, max_size=2)


@settings(max_examples=40)
@given(seeds, st.sampled_from([(), (0,), (1,)]), st.sampled_from(["none", "average"]), few_forms)
def test_a_wide_beam_finds_the_best_of_all_sequences_with_a_term(
    seed: int, at: tuple[int, ...], penalty: str, forms: list[Form]
) -> None:
    engine = random_engine(seed)
    forms = [(C,)] if at else forms
    constraint = Constraints(terms=(term(*forms, at=at),))
    best = found(engine, constraint, longest=4, beam_size=5**4, length_penalty=penalty)

    def by_formula(ids: list[int]) -> float:
        """See et al. 2017, equation 9, for a term of one token, with the larger summand alone."""
        on_term = weights_of([0], ids)[:, list(at)].sum(axis=1).tolist()
        probabilities = np.exp(token_log_probabilities(engine, [0], ids)).tolist()
        met, total = False, 0.0
        for token, a, p in zip(ids, on_term, probabilities, strict=True):
            total += math.log(max((1 - a) * p, a * (token == C and not met))) if at else math.log(p)
            met |= token == C
        return total

    def occurs(ids: list[int]) -> bool:
        return any(tuple(ids[i : i + len(form)]) == form for form in forms for i in range(len(ids)))

    # Translations with a term may have more than four tokens.
    allowed = filter(occurs, all_sequences(engine.vocabulary_size, 4))
    assert best.score >= max(map(by_formula, allowed)) - 1e-6
    assert best.score == pytest.approx(by_formula(best.ids), abs=1e-6)
    assert occurs(best.ids)


@given(seeds, terms, st.lists(st.integers(0, 99), max_size=12))
def test_log_p_with_its_gain_never_rises(seed: int, given_terms: tuple[Term, ...], choices: list[int]) -> None:
    engine = random_engine(seed, words=len(WORDS), sharpness=3.0)
    constraint = Constraints(terms=given_terms, continuing={A, B}, opening={C})
    state = State(constraint, 99)
    step, token, total, best = engine.start([[0, 1]]), BOS, 0.0, 0.0
    for choice in choices:
        asked = state.asked()
        offer, step = engine.step(np.array([token]), step, k=8, asked=np.array([asked], dtype=np.int64))
        wanted = dict(zip(asked, offer.asked[0].tolist(), strict=True))
        possible = asked if state.takes_asked_only else WORDS
        before, token = token, possible[choice % len(possible)]
        at = [float(offer.weights[0, list(of_term.positions)].sum()) for of_term in given_terms]
        state = state.after(token, wanted, at, is_free=choice % 2 == 0)
        total += float(engine.tables[0, before, token])
        assert total + state.gain <= best + 1e-9
        best = total + state.gain


def test_a_form_may_be_longer_than_another_one() -> None:
    # "c b" is written although c alone is a form as well: after c, the model prefers to go on.
    engine = TableEngine(table(bos={A: 0.9, C: 0.1}, a={EOS: 1.0}, c={B: 0.8, EOS: 0.2}, b={EOS: 1.0})[np.newaxis])
    for at in ((), (0,)):
        both = Constraints(terms=(term((C,), (C, B), at=at),), continuing={B})
        best = found(engine, both, beam_size=3)
        assert best.ids == [C, B, EOS]
        assert best.forced == {0, 1}
        short = Constraints(terms=(term((C,), at=at),), continuing={B})
        assert found(engine, short, beam_size=3).ids == [C, EOS]
