"""Changed training pairs, drawn again in each epoch: what a model has read in training, no rule needs to repair.

Firefox's translators are trained so (OpusTrainer; Bogoychev et al. 2023, "OpusCleaner and OpusTrainer, open source
toolkits for training machine translation and large language models"). The draws depend on the seed, the epoch, the
window and the number of the process alone, so that a resumed epoch has the same pairs.
"""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.compute.process import without_garbage_collector
from seq2seq_cli.compute.ragged import Ragged
from seq2seq_cli.config.schema.training import TrainingConfig
from seq2seq_cli.corpus.names import Names
from seq2seq_cli.corpus.numbers import Numbers, Texts
from seq2seq_cli.corpus.prepared import ParallelIds, PreparedCorpus
from seq2seq_cli.text.characters import FINAL_MARKS, HIDDEN, SPACING, UNSPACED, lower, upper
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.sides import Codecs
from seq2seq_cli.text.vocabulary import CHARACTERS_PER_TOKEN, UNK

_SAMPLE = 20_000
"""Pairs that are looked at before training for their names, and pairs with digits for their numbers."""
_LONGEST_JOINED = 30
"""Target ids of joined pairs, more where they are characters: batches of longer lines are small and take more steps."""
_NUMBER_COPIES = 6
"""Most times that a pair with digits is read per epoch, each time with others: few pairs of most corpora have any."""
_MOST_COPIES = 0.15
"""The most further copies per pair: where many pairs have digits, batches would become too large."""
_FULL_STOP = re.compile(r"(?<!\.)(?<!\.\w)\.$")
"""A full stop that ends a sentence: no part of "..." or "p.m."."""
_JOINTS = (" – ", " — ", " - ", "; ")
"""What stands between two sentences that become one."""
_ONE_SENTENCE = 0.4
"""Probability that two joined pairs become one sentence."""
_QUANTITIES = 0.04
"""Probability that a quantity stands in place of a name: few pairs of most corpora have one, too."""
_END = re.compile(rf"\s*(?<!\.[^\W\d_])[{re.escape(''.join(FINAL_MARKS))}]+$")
"""The end of a sentence, but for the full stop of "p.m."."""
_OPENING = re.compile(r"[¿¡]+(?=[^!?]*$)")
"""The marks before a last sentence, which go with those behind it."""
_WITHOUT_ENDING = re.compile(r"^-?\d|[sxz\d]$", re.IGNORECASE)
"""Names that take no ending: the genitive of one that ends with s has no further s, and a number has none."""
_MARKS = "!?.…"
_OWN_MARKS = FINAL_MARKS.union("¿¡").difference(_MARKS) | {f"{SPACING}?", f"{SPACING}!"}
_OWN_SHARE = 0.01
"""A side with more marks of its own per pair is in a language that has them; fewer are quotations."""
_MARK = re.compile(r"(?<=\w)(?=[.,!?;:]+(?:\s|$))")
_QUOTES = (('"', '"'), ("'", "'"), ("“", "”"), ("„", "“"), ("«", "»"), ("(", ")"))

Random: TypeAlias = np.random.Generator
Change: TypeAlias = Callable[[Texts, Random], Texts]
"""A transformation of the texts of a pair or of a line; it returns the same texts where it does not apply."""


class Line(NamedTuple):
    """A source and a target as the model reads them, in ids without bos and eos."""

    src: Sequence[int]
    tgt: Sequence[int]


