"""Constraints on the translation of a source, and the progress of a hypothesis with them."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

from seq2seq_cli.text.vocabulary import EOS

Form: TypeAlias = tuple[int, ...]
"""The tokens of a term, in one of the forms that it may have."""


@dataclass(frozen=True, kw_only=True)
class Constraints:
    """The constraints on the translation of one source, in ids."""

    prefix: tuple[int, ...] = ()
    """Its first tokens."""
    terms: tuple[tuple[Form, ...], ...] = ()
    """The terms that occur in it, each in one of its forms; a term that is given twice occurs twice."""
    limits: Mapping[int, int] = field(default_factory=dict)
    """The most occurrences of tokens, 0 for none; only prefix and terms exceed them."""
    continuing: AbstractSet[int] = frozenset()
    """The tokens that continue a word; a form before one of them is the beginning of another word, so not met."""

    closing: AbstractSet[int] = frozenset()
    """The tokens that end a sentence; they do not come before all terms occur, so that none is added behind the end."""

    @property
    def longest(self) -> int:
        """The most tokens of prefix and terms together."""
        return len(self.prefix) + sum(max(map(len, forms)) for forms in self.terms)


class Begun(NamedTuple):
    """A form of a term whose first tokens are the last of a hypothesis."""

    term: int
    form: Form
    done: int
    """The number of these tokens."""


@dataclass(frozen=True, kw_only=True)
class Progress:
    """The prefix and the terms that a hypothesis has so far.

    Hypotheses that have come equally far compete with each other, so that the model decides where a term goes (grid
    beam search; Hokamp & Liu 2017, "Lexically Constrained Decoding for Sequence Generation Using Grid Beam Search"). A
    form that the model would not have begun by itself is finished at once; what it has begun by itself may become
    something else.
    """

    constraints: Constraints
    limit: int
    """The most tokens of the translation, EOS counted; exceeded only where prefix and terms do not fit."""
    unmet: tuple[int, ...]
    """The numbers of the terms that do not occur yet."""
    length: int = 0
    """The number of tokens so far."""
    begun: tuple[Begun, ...] = ()
    """The forms of unmet terms that are begun, the longest beginning first."""
    is_forced: bool = False
    """Whether the last token belongs to a form that the model would not have written by itself."""
    just_met: int | None = None
    """The term that the last token completes."""
    spans: tuple[tuple[int, int], ...] = ()
    """The positions of the terms that occur: begin and end of each."""

    @classmethod
    def start(cls, constraints: Constraints, limit: int) -> "Progress":
        """That of a hypothesis without tokens."""
        return cls(constraints=constraints, limit=limit, unmet=tuple(range(len(constraints.terms))))

    @property
    def is_complete(self) -> bool:
        """Whether the translation may end here."""
        return not self.unmet and not self._in_prefix

    @property
    def stage(self) -> int:
        """A number that is the same for hypotheses that have come equally far."""
        met = len(self.constraints.terms) - len(self.unmet)
        return met * (self.constraints.longest + 1) + self._done

    @property
    def takes_asked_only(self) -> bool:
        """Whether only the tokens asked for may come next."""
        return self._in_prefix or self._is_within_forced or self._is_due

    @property
    def positions(self) -> frozenset[int]:
        """The positions of the prefix and of the terms that occur."""
        in_prefix = range(min(self.length, len(self.constraints.prefix)))
        return frozenset(in_prefix).union(*(range(*span) for span in self.spans))

    def asked(self) -> list[int]:
        """The tokens that bring it further."""
        if self._in_prefix:
            return [self.constraints.prefix[self.length]]
        tokens = [begun.form[begun.done] for begun in self.begun]
        if not self._is_within_forced:
            tokens += [form[0] for term in self.unmet for form in self.constraints.terms[term]]
        return list(dict.fromkeys(tokens))

    def banned(self) -> list[int]:
        """The tokens that may not come next: the end while something is missing, and the rest of a forced word."""
        banned = [] if self.is_complete else [EOS, *self.constraints.closing]
        return [*banned, *self.constraints.continuing] if self.is_forced and self.just_met is not None else banned

    def after(self, token: int, *, is_free: bool) -> "Progress":
        """That with one more token; `is_free`: the model would have written it by itself."""
        unmet, spans = self.unmet, self.spans
        if self.just_met is not None and is_free and token in self.constraints.continuing:
            unmet, spans = tuple(sorted((*unmet, self.just_met))), spans[:-1]
        begun = tuple(Begun(term, form, done + 1) for term, form, done in self.begun if form[done] == token)
        if not self._is_within_forced:
            forms = ((term, form) for term in unmet for form in self.constraints.terms[term])
            begun += tuple(Begun(term, form, 1) for term, form in forms if form[0] == token)
        is_forced = bool(begun) and (self._is_within_forced or not (is_free or self._in_prefix))
        length, just_met = self.length + 1, None
        if whole := next((form for form in begun if form.done == len(form.form)), None):
            just_met, begun = whole.term, ()
            unmet, spans = tuple(t for t in unmet if t != just_met), (*spans, (length - whole.done, length))
        return replace(
            self, unmet=unmet, length=length, begun=begun, is_forced=is_forced, just_met=just_met, spans=spans
        )

    @property
    def _in_prefix(self) -> bool:
        return self.length < len(self.constraints.prefix)

    @property
    def _is_within_forced(self) -> bool:
        return self.is_forced and bool(self.begun)

    @property
    def _is_due(self) -> bool:
        """Whether the terms that are missing, and EOS, only just fit under the limit."""
        missing = sum(min(map(len, self.constraints.terms[term])) for term in self.unmet)
        return missing > 0 and self.length + missing + len((EOS,)) >= self.limit

    @property
    def _done(self) -> int:
        return max((begun.done for begun in self.begun), default=0)
