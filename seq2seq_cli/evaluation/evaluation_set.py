"""The sentences that translators are evaluated on, and the outputs of a system for them."""

import logging
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path

from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import TEST, SplitName
from seq2seq_cli.corpus.trained_sentences import TrainedSentences
from seq2seq_cli.counts import counted
from seq2seq_cli.decoding.lines import read_lines
from seq2seq_cli.decoding.translation import TotalScore
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.errors import InputError, PairFileError, UsageError, one_line
from seq2seq_cli.evaluation.attention_figures import AlignmentCounts, AttentionFigures, GoldAlignment, forced_figures
from seq2seq_cli.pairs.pair_files import ONE_PER_LINE, local_pair_files, read_blocks
from seq2seq_cli.pairs.recognise import recognise
from seq2seq_cli.text.characters import normalise
from seq2seq_cli.text.spacy_tokenizers import ANY_LANGUAGE

logger = logging.getLogger(__name__)

_SHOWN = 3
"""Lines that a warning names."""


@dataclass(frozen=True, kw_only=True)
class EvaluationSet:
    """Sentence pairs with the languages of their sides; a source may have several references."""

    name: str
    pairs: tuple[tuple[str, str], ...]
    """Sources and references, plain text; not empty."""
    languages: tuple[str, str]
    """The languages of the source and the target, ISO 639; empty where unknown."""
    lines: tuple[tuple[str, str], ...] = ()
    """All lines of the files, also those that lack a text on a side; empty for a split."""

    @classmethod
    def of_split(cls, corpus: PreparedCorpus, split: SplitName) -> "EvaluationSet":
        """A split of a prepared folder; raises UsageError when nothing is held out there."""
        if not (pairs := corpus.sentences(split)):
            raise UsageError(f"{corpus.path}: its {split} split is empty: name pairs with --file")
        languages = corpus.manifest.text.languages
        return cls(name=f"{corpus.path}, {split} split", pairs=tuple(pairs), languages=languages)

    @classmethod
    def of_lines(
        cls, lines: Sequence[tuple[str, str]], paths: Sequence[Path], languages: tuple[str, str]
    ) -> "EvaluationSet":
        """The `lines` of `read_pair_lines` that have a text on both sides; PairFileError when there are none."""
        name = " + ".join(map(str, paths))
        if not (pairs := tuple(pair for pair in lines if all(pair))):
            raise PairFileError(f"{name}: no sentence pair in it: {ONE_PER_LINE}")
        return cls(name=name, pairs=pairs, languages=languages, lines=tuple(lines))

    @cached_property
    def references(self) -> dict[str, list[str]]:
        """The distinct references of each distinct source, in the order of the pairs."""
        found: dict[str, dict[str, None]] = {}
        for source, reference in self.pairs:
            found.setdefault(source, {})[reference] = None
        return {source: list(references) for source, references in found.items()}


def read_pair_lines(
    paths: Sequence[Path],
    *,
    encoding: str | None = None,
    columns: str | None = None,
    languages: tuple[str, str] = ("", ""),
    swap: bool = False,
) -> Iterator[tuple[str, str]]:
    """The two sentences of each line of files as ``s2s prepare`` takes them, either of them empty where it is missing.

    With `swap`, the second column is the source. `languages` are the source's and the target's, empty where unknown,
    `columns` the two columns by name or number, `encoding` is the files', by default UTF-8. Notices tell how the files
    are read, warnings that one states other languages, or has lines without a text on both sides. Raises PairFileError
    when a file cannot be read, UsageError when it lacks the columns.
    """
    encoding = "utf-8" if encoding is None else encoding
    in_order = (languages[1], languages[0]) if swap else languages
    with local_pair_files({TEST: [(path,) for path in paths]}) as given:
        found = recognise(given, encoding=encoding, columns=columns, languages=in_order)
        for notice in filter(None, (each.notice for each in found)):
            logger.info(one_line(notice))
        for each in found:
            said = each.statement.codes if each.statement else in_order
            of_columns = [{*codes} for codes in zip(said, in_order, strict=True)]
            if any(len(codes) > 1 and codes.isdisjoint((ANY_LANGUAGE, "")) for codes in of_columns):
                told = "-".join(said), "-".join(in_order)
                warning = "%s: says that its columns are %s; they are taken as %s: give pairs of these languages"
                logger.warning(warning, one_line(each.name), *told)
        for each in found:
            lacking = []
            blocks = read_blocks(each, encoding=encoding)
            for number, first, second, *_ in chain.from_iterable(block.pairs() for block in blocks):
                texts = normalise(first), normalise(second)
                lacking += [] if all(texts) else [f"{number:,}"]
                yield (texts[1], texts[0]) if swap else texts
            if lacking:
                shown = ", ".join([*lacking[:_SHOWN], *["..."] * (len(lacking) > _SHOWN)])
                warning = "%s: skips %s without a text on both sides: %s"
                logger.warning(warning, one_line(each.name), counted(len(lacking), each.unit), shown)


