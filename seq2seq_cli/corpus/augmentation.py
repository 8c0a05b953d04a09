"""Changed training pairs, drawn again in each epoch: what a model has read in training, no rule needs to repair.

Each transformation takes a pair of texts and a generator of random numbers, and returns a pair: the same one where it
does not apply. Firefox's translators are trained so (OpusTrainer; Bogoychev et al. 2023, "OpusCleaner and OpusTrainer,
open source toolkits for training machine translation and large language models").

The draws depend on the seed, the epoch, the window and the number of the process alone, so that a resumed epoch has the
same pairs.
"""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.compute.ragged import Ragged
from seq2seq_cli.config.schema.training import TrainingConfig
from seq2seq_cli.corpus.prepared import ParallelIds, PreparedCorpus
from seq2seq_cli.corpus.shared_names import Names
from seq2seq_cli.corpus.shared_numbers import Written, with_other_numbers, written_forms
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.letters import lower, upper
from seq2seq_cli.text.normalise import FINAL_MARKS, HIDDEN
from seq2seq_cli.text.vocabulary import CHARACTERS_PER_TOKEN, UNK

_SAMPLE = 20_000
"""Pairs whose names, and pairs whose numbers, are looked at before training."""
_LONGEST_JOINED = 30
"""Target ids of a line of joined pairs, more where they are characters: longer ones are few per batch, and take as many
steps."""
_NUMBER_COPIES = 6
"""Times that a pair with digits is read per epoch, each time with others: few pairs of most corpora have any."""
_MOST_COPIES = 0.15
"""The most further copies per pair: where many pairs have digits, batches would become too large."""
_END = re.compile(rf"\s*[{re.escape(''.join(FINAL_MARKS))}]+$")
_OTHER_MARKS = re.compile(r"[。！？؟।¿¡]")
_MARK = re.compile(r"(?<=\w)(?=[.,!?;:]+(?:\s|$))")
_QUOTES = (('"', '"'), ("'", "'"), ("“", "”"), ("„", "“"), ("«", "»"), ("(", ")"))

Random: TypeAlias = np.random.Generator


class Texts(NamedTuple):
    """The texts of a pair, or of several joined ones."""

    src: str
    tgt: str


class Line(NamedTuple):
    """A source and a target as the model reads them, in ids without bos and eos."""

    src: Sequence[int]
    tgt: Sequence[int]


