"""Search for translations that begin with a prefix and have given terms, on top of another strategy.

Grid beam search: hypotheses that have come equally far with their terms compete with each other, so that the model
decides where a term goes (Hokamp & Liu 2017, "Lexically Constrained Decoding for Sequence Generation Using Grid Beam
Search"). The attention on its source words helps. N sources, R rows, C candidates, G of them chosen.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
from typing_extensions import override

from seq2seq_cli.decoding.engine import Proposals
from seq2seq_cli.decoding.search.rows import Candidates, Rows
from seq2seq_cli.decoding.search.strategy import Bans, Beam, Strategy
from seq2seq_cli.shapes import Float, Int
from seq2seq_cli.text.vocabulary import EOS

Form: TypeAlias = tuple[int, ...]
"""The tokens of a term, in one of the forms that it may have."""


class Term(NamedTuple):
    """A term that occurs in a source."""

    forms: tuple[Form, ...]
    """Its translation, in the forms that it may have."""
    positions: tuple[int, ...] = ()
    """The positions of its tokens in the source, whose attention weights tell where the translation goes."""


@dataclass(frozen=True, kw_only=True)
class Constraints:
    """The constraints on the translation of one source, in ids."""

    prefix: tuple[int, ...] = ()
    """Its first tokens."""
    terms: tuple[Term, ...] = ()
    """The terms that occur in it; one that is given twice occurs twice."""
    continuing: Collection[int] = frozenset()
    """The tokens that lengthen a word: a form before one of them is the beginning of another word, so not met."""
    opening: Collection[int] = frozenset()
    """The tokens behind which a form may begin with one of `continuing`: a word has no space before it there."""
    after_prefix: Collection[int] = frozenset()
    """The tokens that do not follow the prefix, whose last word they would lengthen."""
    closing: Collection[int] = frozenset()
    """The tokens that end a sentence: they do not come before all terms occur, so that none is added behind the end."""

    @property
    def longest(self) -> int:
        """The most tokens of prefix and terms together."""
        return len(self.prefix) + sum(max(map(len, term.forms)) for term in self.terms)

    @cached_property
    def longest_form(self) -> int:
        """The most tokens of a form."""
        return max((len(form) for term in self.terms for form in term.forms), default=0)

    def forms(self, term: int, before: int | None) -> list[Form]:
        """The forms of a term that may begin behind a token."""
        forms = self.terms[term].forms
        return [form for form in forms if before in self.opening or form[0] not in self.continuing] or list(forms)


@dataclass(frozen=True)
class State:
    """The prefix and the terms that a hypothesis has so far.

    A form that the model would not have written is finished at once; what it has begun by itself may change yet.
    """

    constraints: Constraints
    limit: int
    """The number of tokens, EOS counted, from which on it writes only missing terms."""
    tokens: tuple[int, ...] = ()
    met: tuple[tuple[int, int, int], ...] = ()
    """The terms that occur: number, begin and end of each, in their order."""
    forced_from: int | None = None
    """Where the form begins that the last token belongs to, if the model would not have written it by itself."""
    gain: float = 0.0
    """What the attention adds to log p in the ranking; the sum of both never rises."""

    @cached_property
    def just_met(self) -> bool:
        """Whether the last token completes a term."""
        return bool(self.met) and self.met[-1][2] == len(self.tokens)

    @property
    def in_prefix(self) -> bool:
        """Whether the prefix goes on."""
        return len(self.tokens) < len(self.constraints.prefix)

    @property
    def is_due(self) -> bool:
        """Whether only EOS still fits."""
        return len(self.tokens) + len((EOS,)) >= self.limit

    @property
    def takes_asked_only(self) -> bool:
        """Whether only the tokens asked for may come next."""
        return self.in_prefix or (self.is_due and self.unmet != []) or not (self.forced_from is None or self.just_met)

    @property
    def stage(self) -> int:
        """A number that is the same for hypotheses that have come equally far."""
        done = 0 if self.just_met else max((done for done, *_ in self.begun), default=0)
        return len(self.met) * (self.constraints.longest + 1) + done

    @cached_property
    def unmet(self) -> list[int]:
        """The numbers of the terms that do not occur yet."""
        return [i for i in range(len(self.constraints.terms)) if all(term != i for term, *_ in self.met)]

    @cached_property
    def begun(self) -> list[tuple[int, int, Form]]:
        """The forms that the last tokens begin: tokens done, term and form; longer forms of the term just met."""
        if self.just_met:
            term, start, end = self.met[-1]
            forms, done = self.constraints.terms[term].forms, end - start
            longer = [form for form in forms if form[:done] == self.tokens[start:] != form]
            return [(done, term, form) for form in longer if form[done] in self.constraints.continuing]
        first = len(self.tokens) - self.constraints.longest_form
        starts = range(max(self.met[-1][2] if self.met else 0, first), len(self.tokens))
        return [
            (len(self.tokens) - start, term, form)
            for start in (starts if self.forced_from is None else [self.forced_from])
            for term in self.unmet
            for form in self.constraints.forms(term, self.tokens[start - 1] if start else None)
            if form[: len(self.tokens) - start] == self.tokens[start:]
        ]

    @cached_property
    def next_tokens(self) -> list[int]:
        """The tokens that continue the forms that are begun."""
        return [form[done] for done, _, form in self.begun]

    def first_tokens(self, term: int) -> list[int]:
        """The tokens that begin a term here."""
        return [form[0] for form in self.constraints.forms(term, self.tokens[-1] if self.tokens else None)]

    def asked(self) -> list[int]:
        """The tokens that bring it further."""
        if self.in_prefix:
            return [self.constraints.prefix[len(self.tokens)]]
        terms = [] if self.takes_asked_only and self.begun and not self.just_met else self.unmet
        return list(dict.fromkeys([*self.next_tokens, *(first for term in terms for first in self.first_tokens(term))]))

    def banned(self) -> list[int]:
        """The tokens that do not come next: the end while something is missing, and more of a demanded word."""
        banned = [EOS, *self.constraints.closing] if self.unmet or self.in_prefix else []
        banned += self.constraints.after_prefix if len(self.tokens) == len(self.constraints.prefix) else ()
        is_final = self.just_met and (self.forced_from is not None or self.is_due)
        return [*banned, *self.constraints.continuing] if is_final else banned

    def after(self, token: int, wanted: Mapping[int, float], attention: Sequence[float], *, is_free: bool) -> "State":
        """The state after one more token; `is_free`: the model would have written it without constraints.

        `wanted` has log p of the tokens asked for. `attention` is the probability of each term to come next; with the
        rest, the token that the model prefers does. See et al. 2017, "Get To The Point", equation 9, with the maximum.
        """
        attention = () if self.in_prefix else attention  # the prefix is the same for all hypotheses
        lengthens = self.in_prefix or token in self.next_tokens or token not in wanted
        is_reopened = self.just_met and token in self.constraints.continuing and lengthens
        met = self.met[:-1] if is_reopened else self.met
        gain = self.gain + (_log(1 - sum(attention)) if attention and not is_reopened else 0.0)
        forced_from = None if self.just_met else self.forced_from
        after = State(self.constraints, self.limit, (*self.tokens, token), met, forced_from, gain)
        if not after.begun:
            return replace(after, forced_from=None)
        done, term, form = max(after.begun, key=lambda begun: (begun[0] == len(begun[2]), begun[0]))
        if attention and not is_reopened and (done == 1 or forced_from is not None):
            tokens = self.first_tokens(term) if done == 1 else self.next_tokens
            share = float(np.logaddexp.reduce([wanted[each] for each in wanted.keys() & tokens]))
            by_attention = self.gain - share + (_log(attention[term]) if done == 1 else 0.0)
            is_free = is_free and by_attention <= gain
            gain = max(gain, by_attention)
        start, end = len(after.tokens) - done, len(after.tokens)
        is_forced = forced_from is not None or not (self.in_prefix or (is_free and not self.is_due))
        met = (*met, (term, start, end)) if done == len(form) else met
        return State(self.constraints, self.limit, after.tokens, met, start if is_forced else None, gain)


class Constrained(Strategy):
    """A strategy whose translations have the prefix and the terms of their sources; `limits` are those without them.

    Raises ValueError for terms without beam search: where a term goes is found by comparing hypotheses.
    """

    def __init__(self, inner: Strategy, constraints: Sequence[Constraints], limits: Int[np.ndarray, " N"]) -> None:
        self._has_terms = np.array([len(of_source.terms) > 0 for of_source in constraints])
        if self._has_terms.any() and not isinstance(inner, Beam):
            raise ValueError("where a term goes cannot be sampled")
        self._inner = inner
        pairs = zip(constraints, limits.tolist(), strict=True)
        self._starts = [State(each, limit + len(each.prefix)) if each.longest else None for each, limit in pairs]
        self.rows_per_source, self.most_candidates = inner.rows_per_source, inner.most_candidates
        self.extra_length = np.array([of_source.longest for of_source in constraints])

    def _states(self, rows: Rows) -> dict[int, State]:
        """The states of the rows with constraints, by their numbers."""
        states = [state or self._starts[source] for source, state in zip(rows.sources, rows.states, strict=True)]
        return {row: state for row, state in enumerate(states) if state}

    @override
    def asked(self, rows: Rows) -> dict[int, list[int]]:
        return {row: state.asked() for row, state in self._states(rows).items()}

    @override
    def bans(self, rows: Rows) -> list[Bans]:
        return [row << 32 | np.array(state.banned(), dtype=np.int64) for row, state in self._states(rows).items()]

    @override
    def admit(self, candidates: Candidates, rows: Rows, offer: Proposals) -> Candidates:
        states, added = self._states(rows), []
        for row, state in states.items():
            of_row = candidates.take(np.flatnonzero(candidates.rows == row))
            free = dict(zip(of_row.tokens.tolist(), of_row.log_probabilities.tolist(), strict=True))
            asked = zip(state.asked(), offer.asked[row].tolist(), strict=False)  # other rows may ask for more
            wanted = {token: log_p for token, log_p in asked if math.isfinite(log_p)}
            weights, places = offer.weights[row], [list(term.positions) for term in state.constraints.terms]
            attention = [float(weights[of_term].sum()) for of_term in places] if weights.any() and any(places) else []
            for token, log_p in (wanted if state.takes_asked_only else free | wanted).items():
                added.append((row, token, log_p, state.after(token, wanted, attention, is_free=token in free)))
        kept = candidates.take(np.flatnonzero(~np.isin(candidates.rows, list(states))))  # of rows without constraints
        columns = zip(*added, strict=True) if added else [()] * len(Candidates._fields)
        new = (np.fromiter(column, field.dtype, len(added)) for column, field in zip(columns, kept, strict=True))
        return Candidates(*(np.concatenate(pair) for pair in zip(kept, new, strict=True)))

    @override
    def choose(self, candidates: Candidates, rows: Rows, ended: Int[np.ndarray, " N"]) -> Int[np.ndarray, " G"]:
        if not isinstance(self._inner, Beam):
            return self._inner.choose(candidates, rows, ended)
        stages = np.array([state.stage if state else 0 for state in candidates.states], dtype=np.int64)
        gains = np.array([state.gain if state else 0.0 for state in candidates.states])
        return self._inner.choose(candidates, rows, ended, stages, gains)

    @override
    def scores(self, rows: Rows, penalised: Float[np.ndarray, " R"]) -> Float[np.ndarray, " R"]:
        # A penalty for the length would reward whatever is added to an improbable term.
        gains = np.array([state.gain if state else 0.0 for state in rows.states])
        return np.where(self._has_terms[rows.sources], rows.log_probabilities + gains, penalised)

    @override
    def forced(self, state: State | None) -> frozenset[int]:
        prefix = range(len(state.constraints.prefix)) if state else ()
        return frozenset(prefix).union(*(range(start, end) for _, start, end in state.met) if state else ())


def _log(probability: float) -> float:
    return math.log(max(probability, 1e-3))  # attention may be on the words of a term entirely, or not at all
