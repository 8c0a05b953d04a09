"""The progress of a hypothesis with the constraints on it."""

from dataclasses import dataclass, replace
from typing import NamedTuple

from seq2seq_cli.decoding.search.constraints import Constraints, Form
from seq2seq_cli.decoding.search.pointer import Pointer
from seq2seq_cli.text.vocabulary import EOS


class Begun(NamedTuple):
    """A form of a term whose first tokens are the last of a hypothesis."""

    term: int
    form: Form
    done: int
    """The number of these tokens."""
    gain: float
    """The `Progress.gain` when the form is finished."""

    @property
    def next_token(self) -> int | None:
        """The token that continues it; None where it is whole."""
        return self.form[self.done] if self.done < len(self.form) else None


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
    last: int | None = None
    """The last of them; None before the first."""
    begun: tuple[Begun, ...] = ()
    """The forms of unmet terms that are begun, the longest beginning first, or the longer forms of `just_met`."""
    is_forced: bool = False
    """Whether the last token belongs to a form that the model would not have written by itself."""
    just_met: int | None = None
    """The term that the last token completes."""
    spans: tuple[tuple[int, int], ...] = ()
    """The positions of the terms that occur: begin and end of each."""
    free_gain: float = 0.0
    """The `gain` without the forms that are begun."""

    @classmethod
    def start(cls, constraints: Constraints, limit: int) -> "Progress":
        """The progress of a hypothesis without tokens."""
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
            tokens += [form[0] for term in self.unmet for form in self._forms(term)]
        return list(dict.fromkeys(tokens))

    def banned(self) -> list[int]:
        """The tokens that may not come next: the end while something is missing, and more of a demanded word."""
        banned = [] if self.is_complete else [EOS, *self.constraints.closing]
        if self.length == len(self.constraints.prefix):
            banned += self.constraints.after_prefix
        return [*banned, *self.constraints.continuing] if self.is_forced and self.just_met is not None else banned

    @property
    def gain(self) -> float:
        """The sum of the gains of its pointers; the best form that is begun counts as finished."""
        gains = [begun.gain for begun in self.begun]
        return max(gains if self._is_within_forced else [self.free_gain, *gains])

    def after(self, token: int, *, is_free: bool, pointer: Pointer | None = None) -> "Progress":
        """The progress after one more token; `is_free`: the model would have written it without constraints."""
        pointer = None if self._in_prefix else pointer  # the same for all hypotheses
        begun = self._continued(token, pointer)
        unmet, spans = self.unmet, self.spans
        is_followed = is_free or self._in_prefix or bool(begun)
        if self.just_met is not None and token in self.constraints.continuing and is_followed:
            unmet, spans = tuple(sorted((*unmet, self.just_met))), spans[:-1]
        if not self._is_within_forced:
            begun += self._begun_by(token, pointer)
        is_forced = bool(begun) and (self._is_within_forced or not (is_free or self._in_prefix))
        after = replace(
            self,
            unmet=unmet,
            length=self.length + 1,
            last=token,
            begun=tuple(begun),
            is_forced=is_forced,
            just_met=None,
            spans=spans,
            free_gain=self.free_gain + (pointer.other if pointer else 0.0),
        )
        whole = [each for each in begun if each.done == len(each.form)]
        return after.having_met(max(whole, key=lambda each: (each.done, each.gain))) if whole else after

    def having_met(self, whole: Begun) -> "Progress":
        """The progress with a form that the last token completes, which may still become a longer one of its term."""
        longer = (each for each in self.begun if each.term == whole.term and each.form[: whole.done] == whole.form)
        return replace(
            self,
            unmet=tuple(term for term in self.unmet if term != whole.term),
            begun=tuple(each for each in longer if each.next_token in self.constraints.continuing),
            just_met=whole.term,
            spans=(*self.spans, (self.length - whole.done, self.length)),
            free_gain=whole.gain,
        )

    def _continued(self, token: int, pointer: Pointer | None) -> list[Begun]:
        """The begun forms that the token continues."""
        begun = [each for each in self.begun if each.next_token == token]
        gain = 0.0
        if pointer and begun and self.just_met is None:  # else it is the model that decides for a longer form
            gain = pointer.go_on(each.form[each.done] for each in self.begun)
        return [each._replace(done=each.done + 1, gain=each.gain + gain) for each in begun]

    def _begun_by(self, token: int, pointer: Pointer | None) -> list[Begun]:
        """The forms of unmet terms that begin with the token."""
        begun = []
        for term in self.unmet:
            forms = self._forms(term)
            if found := [form for form in forms if form[0] == token]:
                gain = self.free_gain + (pointer.begin(term, {form[0] for form in forms}) if pointer else 0.0)
                begun += [Begun(term, form, 1, gain) for form in found]
        return begun

    def _forms(self, term: int) -> list[Form]:
        """The forms of a term that may begin now."""
        return self._forms_after(term, self.last)

    def _forms_after(self, term: int, token: int | None) -> list[Form]:
        is_open = token in self.constraints.opening
        forms = self.constraints.terms[term].forms
        return [form for form in forms if is_open or form[0] not in self.constraints.continuing] or list(forms)

    @property
    def _in_prefix(self) -> bool:
        return self.length < len(self.constraints.prefix)

    @property
    def _is_within_forced(self) -> bool:
        return self.is_forced and bool(self.begun) and self.just_met is None

    @property
    def _is_due(self) -> bool:
        """Whether the terms that are missing, and EOS, only just fit under the limit."""
        missing = sum(min(map(len, self._forms_after(term, None))) for term in self.unmet)
        return missing > 0 and self.length + missing + len((EOS,)) >= self.limit

    @property
    def _done(self) -> int:
        return max((begun.done for begun in self.begun), default=0) if self.just_met is None else 0