@dataclass(frozen=True, kw_only=True)
class Augmentation:
    """The transformations of a training run, with their probabilities."""

    src_codec: Codec
    tgt_codec: Codec
    training: TrainingConfig
    names: Names
    forms: Sequence[Written] = ()
    """How the pairs write numbers with separators."""
    stream: int = 0
    """The index, from 0, among the processes that draw from one seed, each for other pairs."""
    longest: int | None = None
    """The most ids of a source: pairs whose line would be longer stay as they are. None: any number, with which alone
    there is BPE-dropout."""

    @classmethod
    def of(
        cls, training: TrainingConfig, corpus: PreparedCorpus, *, stream: int = 0, longest: int | None = None
    ) -> "Augmentation | None":
        """The augmentation of a config; None when it changes nothing."""
        changes = training.augmentation
        if not (changes.enabled or training.bpe_dropout):
            return None
        return cls(
            src_codec=corpus.src_codec,
            tgt_codec=corpus.tgt_codec,
            training=training,
            names=_names_of(corpus, training.seed, are_drawn=changes.enabled and changes.names > 0),
            forms=_forms_of(corpus) if changes.enabled and changes.numbers else (),
            stream=stream,
            longest=longest,
        )

    def apply(self, ids: ParallelIds, rows: NDArray[np.int64], *, epoch: int, window: int) -> ParallelIds:
        """The lines of the given pairs, changed as this epoch and window (both counted from 0) have them.

        There are fewer lines than pairs where some are joined, and more where pairs with numbers are read several
        times.
        """
        # numpy's seeds [1, 2] and [1, 2, 0] are the same, and the order of the epoch is drawn from the first.
        random = np.random.default_rng([self.training.seed, epoch, window + 1, self.stream])
        lines = _lines(ids, rows)
        if self.training.augmentation.enabled:
            lines = list(self._changed(lines, random))
        if self.training.bpe_dropout:
            lines = [self._in_other_parts(line, random) for line in lines]
        return ParallelIds(src=Ragged.of([line.src for line in lines]), tgt=Ragged.of([line.tgt for line in lines]))

    def _changed(self, lines: Sequence[Line], random: Random) -> Iterator[Line]:
        """The lines of the changed pairs; a text with an unknown word cannot be written, and so not changed."""
        known: list[Line] = []
        for line in lines:
            if UNK in line.src or UNK in line.tgt:
                yield line
            else:
                known.append(line)
        for group, draws in self._groups(self._with_copies(known), random):
            line = self._of_group(group, draws, random)
            is_short = self.longest is None or len(line.src) <= self.longest
            # Each unknown word of the target is copied from one of the source.
            yield from [line] if is_short and line.src.count(UNK) == line.tgt.count(UNK) else group

    def _with_copies(self, lines: Sequence[Line]) -> list[Line]:
        """The lines, those with digits up to `_NUMBER_COPIES` times."""
        has_digits = [self.training.augmentation.numbers > 0 and self._has_digits(line) for line in lines]
        copies = 1 + min(_NUMBER_COPIES - 1, int(_MOST_COPIES * len(lines) / max(1, sum(has_digits))))
        return [
            line for line, is_copied in zip(lines, has_digits, strict=True) for _ in range(copies if is_copied else 1)
        ]

    def _groups(self, lines: Sequence[Line], random: Random) -> Iterator[tuple[list[Line], list[list[bool]]]]:
        """The pairs of each line, drawn from the whole window, one or two to four, with the changes drawn for each."""
        left = deque(random.permutation(len(lines)).tolist())
        is_joined = random.random(len(lines)) < self.training.augmentation.joined
        sizes = np.where(is_joined, 2 + random.choice(3, len(lines), p=[0.7, 0.2, 0.1]), 1).tolist()
        draws = (random.random((len(lines), len(self._probabilities))) < self._probabilities).tolist()
        longest = _LONGEST_JOINED * (CHARACTERS_PER_TOKEN if self.tgt_codec.has_character_tokens else 1)
        while left:
            group = [left.popleft()]
            size, length = sizes[group[0]], len(lines[group[0]].tgt)
            while left and len(group) < size and (length := length + len(lines[left[0]].tgt)) <= longest:
                group.append(left.popleft())
            yield [lines[i] for i in group], [draws[i] for i in group]

    def _of_group(self, group: Sequence[Line], draws: Sequence[Sequence[bool]], random: Random) -> Line:
        """The line of the pairs of a group: each of them changed as it is drawn, and then the line as the first is."""
        changed = [self._of_sentence(line, of_line[:3], random) for line, of_line in zip(group, draws, strict=True)]
        texts = changed[0]
        if len(group) > 1:
            sentences = [after or self._texts(before) for before, after in zip(group, changed, strict=True)]
            texts = Texts(_join([each.src for each in sentences]), _join([each.tgt for each in sentences]))
        if any(draws[0][3:]):
            return self._of_line(texts or self._texts(group[0]), draws[0][3:], random)
        return self._read(texts) if texts else group[0]

    def _of_sentence(self, line: Line, draws: Sequence[bool], random: Random) -> Texts | None:
        """The changed texts of a pair; None where nothing is changed."""
        numbers, names, kept = draws
        numbers = numbers and self._has_digits(line)
        if not (numbers or names or kept):
            return None
        before = texts = self._texts(line)
        if numbers:
            texts = Texts(*with_other_numbers(texts, self.forms, random))
        if names:
            found = self.names.find(*texts)
            texts = self._with_other_names(texts, found, random) if found else self._with_addressee(texts, random)
        if kept:
            texts = self._with_kept_word(texts, random)
        return None if texts == before else texts

    def _of_line(self, texts: Texts, draws: Sequence[bool], random: Random) -> Line:
        """A line with the changes that were drawn."""
        final_mark, marks, typo, capitals = draws
        if final_mark:
            texts = change_final_mark(texts, random)
        if marks:
            texts = change_marks(texts, random)
        if typo:
            texts = Texts(with_typo(texts.src, random), texts.tgt)
        return self._in_other_case(texts, random) if capitals else self._read(texts)

    @cached_property
    def _probabilities(self) -> NDArray[np.float64]:
        """Probabilities of the changes of `_of_sentence`, then of `_of_line`."""
        changes = self.training.augmentation
        has_case = self.src_codec.segmenter.has_usual_case and self.tgt_codec.segmenter.has_usual_case
        capitals = changes.capitals if has_case else 0.0
        of_line = changes.final_mark, changes.marks, changes.typos, capitals
        return np.array([changes.numbers, changes.names, changes.kept, *of_line])

    @cached_property
    def _digits(self) -> frozenset[int]:
        return frozenset(_ids_with_digits(self.src_codec))

    def _has_digits(self, line: Line) -> bool:
        return not self._digits.isdisjoint(line.src)

    def _texts(self, line: Line) -> Texts:
        return Texts(self.src_codec.text(line.src), self.tgt_codec.text(line.tgt))

    def _read(self, texts: Texts) -> Line:
        return Line(_ids(self.src_codec, texts.src), _ids(self.tgt_codec, texts.tgt))

    def _in_other_parts(self, line: Line, random: Random) -> Line:
        dropout = self.training.bpe_dropout
        src = self.src_codec.resample(line.src, dropout, random)
        return Line(src, self.tgt_codec.resample(line.tgt, dropout, random))

    def _with_other_names(self, texts: Texts, found: Sequence[str], random: Random) -> Texts:
        for name in found:
            other = self.names.draw(random)
            # The genitive of a name that ends with s has no further s.
            genitives = [name + ending for ending in ("s", "'s", "’s")]
            if not (other[-1] in "sxz" and any(each in text for text in texts for each in genitives)):
                texts = Texts(*(text.replace(name, other) for text in texts))
        return texts

    def _with_addressee(self, texts: Texts, random: Random) -> Texts:
        """One in fifty pairs without a name gets one at its end: "I see, Tom."; few pairs of some corpora have any."""
        if not self.names.known or random.random() >= 0.02 or not _have_final_marks(texts):
            return texts
        name = self.names.draw(random)
        return Texts(*(_END.sub(lambda end: f", {name}{end[0]}", text) for text in texts))

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

    def _in_other_case(self, texts: Texts, random: Random) -> Line:
        """The source in small letters or in capitals, as people type, which hide names."""
        in_case = lower if random.random() < 0.5 else upper
        return self._read(Texts(in_case(texts.src, self.src_codec.config.language), texts.tgt))


