"""The search: step by step, from the proposals of an engine to the best hypotheses of each source.

R rows, k proposals per row.
"""

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np

from seq2seq_cli.compute.threads import check_wanted
from seq2seq_cli.config.decoding_options import DecodingOptions
from seq2seq_cli.decoding.engine import Engine, EngineState, Proposals
from seq2seq_cli.decoding.search.constrained import Constrained, Constraints
from seq2seq_cli.decoding.search.finished import Finished
from seq2seq_cli.decoding.search.rows import Candidates, Hypothesis, Rows, Step
from seq2seq_cli.decoding.search.rules import Bans, Rules
from seq2seq_cli.decoding.search.strategy import Beam, Sampling, Strategy
from seq2seq_cli.decoding.search.tree import ALTERNATIVES, Trace
from seq2seq_cli.shapes import Bool
from seq2seq_cli.text.vocabulary import BOS, EOS, PAD

State = TypeVar("State", bound=EngineState)

_FEW_BANS, _GROWTH = 32, 8


def search(
    engine: Engine[State],
    sources: Sequence[Sequence[int]],
    options: DecodingOptions,
    *,
    most_unknown: Sequence[int] | None = None,
    constraints: Sequence[Constraints] = (),
    trace: Trace | None = None,
) -> list[list[Hypothesis]]:
    """The `options.n_best` best hypotheses of each source, best first and distinct; `sources` are ids without EOS.

    There are fewer where the search found fewer, but at least one. They do not depend on the other sources. Each has at
    most `most_unknown` UNK, a number per source. A `trace` records what else was considered.

    With `options.sampling`, there are so many samples, equal ones once. Raises ValueError for samples with terms.
    """
    if not sources:
        return []
    lengths = [len(source) + 1 for source in sources]
    rules = Rules(options, sources, most_unknown)
    strategy: Strategy = Sampling(options, sources) if options.sampling else Beam(options)
    if any(of_source.longest for of_source in constraints):
        strategy = Constrained(strategy, constraints, rules.limits)
    limits = rules.limits + strategy.extra_length
    finished = Finished(options, strategy, limits)
    rows = Rows.start(lengths, strategy.rows_per_source, has_coverage=options.coverage_penalty > 0)
    state = engine.start(sources).select(rows.sources)
    steps: list[Step] = []
    most = max(strategy.most_candidates, ALTERNATIVES if trace else 1)
    while len(rows):
        check_wanted()
        bans = Bans.join([*rules.bans(rows), *strategy.bans(rows)])
        proposals, allowed, state = _propose(engine, rows, state, strategy.asked(rows), bans, most)
        best = Candidates.best(proposals, allowed, strategy.most_candidates)
        candidates = strategy.admit(best, rows, proposals)
        _finish_stuck(rows, candidates, steps, finished)
        chosen = candidates.take(strategy.choose(candidates, rows, finished.ended))
        before = rows.sources
        rows = rows.extend(chosen, proposals.weights)
        is_ended = chosen.tokens == EOS
        is_finished = is_ended | (rows.length >= limits[rows.sources])
        numbers = np.flatnonzero(is_finished)
        scores = finished.add(rows.select(numbers), len(steps), numbers, is_ended[numbers])
        kept = np.flatnonzero(~is_finished & finished.can_win(rows))
        if trace:
            ends = dict(zip(numbers.tolist(), scores.tolist(), strict=True))
            trace.add(before, proposals, allowed, chosen, ends, kept)
        steps.append(Step(chosen, proposals.weights, kept))
        rows, state = rows.select(kept), state.select(chosen.rows[kept])
    return [list({tuple(each.ids): each for each in several}.values()) for several in finished.best(steps, lengths)]


def _propose(
    engine: Engine[State], rows: Rows, state: State, asked: Mapping[int, Sequence[int]], bans: Bans, most: int
) -> tuple[Proposals, Bool[np.ndarray, "R k"], State]:
    """The best proposals for each row, `most` that no ban forbids among them; which are allowed; the next state.

    `asked` has the tokens that a row asks for.
    """
    wanted = np.full((len(rows), max(map(len, asked.values()), default=0)), PAD)
    for row, tokens in asked.items():
        wanted[row, : len(tokens)] = tokens
    at_least = min(most + bans.most, engine.vocabulary_size - len((PAD, BOS)))
    # A row can have thousands of bans, few of them among its best tokens: thousands of proposals would take long.
    k = min(at_least, most + _FEW_BANS)
    while True:
        proposals, after = engine.step(rows.tokens, state, k=k, asked=wanted)
        allowed = bans.allowed(proposals.tokens)
        if k == at_least or allowed.sum(axis=1).min() >= most:
            return proposals, allowed, after
        k = min(at_least, _GROWTH * k)


def _finish_stuck(rows: Rows, candidates: Candidates, steps: list[Step], finished: Finished) -> None:
    """End the rows without a candidate, in which all tokens are banned, as at the length limit."""
    stuck = np.flatnonzero(np.bincount(candidates.rows, minlength=len(rows)) == 0)
    if len(stuck):
        numbers = steps[-1].kept[stuck] if steps else stuck
        finished.add(rows.select(stuck), len(steps) - 1, numbers, np.zeros(len(stuck), dtype=np.bool_))