@dataclass(frozen=True, kw_only=True)
class Augmentation:
    """The transformations of a training run, with their probabilities."""

    codecs: Codecs
    training: TrainingConfig
    names: Names = field(default_factory=Names)
    numbers: Numbers = field(default_factory=Numbers)
    marks: str = _MARKS
    """The final marks that others are exchanged for; none where a language has marks of its own."""
    stream: int = 0
    """The index, from 0, among the processes that draw from one seed, each for other pairs."""
    longest: int | None = None
    """The most ids of a source: pairs of a longer line stay as they are. None, which BPE-dropout needs: any number."""

    @classmethod
    def of(
        cls, training: TrainingConfig, corpus: PreparedCorpus, *, stream: int = 0, longest: int | None = None
    ) -> "Augmentation | None":
        """The augmentation of a config; None when it changes nothing."""
        changes = training.augmentation
        unchanged = cls(codecs=corpus.codecs, training=training, stream=stream, longest=longest)
        if not changes.enabled:
            return unchanged if training.bpe_dropout else None
        names = _names_of(corpus, training.seed) if changes.names or changes.kept else Names()
        numbers = _numbers_of(corpus) if changes.numbers else Numbers()
        marks = "" if changes.final_mark and _has_own_marks(corpus) else _MARKS
        return replace(unchanged, names=names, numbers=numbers, marks=marks)

    @without_garbage_collector()  # a third of the time: hundreds of thousands of lists, without a cycle
    def apply(self, ids: ParallelIds, rows: NDArray[np.int64], *, epoch: int, window: int) -> ParallelIds:
        """The lines of the given pairs, changed as this epoch and window (both counted from 0) have them.

        Some lines join several pairs, and some pairs with numbers have several lines.
        """
        # numpy's seeds [1, 2] and [1, 2, 0] are the same, and the order of the epoch is drawn from the first.
        random = np.random.default_rng([self.training.seed, epoch, window + 1, self.stream])
        lines = _lines(ids, rows)
        if self.training.augmentation.enabled:
            lines = list(self._changed(lines, random))
        sides: list[list[Sequence[int]]] = [[line.src for line in lines], [line.tgt for line in lines]]
        if dropout := self.training.bpe_dropout:
            sides = [
                [codec.resample(ids, dropout, random) for ids in side]
                for codec, side in zip(self.codecs, sides, strict=True)
            ]
        src, tgt = map(Ragged.of, sides)
        return ParallelIds(src=src, tgt=tgt)

    def _changed(self, lines: Sequence[Line], random: Random) -> Iterator[Line]:
        """The lines of the changed pairs; a text with an unknown word cannot be written, and so not changed."""
        known: list[Line] = []
        for line in lines:
            if UNK in line.src or UNK in line.tgt:
                yield line
            else:
                known.append(line)
        copied = [line for line in known if self.training.augmentation.numbers > 0 and self._has_digits(line)]
        further = min(_NUMBER_COPIES - 1, int(_MOST_COPIES * len(known) / max(1, len(copied))))
        for group in self._groups([*known, *copied * further], random):
            line = self._of_group(group, random)
            is_short = self.longest is None or len(line.src) <= self.longest
            # Each unknown word of the target is copied from one of the source.
            yield from [line] if is_short and line.src.count(UNK) == line.tgt.count(UNK) else group

    def _groups(self, lines: Sequence[Line], random: Random) -> Iterator[list[Line]]:
        """The pairs of each line, drawn from the whole window: one, or two to four."""
        left = deque(lines[i] for i in random.permutation(len(lines)).tolist())
        longest = _LONGEST_JOINED * (CHARACTERS_PER_TOKEN if self.codecs[1].has_character_tokens else 1)
        while left:
            group = [left.popleft()]
            is_joined = random.random() < self.training.augmentation.joined
            size, length = 1 + (min(random.geometric(0.7), 3) if is_joined else 0), len(group[0].tgt)
            while left and len(group) < size and (length := length + len(left[0].tgt)) <= longest:
                group.append(left.popleft())
            yield group

    def _of_group(self, group: Sequence[Line], random: Random) -> Line:
        """The line of the pairs of a group: each of them changed, and then all as one line."""
        of_pairs = [_drawn(self._of_pair[0 if self._has_digits(line) else 1 :], random) for line in group]
        of_line = _drawn(self._of_line, random)
        if len(group) == 1 and not (of_pairs[0] or of_line):
            return group[0]
        before = [_texts(self.codecs, line) for line in group]
        texts = self._joined([_changed(*each, random) for each in zip(before, of_pairs, strict=True)], random)
        texts = _changed(texts, of_line, random)
        return group[0] if before == [texts] else Line(*map(_ids, self.codecs, texts))

    def _joined(self, pairs: Sequence[Texts], random: Random) -> Texts:
        """A line of pairs, with spaces between sentences but behind the wide marks of Chinese and Japanese."""
        # Of two pairs, some become one sentence, as people type: "It is late – I am going home."
        if len(pairs) == 2 and all(map(_FULL_STOP.search, pairs[0])) and random.random() < _ONE_SENTENCE:
            joint = _JOINTS[random.integers(len(_JOINTS) - _has_greek(self.codecs))]  # no semicolon
            sides = zip(self.codecs, *pairs, strict=True)
            return Texts(*(f"{first[:-1]}{joint}{codec.inside(second)}" for codec, first, second in sides))
        ends = ("。", "！", "？")
        lines = (
            "".join(text if text.endswith(ends) else f"{text} " for text in side) for side in zip(*pairs, strict=True)
        )
        return Texts(*(line.removesuffix(" ") for line in lines))

    @cached_property
    def _of_pair(self) -> list[tuple[float, Change]]:
        """The changes of each pair with their probabilities; the first one is for pairs with digits."""
        changes = self.training.augmentation
        names, kept = (changes.names, self._with_other_names), (changes.kept, self._with_kept_word)
        return [(changes.numbers, self.numbers.changed), names, kept]

    @cached_property
    def _of_line(self) -> list[tuple[float, Change]]:
        """The changes of a line of one pair or several."""
        changes = self.training.augmentation
        capitals = changes.capitals if all(codec.segmenter.has_usual_case for codec in self.codecs) else 0.0
        of_marks = (changes.final_mark, partial(change_final_mark, marks=self.marks)), (changes.marks, change_marks)
        return [*of_marks, (changes.typos, with_typo), (capitals, self._in_other_case)]

    def _has_digits(self, line: Line) -> bool:
        """Whether both sides have digits: no other numbers change."""
        return all(not codec.vocabulary.digit_ids.isdisjoint(ids) for codec, ids in zip(self.codecs, line, strict=True))

    def _with_other_names(self, texts: Texts, random: Random) -> Texts:
        """Other names in place of those of a pair; one in fifty pairs without any gets one at its end."""
        found = self.names.find(*texts)
        # "I see, Tom.": few pairs of some corpora have any.
        if not found and self.names.known and random.random() < 0.02 and _have_final_marks(texts):
            found, texts = [HIDDEN], Texts(*(_END.sub(rf", {HIDDEN}\g<0>", text) for text in texts))
        for name in found:
            other = self._other_name(random)
            has_ending = any(name + first in text for text in texts for first in "s'’")
            if not (has_ending and _WITHOUT_ENDING.search(other.src)):
                texts = Texts(texts.src.replace(name, other.src), texts.tgt.replace(name, other.tgt))
        return texts

    def _other_name(self, random: Random) -> Texts:
        """A name for both sides, or a quantity."""
        if random.random() < _QUANTITIES:
            return self.numbers.quantity(random)
        name = self.names.draw(random)
        return Texts(name, name)

    def _with_kept_word(self, texts: Texts, random: Random) -> Texts:
        """A name that becomes HIDDEN, which is read as UNK, or HIDDEN before, in or behind the sentence."""
        if (found := self.names.find(*texts)) and random.random() < 0.7:
            name = found[random.integers(len(found))]
            return Texts(*(text.replace(name, HIDDEN) for text in texts))
        place = random.random()
        if place < 0.25:
            return Texts(*(f"{HIDDEN} {text}" for text in texts))
        if place < 0.5 or not _have_final_marks(texts):
            return Texts(*(f"{text} {HIDDEN}" for text in texts))
        return Texts(*(_END.sub(lambda end: f" {HIDDEN}{end[0]}", text) for text in texts))

    def _in_other_case(self, texts: Texts, random: Random) -> Texts:
        """The source in small letters or in capitals, as people type, which hide names."""
        in_case = lower if random.random() < 0.5 else upper
        return Texts(in_case(texts.src, self.codecs[0].config.language), texts.tgt)