def change_final_mark(texts: Texts, random: Random) -> Texts:
    """The sentences without their final marks, or with another one; both sides must have one.

    Marks are only left out where a language has others of its own, as in 你好。 and ¿Qué?
    """
    if not _have_final_marks(texts):
        return texts
    mark = "" if random.random() < 0.7 else "!?.…"[random.integers(4)]
    if mark and any(_OTHER_MARKS.search(text) for text in texts):
        return texts
    changed = Texts(*(_END.sub(mark, text) for text in texts))
    return changed if all(changed) else texts  # a side may be nothing but marks


def change_marks(texts: Texts, random: Random) -> Texts:
    """The source with spaces before its marks, as tokenizers write it, or both sides in quotation marks."""
    if random.random() < 0.5:
        return Texts(_MARK.sub(" ", texts.src), texts.tgt)
    opening, closing = _QUOTES[random.integers(len(_QUOTES))]
    return Texts(*(f"{opening}{text}{closing}" for text in texts))


def with_typo(text: str, random: Random) -> str:
    """The text with two neighbouring letters of a word exchanged."""
    places = [found.start() for found in re.finditer(r"(?<=[^\W\d_])(?=[^\W\d_]{2})", text)]
    if not places:
        return text
    place = places[random.integers(len(places))]
    return text[:place] + text[place + 1] + text[place] + text[place + 2 :]


def _have_final_marks(texts: Texts) -> bool:
    return all(map(_END.search, texts))


def _join(sentences: Sequence[str]) -> str:
    """A line of sentences, with spaces between them but behind the wide marks of Chinese and Japanese."""
    joined = sentences[0]
    for sentence in sentences[1:]:
        joined += sentence if joined.endswith(("。", "！", "？")) else f" {sentence}"
    return joined


def _ids(codec: Codec, text: str) -> list[int]:
    return codec.read(text, [found.span() for found in re.finditer(HIDDEN, text)] if HIDDEN in text else ()).ids


def _lines(ids: ParallelIds, rows: NDArray[np.int64]) -> list[Line]:
    chosen = ids.pick(rows)
    return [Line(chosen.src.row(i).tolist(), chosen.tgt.row(i).tolist()) for i in range(len(rows))]


def _ids_with_digits(codec: Codec) -> list[int]:
    return [codec.vocabulary.id(word) for word in codec.vocabulary.words if re.search(r"\d", word)]


def _forms_of(corpus: PreparedCorpus) -> list[Written]:
    """The forms of the numbers of the training pairs with digits: of so many of them as the names are of."""
    src, tgt = corpus.codecs
    pairs = corpus.split("train")
    places = np.flatnonzero(np.isin(pairs.src.values, _ids_with_digits(src)))
    rows = np.unique(np.searchsorted(pairs.src.offsets, places, side="right") - 1)[:_SAMPLE]
    return written_forms((src.text(line.src), tgt.text(line.tgt)) for line in _lines(pairs, rows))


def _names_of(corpus: PreparedCorpus, seed: int, *, are_drawn: bool) -> Names:
    """The names of a sample of the training pairs."""
    codecs, pairs = corpus.codecs, corpus.split("train")
    units = set(codecs[0].vocabulary.words).intersection(codecs[1].vocabulary.words)
    if not are_drawn:
        return Names.of((), units)
    rows = np.sort(np.random.default_rng(seed).choice(len(pairs), min(_SAMPLE, len(pairs)), replace=False))
    return Names.of(((codecs[0].text(line.src), codecs[1].text(line.tgt)) for line in _lines(pairs, rows)), units)
