"""What a model shows while it reads references: loss, spread of the attention, words on marks, missed gold links.

B sentences, T target tokens, S source tokens with ``<eos>``, V units of a vocabulary.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from seq2seq_cli.counts import counted
from seq2seq_cli.decoding.alignment import Link, word_links
from seq2seq_cli.decoding.lines import read_lines
from seq2seq_cli.decoding.scoring import PairScore, score_pairs
from seq2seq_cli.decoding.translation import TotalScore
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.errors import InputError, one_line
from seq2seq_cli.shapes import Float, Int
from seq2seq_cli.text.characters import CONTINUING, SPACING, is_punctuation, normalise
from seq2seq_cli.text.codec import Codec, Reading
from seq2seq_cli.text.segmenter import get_segmenter
from seq2seq_cli.text.sides import Codecs
from seq2seq_cli.text.vocabulary import EOS, SPECIAL_UNITS, UNK_UNIT

END, MARK, WORD = range(3)
"""The kinds of tokens that the figures tell apart: ``<eos>`` and padding; punctuation; words, their parts, others."""


def token_kinds(codec: Codec) -> Int[np.ndarray, " V"]:
    """The kind of each id."""
    special = [WORD if unit == UNK_UNIT else END for unit in SPECIAL_UNITS]
    words = [MARK if is_punctuation(unit.removeprefix(CONTINUING)) else WORD for unit in codec.vocabulary.words]
    return np.array([*special, *words], dtype=np.int8)


@dataclass(frozen=True, kw_only=True)
class AttentionFigures:
    """Means over the target tokens of sentences, ``<eos>`` left out."""

    entropy: float
    """Of the weights of a token, in nats: 0 where it attends to one source token, log S where the weights are even."""
    words_on_marks: float
    """The share of the words whose heaviest source token is a punctuation mark or ``<eos>``."""

    @classmethod
    def of(cls, sums: Float[np.ndarray, " 4"]) -> "AttentionFigures | None":
        """The figures from the `attention_sums` of all sentences, added up; None without any token."""
        tokens, entropy, words, words_on_marks = sums.tolist()
        return cls(entropy=entropy / tokens, words_on_marks=words_on_marks / max(1.0, words)) if tokens else None


def attention_sums(
    weights: Float[np.ndarray, "B T S"], src: Int[np.ndarray, "B S"], tgt: Int[np.ndarray, "B T"]
) -> Float[np.ndarray, " 4"]:
    """The tokens, their entropy, the words and the words on marks, for weights and the kinds of the tokens.

    Weights that do not sum to 1, as with local attention, are divided by their sum; a token without any weight counts
    as 0.
    """
    totals = weights.sum(axis=2, dtype=np.float64)
    shares = weights / np.where(totals, totals, 1.0)[:, :, np.newaxis]
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    tokens, words = tgt != END, tgt == WORD
    heaviest = np.take_along_axis(src, shares.argmax(axis=2), axis=1)
    on_marks = words & (heaviest != WORD) & shares.any(axis=2)  # without any weight, no token is the heaviest
    entropy = -(shares * logs).sum(axis=2)[tokens].sum()
    return np.array([tokens.sum(), entropy, words.sum(), on_marks.sum()])


_LINK = re.compile(r"(\d{1,9})([-?p])(\d{1,9})", re.ASCII)


class GoldLinks(NamedTuple):
    """The links of a sentence pair, of source words to target words."""

    sure: frozenset[Link]
    possible: frozenset[Link]
    """The sure ones among them."""
    place: str
    """``file:line``, where they are written."""


@dataclass(frozen=True, kw_only=True)
class AlignmentCounts:
    """Links A of a model, sure links S and possible links P (S among them) of the gold; Och & Ney 2003, section 5.1."""

    pairs: int = 0
    links: int = 0  # |A|
    sure: int = 0  # |S|
    in_sure: int = 0  # |A and S|
    in_possible: int = 0  # |A and P|

    def __add__(self, other: "AlignmentCounts") -> "AlignmentCounts":
        return AlignmentCounts(**{name: value + getattr(other, name) for name, value in vars(self).items()})

    @property
    def error_rate(self) -> float:
        """AER = 1 - (|A and S| + |A and P|) / (|A| + |S|), from 0, the best, to 1."""
        return 1 - (self.in_sure + self.in_possible) / max(1, self.links + self.sure)

    @property
    def precision(self) -> float:
        """|A and P| / |A|."""
        return self.in_possible / max(1, self.links)

    @property
    def recall(self) -> float:
        """|A and S| / |S|."""
        return self.in_sure / max(1, self.sure)


GoldAlignment: TypeAlias = Mapping[tuple[str, str], GoldLinks]
"""The links of sentence pairs, by source and target; words are the tokens of ``s2s prepare`` with the unit word."""


def count_links(alignment: GoldAlignment, pair: tuple[str, str], score: PairScore, codecs: Codecs) -> AlignmentCounts:
    """The counts of a pair, 0 for an unknown one; InputError for a link of a word that the pair does not have."""
    if (gold := alignment.get(pair)) is None:
        return AlignmentCounts()
    src_words, tgt_words = map(words_of_ids, codecs, (score.src, score.tgt))
    for side, text, words in zip((0, 1), pair, (src_words, tgt_words), strict=True):
        if (word := max((link[side] for link in gold.possible), default=-1)) >= _count(words):
            counts = counted(_count(words), "word")
            problem = f"no word {word}: '{one_line(text)}' has {counts}, counted from 0, cut as by 's2s prepare'"
            raise InputError(f"{gold.place}: {problem}")
    found = set(attention_links(score.weights, src_words, tgt_words))
    in_sure, in_possible = len(found & gold.sure), len(found & gold.possible)
    return AlignmentCounts(pairs=1, links=len(found), sure=len(gold.sure), in_sure=in_sure, in_possible=in_possible)


def forced_figures(
    translator: Translator, pairs: Sequence[tuple[str, str]], name: str, gold: GoldAlignment | None
) -> tuple[TotalScore, AttentionFigures | None, AlignmentCounts | None]:
    """The figures of forced decoding: the model reads the references of `pairs`; `name` is that of the set in messages.

    Raises InputError for a source that is too long for the model, and for a gold link of a word that is not there.
    """
    codecs = translator.src_codec, translator.tgt_codec
    src_kinds, tgt_kinds = map(token_kinds, codecs)
    total, sums, counts = TotalScore(), np.zeros(4), AlignmentCounts()
    has_attention = translator.engine.has_attention
    scores = score_pairs(translator, pairs, lambda n: f"{name}: pair {n}", with_attention=has_attention)
    for pair, score in zip(pairs, scores, strict=True):
        total += score
        if len(score.weights):
            src, tgt = src_kinds[[[*score.src.ids, EOS]]], tgt_kinds[[[*score.tgt.ids, EOS]]]
            sums += attention_sums(score.weights[np.newaxis], src, tgt)
            counts += count_links(gold or {}, pair, score, codecs)
    return total, AttentionFigures.of(sums), counts if gold and has_attention else None


def read_gold_alignment(path: Path, pairs: Iterable[tuple[str, str]], *, swap: bool = False) -> GoldAlignment:
    """Read a file with a line of links for each pair: ``i-j`` sure, ``i?j`` or ``ipj`` possible, counted from 0.

    That is the Pharaoh format with the usual marks of possible links. `pairs` are sources and targets, one per line of
    the pair file; with `swap`, its first column is the target. Of equal pairs, the first one's links count.

    Raises InputError when the file cannot be read, has another number of lines, or something else than links.
    """
    lines, pairs = list(read_lines(path)), list(pairs)
    links: dict[tuple[str, str], GoldLinks] = {}
    for number, (pair, line) in enumerate(zip(pairs, lines, strict=False), start=1):
        links.setdefault(pair, _parse(line, f"{path}:{number}", swap=swap))
    if len(pairs) != len(lines):
        counts = f"has {counted(len(lines), 'line')}, but the pairs have {len(pairs):,}"
        raise InputError(f"{path}: {counts}: give a line of links for each")
    return links


def _parse(line: str, place: str, *, swap: bool) -> GoldLinks:
    sure, possible = set(), set()
    for written in line.split():
        if not (match := _LINK.fullmatch(written)):
            problem = f"{one_line(written[:40])!r} is no link: write i-j for a sure one and i?j for a possible one"
            raise InputError(f"{place}: {problem}, words counted from 0")
        link = (int(match[3]), int(match[1])) if swap else (int(match[1]), int(match[3]))
        possible.add(link)
        if match[2] == "-":
            sure.add(link)
    return GoldLinks(frozenset(sure), frozenset(possible), place)


def attention_links(
    weights: Float[np.ndarray, "T S"], src_words: Sequence[int | None], tgt_words: Sequence[int | None]
) -> list[Link]:
    """The link of each target word to its heaviest source word; none where ``<eos>`` is heavier than any word.

    `src_words` and `tgt_words` are the words of the ids, ``<eos>`` left out. Weights are summed over the ids of a
    source word, and over the ids of a target word, which has the same order as their mean. Luong et al. 2015, section
    5.4, take the links in this way.
    """
    end = _count(src_words)
    links = word_links(weights, [*src_words, end], [*tgt_words, None])
    return [(source, target) for source, target in links if source != end]


def words_of_ids(codec: Codec, reading: Reading) -> list[int | None]:
    """The word in which each id of a text stands, as the unit word has them; None for a space."""
    if codec.unit != "character":
        return [number for number, word in enumerate(reading.words) for _ in word.ids]
    tokens = get_segmenter(codec.config, "word").tokens(normalise(reading.text))
    words = iter([number for number, token in enumerate(tokens) for _ in token.removeprefix(SPACING)])
    return [None if word.text == SPACING else next(words, None) for word in reading.words]


def _count(words: Sequence[int | None]) -> int:
    return max((word + 1 for word in words if word is not None), default=0)
