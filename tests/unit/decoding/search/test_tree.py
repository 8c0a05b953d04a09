"""The trees of searches on transition tables."""

from math import log

import numpy as np
import pytest
from jaxtyping import Float

from seq2seq_cli.decoding.search.rows import Hypothesis
from seq2seq_cli.decoding.search.search import search
from seq2seq_cli.decoding.search.tree import Trace, Tree, find_node
from seq2seq_cli.text.vocabulary import EOS
from tests.unit.decoding.search.tables import SHORT, A, B, C, TableEngine, options, random_engine, table


def traced(*tables: Float[np.ndarray, "V V"], **values: object) -> list[tuple[Hypothesis, Tree]]:
    trace = Trace(len(tables))
    engine = TableEngine(np.stack(tables))
    found = search(engine, [[i] for i in range(len(tables))], options(**values), trace=trace)
    return list(zip([best for best, *_ in found], trace.trees, strict=True))


def children(tree: Tree, parent: int) -> dict[int, tuple[str, object]]:
    return {node.token: (node.fate, pytest.approx(node.log_probability)) for node in tree if node.parent == parent}


def test_a_tree_holds_what_goes_on_what_ends_and_what_was_passed_over() -> None:
    [(best, tree)] = traced(SHORT, beam_size=2)
    assert children(tree, -1) == {A: ("kept", log(0.6)), B: ("kept", log(0.4))}
    a, b = find_node(tree, [A]), find_node(tree, [B])
    assert children(tree, b) == {EOS: ("finished", log(0.9)), A: ("pruned", log(0.1))}
    # a b (0.30) is below b <eos> (0.36), so that it cannot win any more.
    assert children(tree, a) == {B: ("pruned", log(0.5)), EOS: ("pruned", log(0.3)), C: ("pruned", log(0.2))}
    assert best.ids == [B, EOS]
    last = tree[find_node(tree, best.ids)]
    assert (last.parent, last.token, last.fate) == (b, EOS, "finished")
    assert last.score == pytest.approx(best.score)


def test_greedy_search_shows_what_else_was_possible() -> None:
    [(_, tree)] = traced(SHORT, beam_size=1)
    assert children(tree, -1) == {A: ("kept", log(0.6)), B: ("pruned", log(0.4))}
    assert find_node(tree, [B]) == -1


def test_what_is_too_far_below_the_best_is_shown_however_improbable_it_is() -> None:
    far = table(bos={A: 0.6, B: 0.395, C: 0.005}, a={EOS: 1.0}, b={EOS: 1.0}, c={EOS: 1.0})
    [(_, tree)] = traced(far, beam_size=3, prune=0.3)
    assert children(tree, -1) == {A: ("kept", log(0.6)), B: ("pruned", log(0.395)), C: ("pruned", log(0.005))}


def test_a_token_that_the_rules_forbid_is_banned() -> None:
    [(_, tree)] = traced(SHORT, beam_size=1, min_length=2)
    assert children(tree, find_node(tree, [A]))[EOS] == ("banned", log(0.3))


def test_samples_that_begin_alike_are_all_found() -> None:
    trace = Trace(1)
    [samples] = search(random_engine(1), [[0]], options(sampling=True, n_best=8, beam_size=1), trace=trace)
    assert len(samples) > 3
    for sample in samples:
        assert trace.trees[0][find_node(trace.trees[0], sample.ids)].score == sample.score


def test_the_trees_of_a_batch_are_those_of_its_sources_and_change_nothing() -> None:
    engine = random_engine(3, tables=3)
    sources, values = [[0], [1], [2]], options(beam_size=3, n_best=2)
    together = Trace(3)
    found = search(engine, sources, values, trace=together)
    assert [[each.ids for each in of_source] for of_source in found] == [
        [each.ids for each in of_source] for of_source in search(engine, sources, values)
    ]
    for source, hypotheses, tree in zip(sources, found, together.trees, strict=True):
        alone = Trace(1)
        search(engine, [source], values, trace=alone)
        assert alone.trees[0] == tree
        for hypothesis in hypotheses:
            assert tree[find_node(tree, hypothesis.ids)].score == hypothesis.score
