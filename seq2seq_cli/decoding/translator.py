"""From texts to translations: the way of a sentence, told in `Translator.translate_here`.

text -> sentences without marks -> ids -> hypotheses of the search -> text -> marks put back -> text
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from seq2seq_cli.compute.threads import check_wanted, map_in_threads
from seq2seq_cli.config.choices import LARGEST_INTEGER, MOST_EXTRA_TOKENS, DecodingOptions
from seq2seq_cli.decoding.alignment import can_be_copied, copy_by_attention
from seq2seq_cli.decoding.demands import Demands
from seq2seq_cli.decoding.engine import Engine, Look
from seq2seq_cli.decoding.keep import Piece, put_back
from seq2seq_cli.decoding.lines import chunks, similar_lengths
from seq2seq_cli.decoding.search.constrained import Constraints
from seq2seq_cli.decoding.search.rows import Hypothesis
from seq2seq_cli.decoding.search.search import search
from seq2seq_cli.decoding.search.tree import Trace, Tree, find_node
from seq2seq_cli.decoding.sentences import Passage, split_passage
from seq2seq_cli.decoding.translation import SearchStep, SentenceTranslation, Translation
from seq2seq_cli.errors import UsageError
from seq2seq_cli.pages.data import TreeData, TreeNode
from seq2seq_cli.text.characters import CONTINUING, HIDDEN, SPACING, Case, Span, normalise
from seq2seq_cli.text.codec import Codec, Reading
from seq2seq_cli.text.tokenizer import LONGEST_WORD
from seq2seq_cli.text.vocabulary import BOS, CHARACTERS_PER_TOKEN, EOS, EOS_UNIT

if TYPE_CHECKING:
    from seq2seq_cli.decoding.similar.features import JoinedFeatures
    from seq2seq_cli.decoding.similar.pairs import SimilarPairs

Ids: TypeAlias = tuple[int, ...]
"""The ids of a sentence, without bos and eos."""
_Found: TypeAlias = tuple[list[Hypothesis], Tree | None]
"""The best hypotheses for a sentence, best first, and the tree of the search where it is traced."""


class Correction(NamedTuple):
    """The translation of a sentence that a user has corrected."""

    ids: Ids
    copies: Mapping[int, int]
    """The index of the word of the source at each position of `ids` that is UNK."""
    case: Case
    source_case: Case
    """The case of the source; a source in another one gives its own to the translation."""


class _Source(NamedTuple):
    """A sentence as the model reads it: UNK in the place of each word that is kept."""

    piece: Piece
    is_first: bool
    """Whether it begins its text and there is a prefix, which is for it."""
    reading: Reading
    """Its protected words are the kept ones of the piece, in their order."""

    @property
    def key(self) -> tuple[str, tuple[Span, ...], bool]:
        """The same for sentences that have the same hypotheses."""
        return self.piece.text, self.piece.kept, self.is_first


@dataclass(frozen=True, kw_only=True)
class Translator:
    """Translates with one engine; the translation of a text does not depend on the texts around it."""

    engine: Engine[Any]
    src_codec: Codec
    tgt_codec: Codec
    options: DecodingOptions
    demands: Demands = field(default_factory=Demands)
    corrections: Mapping[Ids, Correction] = field(default_factory=dict)
    """By the ids of their sources."""
    is_traced: bool = False
    """Whether the translations come with the trees of their searches."""
    has_steps: bool = False
    """Whether they come with their steps, too."""

    def with_n_best(self, n: int) -> "Translator":
        """The same translator with `n` translations of each text, and a beam that is large enough for them."""
        return replace(self, options=replace(self.options, n_best=n, beam_size=max(n, self.options.beam_size)))

    def with_traces(self, *, steps: bool = False) -> "Translator":
        """The same translator, whose translations come with the trees of their searches, and with their `steps`."""
        return replace(self, is_traced=True, has_steps=steps)

    def with_demands(self, demands: Demands, glossary: str = "--glossary") -> "Translator":
        """The same translator with another prefix, and more terms; the new translations of a term take precedence.

        Raises InputError for words that its codec cannot write, and for a glossary when it draws its translations;
        `glossary` is the name of the glossary in messages.
        """
        demands.check(self.tgt_codec, glossary)
        if demands.terms and self.options.sampling:
            raise UsageError(f"{glossary}: needs a search: leave it out, or set decoding.sampling=false")
        prefix = normalise(demands.prefix) if isinstance(demands.prefix, str) else demands.prefix
        return replace(self, demands=Demands(prefix=prefix, terms={**self.demands.terms, **demands.terms}))

    @property
    def same_units(self) -> dict[int, int]:
        """The target unit of each source unit that is written alike; none of letters, most of which any source has."""
        src, tgt = self.src_codec.vocabulary, self.tgt_codec.vocabulary
        return {} if self.tgt_codec.unit == "character" else src.shared_ids(tgt)

    def consulting(
        self, pairs: "SimilarPairs", *, most: int, kept: "JoinedFeatures | None" = None, corrects: bool = False
    ) -> "Translator":
        """The same translator, whose engine consults `most` of these pairs for a sentence, or is corrected by them."""
        from seq2seq_cli.decoding.similar.engine import ConsultingEngine  # not above: not all need it

        marks, weight = self.src_codec.vocabulary.final_ids, self.options.similar_pairs_weight
        same = None if corrects else self.same_units
        engine = ConsultingEngine(self.engine, pairs, most=most, weight=weight, same=same, marks=marks, kept=kept)
        return replace(self, engine=engine)

    def translate(self, texts: Iterable[str]) -> list[Translation]:
        """The translations, in the order of the texts; a blank text has a blank one. See translate_stream."""
        return list(self.translate_stream(texts))

    def translate_stream(self, texts: Iterable[str]) -> Iterator[Translation]:
        """The translations one by one; of a long stream only a chunk of texts is in memory at a time."""
        threads = self.engine.threads
        for translations in map_in_threads(self.translate_here, chunks(texts, threads), threads):
            yield from translations

    def translate_here(self, texts: Sequence[str]) -> list[Translation]:
        """The translations of a few texts, computed in this thread alone: one search per sentence.

        As many threads as the engine has may call it at the same time.
        """
        passages = list(map(self.split, texts))
        found = iter(self.translate_sentences([piece for passage in passages for piece in enumerate(passage.pieces)]))
        return [self.join(passage, list(islice(found, len(passage.pieces)))) for passage in passages]

    def split(self, text: str) -> Passage:
        """A text taken apart into sentences, each short enough for the model."""
        return split_passage(text, self.src_codec.config.language, self._fits)

    def translate_sentences(self, pieces: Sequence[tuple[int, Piece]]) -> list[list[SentenceTranslation]]:
        """The translations of sentences, best first, each given with its number in its text; see translate_here."""
        sources = [
            _Source(piece, number == 0 and bool(self.demands.prefix), self.src_codec.read(piece.text, piece.kept))
            for number, piece in pieces
        ]
        found = [
            [self._write(source, hypothesis, tree) for hypothesis in hypotheses]
            for source, (hypotheses, tree) in zip(sources, self._search(sources), strict=True)
        ]
        if not self.has_steps:
            return found
        return [[best.with_steps(self.steps(best)), *others] for best, *others in found]

    def steps(self, sentence: SentenceTranslation) -> Iterator[SearchStep]:
        """The steps that write a translation by this translator; with the hypotheses considered if it is traced."""
        considered: list[tuple[tuple[str, ...], float, str]] = []
        for parent, unit, log_probability, fate, *_ in sentence.tree["nodes"] if sentence.tree else ():
            before, total, _ = considered[parent] if parent >= 0 else ((), 0.0, "")
            considered.append(((*before, unit), total + log_probability, fate))
        state = self.engine.start([sentence.reading.ids])
        for t, token in enumerate((BOS, *sentence.ids)[:-1]):
            check_wanted()
            look = self.engine.look(np.array([token]), state)
            proposals, state = self.engine.step(np.array([token]), state, k=0, asked=None)
            yield SearchStep(
                before=sentence.tgt_tokens[:t],
                token=sentence.tgt_tokens[t],
                attention=look and Look(*(part[0] for part in look)),
                log_probabilities=proposals.asked[0],
                units=self._units,
                hypotheses=sorted((each for each in considered if len(each[0]) == t + 1), key=lambda each: -each[1]),
            )

    def _fits(self, sentence: str) -> bool:
        """Whether a sentence need not be cut; a codec takes a part without spaces for one word when it is very long."""
        if 2 * len(sentence) <= self.max_length:  # at most two ids per character, it and a mark of a space
            return True
        length = len(self.src_codec.read(sentence).ids)
        return length <= self.max_length and all(len(word) <= LONGEST_WORD for word in sentence.split())

    def _search(self, sources: Sequence[_Source]) -> list[_Found]:
        """The outcome of the search for each sentence; for equal ones, there is one search."""
        distinct = list({source.key: source for source in sources}.values())
        found: dict[object, _Found] = {}
        for numbers in similar_lengths([len(source.reading.ids) for source in distinct], self.options.batch_size):
            batch = [distinct[number] for number in numbers]
            trace = Trace(len(batch)) if self.is_traced else None
            is_plain = not (self.demands.prefix or self.demands.terms or any(map(self._correction, batch)))
            hypotheses = search(
                self.engine,
                [source.reading.ids for source in batch],
                self.search_options,
                most_unknown=[self._most_unknown(source.reading) for source in batch],
                constraints=() if is_plain else list(map(self._constraints, batch)),
                trace=trace,
            )
            trees = trace.trees if trace else [None] * len(batch)
            found |= zip((source.key for source in batch), zip(hypotheses, trees, strict=True), strict=True)
        return [found[source.key] for source in sources]

    def _correction(self, source: _Source) -> Correction | None:
        """The correction of a sentence; None where it has none, or where a prefix is for it."""
        return None if source.is_first else self.corrections.get(tuple(source.reading.ids))

    def _constraints(self, source: _Source) -> Constraints:
        if correction := self._correction(source):
            return Constraints(prefix=(*correction.ids, EOS))
        return self.demands.constraints(source.reading, self.tgt_codec, is_first=source.is_first)

    def _most_unknown(self, reading: Reading) -> int:
        """The number of words to copy: with a vocabulary of words and attention all of them, else the unknown ones."""
        copies_all = self.engine.has_attention and self.src_codec.unit == "word"
        return sum((copies_all or word.is_unknown) and can_be_copied(word) for word in reading.words)

    def _write(self, source: _Source, hypothesis: Hypothesis, tree: Tree | None) -> SentenceTranslation:
        """The translation of a sentence: unknown words copied, marks put back."""
        piece, words, parts, weights = source.piece, source.reading.words, source.reading.parts, hypothesis.weights
        ids = hypothesis.ids[:-1] if hypothesis.ended else hypothesis.ids
        case = self.demands.case(source.reading) if source.is_first else source.reading.case
        if correction := self._correction(source):
            copies, case = correction.copies, correction.case if case == correction.source_case else case
        else:
            # Without attention, unknown words are copied in their order.
            copies = copy_by_attention(ids, weights if weights.any() else np.ones_like(weights), words)
        hidden = SPACING + HIDDEN if self.tgt_codec.unit == "character" else HIDDEN
        spelled = {place: hidden if words[i].is_protected else words[i].text for place, i in copies.items()}
        text, units = self.tgt_codec.write(ids, spelled, case)
        kept = [i for i, word in enumerate(words) if word.is_protected]
        copied = [kept.index(i) for _, i in sorted(copies.items()) if words[i].is_protected]
        shown = [words[copies[i]].text if i in copies else unit for i, unit in enumerate(units)]
        shown += [EOS_UNIT] * hypothesis.ended
        return SentenceTranslation(
            source=piece.source,
            text=put_back(piece, text, copied, units=units, parts=parts, weights=weights),
            src_tokens=[*parts, EOS_UNIT],
            tgt_tokens=shown,
            weights=weights,
            log_probability=hypothesis.log_probability,
            unknown=tuple(word.text for word in words if word.is_unknown and not word.is_protected),
            copied=tuple(words[word].text for word in copies.values()),
            forced=tuple(token for i, token in enumerate(shown) if i in hypothesis.forced and not correction),
            token_log_probabilities=tuple(hypothesis.token_log_probabilities.tolist()),
            reading=source.reading,
            ids=tuple(hypothesis.ids),
            tree=None if tree is None else self._tree_data(tree, hypothesis.ids),
        )

    def _tree_data(self, tree: Tree, ids: Sequence[int]) -> TreeData:
        """The tree of a search that found these ids, as the pages show it."""
        nodes: list[TreeNode] = [
            (parent, self._units[token], round(log_p, 3), fate, score and round(score, 3), token)
            for parent, token, log_p, fate, score in tree
        ]
        return {"nodes": nodes, "best": find_node(tree, ids)}

    def join(self, passage: Passage, found: Sequence[Sequence[SentenceTranslation]]) -> Translation:
        """The translation of a text; the n-th best one has the n-th best translation of each sentence."""
        translations = []
        for rank in range(max(map(len, found), default=1)):
            sentences = tuple(of_sentence[min(rank, len(of_sentence) - 1)] for of_sentence in found)
            text = passage.join([sentence.text for sentence in sentences])
            made = Translation(source=passage.source, text=text, sentences=sentences, was_cut=passage.was_cut)
            translations.append(made)
        alternatives = tuple(translations) if self.options.n_best > 1 and found else ()
        return replace(translations[0], alternatives=alternatives)

    @cached_property
    def _units(self) -> list[str]:
        """The units of the target by their ids, without the marks of spaces."""
        units = map(self.tgt_codec.vocabulary.unit, range(len(self.tgt_codec.vocabulary)))
        return [unit.lstrip(SPACING + CONTINUING) or unit for unit in units]

    @cached_property
    def max_length(self) -> int:
        """The most ids of a sentence that is translated in one piece."""
        longest = self.options.max_source_length * (CHARACTERS_PER_TOKEN if self.src_codec.unit == "character" else 1)
        if self.engine.max_source_length is not None:
            longest = min(longest, self.engine.max_source_length - len((EOS,)))
        return longest

    @cached_property
    def search_options(self) -> DecodingOptions:
        """The options, with room for as many words where tokens are characters."""
        options, factor = self.options, CHARACTERS_PER_TOKEN if self.tgt_codec.has_character_tokens else 1
        ngram_size = min(options.no_repeat_ngram_size * factor, LARGEST_INTEGER)
        extra = min(options.max_length_extra * factor, MOST_EXTRA_TOKENS)
        return replace(options, no_repeat_ngram_size=ngram_size, max_length_extra=extra)