@dataclass(frozen=True, kw_only=True)
class SystemOutput:
    """The translation of each distinct source of an evaluation set."""

    name: str
    texts: dict[str, str]
    """By the source."""
    trained_on: int | None = None
    """The pairs of the set that have a side that the system was trained on; None where that is not known."""
    seen: Counter[str] | None = None
    """The times that its training has each word of the references; None where that is not known."""
    lowercase: bool = False
    """Whether the system writes lower case alone."""
    total: TotalScore | None = None
    """The log-probability of the references; None for outputs of unknown origin, as are the next."""
    attention: AttentionFigures | None = None
    """Figures of the attention at the references; None in a model without attention, as is the next."""
    alignment: AlignmentCounts | None = None
    """The counts of its links; None where no gold alignment is given."""
    unknown_rate: float | None = None
    """Words of the sources that are not in the vocabulary, per word; characters where these are the model's tokens."""
    sentences_per_second: float | None = None
    translator: Translator | None = field(default=None, repr=False, compare=False)


def translate_set(
    name: str,
    translator: Translator,
    tests: EvaluationSet,
    trained: TrainedSentences | None = None,
    gold: GoldAlignment | None = None,
) -> SystemOutput:
    """Translate each distinct source once, and score the references; `trained`: what the model was trained on.

    Raises InputError for a source that is too long for the model, and for a link of a word that is not there.
    """
    total, attention, alignment = forced_figures(translator, tests.pairs, tests.name, gold)
    sources = list(tests.references)
    started = time.perf_counter()
    translations = translator.translate(sources)
    seconds = time.perf_counter() - started
    if cut := sum(translation.was_cut for translation in translations):
        logger.warning("%s: %s with a sentence that is too long, translated in parts", name, counted(cut, "text"))
    words = sum(len(sentence.reading.words) for each in translations for sentence in each.sentences)
    return SystemOutput(
        name=name,
        texts={translation.source: translation.text for translation in translations},
        trained_on=int(trained.share_a_side(tests.pairs).sum()) if trained else None,
        lowercase=translator.tgt_codec.config.lowercase,
        total=total,
        attention=attention,
        alignment=alignment,
        unknown_rate=sum(len(translation.unknown) for translation in translations) / max(1, words),
        sentences_per_second=len(sources) / seconds,
        translator=translator,
    )


def read_hypotheses(path: Path, tests: EvaluationSet) -> SystemOutput:
    """The outputs in a file: one per pair of the set or per line of its files, or one per distinct source, in order.

    Raises InputError when the file cannot be read, has another number of lines, or two outputs for one source.
    """
    lines = list(enumerate(map(normalise, read_lines(path)), start=1))  # as the references, and translations of a run
    sources = [source for source, _ in tests.pairs]
    if len(lines) == len(tests.lines):
        lines = [line for line, pair in zip(lines, tests.lines, strict=True) if all(pair)]
    if len(lines) == len(tests.references):
        sources = list(tests.references)
    elif len(lines) != len(sources):
        counts = f"{counted(len(sources), 'pair')} with {counted(len(tests.references), 'different source')}"
        problem = f"{path}: has {counted(len(lines), 'line')}, but {tests.name} has {counts}"
        raise InputError(f"{problem}: give one line for each pair, or for each source")
    texts: dict[str, str] = {}
    for source, (number, text) in zip(sources, lines, strict=True):
        if texts.setdefault(source, text) != text:
            cure = "give equal sources one translation, or one line per different source"
            raise InputError(f"{path}:{number}: another translation of a sentence that a line above translates: {cure}")
    return SystemOutput(name=str(path), texts=texts)