def _drawn(changes: Iterable[tuple[float, Change]], random: Random) -> list[Change]:
    return [change for probability, change in changes if random.random() < probability]


def _changed(texts: Texts, changes: Iterable[Change], random: Random) -> Texts:
    for change in changes:
        texts = change(texts, random)
    return texts


def change_final_mark(texts: Texts, random: Random, *, marks: str = _MARKS) -> Texts:
    """The sentences without their final marks, or with one of `marks`, if there are any; both sides must have one."""
    is_other = random.random() >= 0.7
    if not _have_final_marks(texts) or (is_other and not marks):
        return texts
    mark = marks[random.integers(len(marks))] if is_other else ""
    changed = Texts(*(_OPENING.sub("", _END.sub("", text)) + mark for text in texts))
    return changed if all(changed) else texts  # a side may be nothing but marks


def change_marks(texts: Texts, random: Random) -> Texts:
    """The source without commas, as people type, or with spaces before its marks, or both sides in quotation marks."""
    kind = random.random()
    if kind < 0.5:
        return Texts(texts.src.replace(", ", " "), texts.tgt)
    if kind < 0.75:
        return Texts(_MARK.sub(" ", texts.src), texts.tgt)  # as tokenizers write
    opening, closing = _QUOTES[random.integers(len(_QUOTES))]
    return Texts(*(f"{opening}{text}{closing}" for text in texts))


def with_typo(texts: Texts, random: Random) -> Texts:
    """The source with two neighbouring letters exchanged, neither the first one, in a word that begins with no capital.

    Scripts without spaces have none: there a name looks like any word.
    """
    text = texts.src
    words = [word for word in re.finditer(rf"[^\W\d_{UNSPACED}]{{3,}}", text) if not word[0][0].isupper()]
    if not words:
        return texts
    word = words[random.integers(len(words))]
    place = random.integers(word.start() + 1, word.end() - 1)
    return Texts(text[:place] + text[place + 1] + text[place] + text[place + 2 :], texts.tgt)


def _have_final_marks(texts: Texts) -> bool:
    return all(map(_END.search, texts))


def _texts(codecs: Codecs, line: Line) -> Texts:
    return Texts(*(codec.text(ids) for codec, ids in zip(codecs, line, strict=True)))


def _ids(codec: Codec, text: str) -> list[int]:
    return codec.read(text, [found.span() for found in re.finditer(HIDDEN, text)]).ids


def _names_of(corpus: PreparedCorpus, seed: int) -> Names:
    """The names of a sample of the training pairs."""
    (src, tgt), pairs = corpus.codecs, corpus.split("train")
    rows = np.random.default_rng(seed).choice(len(pairs), min(_SAMPLE, len(pairs)), replace=False)
    texts = (_texts(corpus.codecs, line) for line in _lines(pairs, np.sort(rows)))
    return Names.of(texts, set(src.vocabulary.words).intersection(tgt.vocabulary.words))


def _has_own_marks(corpus: PreparedCorpus) -> bool:
    """Whether a side has final marks of its own, such as 。 and ¿, or as French a space before them."""
    pairs = corpus.split("train")
    own = [codec.vocabulary.ids_where(lambda unit: not _OWN_MARKS.isdisjoint((unit, *unit))) for codec in corpus.codecs]
    sides = zip((pairs.src.values, pairs.tgt.values), own, strict=True)
    found = any(np.isin(ids, list(marks)).sum() > _OWN_SHARE * len(pairs) for ids, marks in sides)
    return found or _has_greek(corpus.codecs)


def _has_greek(codecs: Codecs) -> bool:
    """Whether a side is in Greek, whose question mark is a semicolon."""
    return any(codec.config.language == "el" for codec in codecs)


def _numbers_of(corpus: PreparedCorpus) -> Numbers:
    """The forms of numbers and dates in a part of the training pairs that is large enough for it."""
    pairs = corpus.split("train")
    places = np.flatnonzero(np.isin(pairs.src.values, list(corpus.codecs[0].vocabulary.digit_ids)))
    rows = np.unique(np.searchsorted(pairs.src.offsets, places, side="right") - 1)[:_SAMPLE]
    return Numbers.of(_texts(corpus.codecs, line) for line in _lines(pairs, rows))


def _lines(ids: ParallelIds, rows: NDArray[np.int64]) -> list[Line]:
    chosen = ids.pick(rows)
    return [Line(chosen.src.row(i).tolist(), chosen.tgt.row(i).tolist()) for i in range(len(rows))]
