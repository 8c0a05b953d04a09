"""The outcome of translating: a text, its translation, and what is known about it."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from itertools import islice
from typing import Literal, TypeAlias

import numpy as np

from seq2seq_cli.decoding.alignment import Link, word_links, words_of_tokens
from seq2seq_cli.decoding.engine import Look
from seq2seq_cli.pages.data import AttentionData, Details, StepData, TextData, TreeData
from seq2seq_cli.plots.attention_text import AttentionMap
from seq2seq_cli.shapes import Float
from seq2seq_cli.text.codec import Reading
from seq2seq_cli.text.vocabulary import BOS, EOS_UNIT, PAD

Place: TypeAlias = Callable[[int], str]
"""The name of a text in messages, by its number, counted from 1."""

_DECIMALS = 3
"""Of the numbers on pages."""
_SHOWN_NUMBERS, _SHOWN_TOKENS = 16, 8
"""Numbers of a vector, and next tokens of a step, on pages."""


@dataclass(frozen=True, kw_only=True)
class TotalScore:
    """The log-probability of one translation, or of several together."""

    log_probability: float = 0.0
    """The sum over the tokens, ``<eos>`` counted."""
    length: int = 0
    """The number of these tokens."""

    def __add__(self, other: "TotalScore") -> "TotalScore":
        log_probability = self.log_probability + other.log_probability
        return TotalScore(log_probability=log_probability, length=self.length + other.length)

    @property
    def score(self) -> float:
        """The mean log-probability per token; 0 without any."""
        return self.log_probability / self.length if self.length else 0.0

    @property
    def confidence(self) -> float:
        """exp(score), the geometric mean of the tokens' probabilities, from 0 to 1."""
        return math.exp(self.score)

    @property
    def perplexity(self) -> float:
        """exp(-score); infinite beyond the largest number of the machine."""
        try:
            return math.exp(-self.score)
        except OverflowError:
            return math.inf


@dataclass(frozen=True, kw_only=True)
class SearchStep:
    """A step of a translation: the query attends to the source, and a token is written. V target vocabulary."""

    before: list[str]
    """The tokens of the translation before the step."""
    token: str
    """The token that the translation has here."""
    attention: Look | None
    """Encoder states, query, scores, weights and context, without R; None where `Engine.look` is None."""
    log_probabilities: Float[np.ndarray, " V"]
    """log p of each token of the vocabulary to come next."""
    units: Sequence[str]
    """V: the tokens of the vocabulary."""
    hypotheses: list[tuple[tuple[str, ...], float, str]]
    """The hypotheses that the search considered here: tokens, log-probability, fate (see `Fate`); the best first."""

    def likeliest(self, most: int) -> list[tuple[int, str, float]]:
        """The most probable next tokens, best first: id, token, probability."""
        order = [id_ for id_ in np.argsort(-self.log_probabilities, kind="stable").tolist() if id_ not in (PAD, BOS)]
        return [(id_, self.units[id_], math.exp(self.log_probabilities[id_])) for id_ in order[:most]]

    @property
    def data(self) -> StepData:
        """The step as the pages show it."""
        found = [(id_, unit, _rounded(p)) for id_, unit, p in self.likeliest(_SHOWN_TOKENS)]
        look = self.attention
        scores = list(map(_rounded, look.scores.tolist())) if look else []
        return {"query": _shown(look.query) if look else [], "scores": scores, "next": found}


@dataclass(frozen=True, kw_only=True)
class SentenceTranslation(AttentionMap):
    """A sentence that was translated in one piece, its translation, and the attention between them."""

    source: str
    """The sentence as it was given."""
    text: str
    """The translation as plain text."""
    log_probability: float
    """log p(translation | sentence): the sum over its tokens, ``<eos>`` counted."""
    unknown: tuple[str, ...]
    """The words of the source that are not in the vocabulary."""
    copied: tuple[str, ...]
    """The words that the translation has from the source as they are."""
    forced: tuple[str, ...]
    """The units of the translation that a prefix or a glossary demanded."""
    token_log_probabilities: tuple[float, ...] = ()
    """log p of each of `tgt_tokens` after those before it."""
    reading: Reading
    """The sentence as the model read it, without HTML and Markdown marks."""
    ids: tuple[int, ...] = ()
    """T: the ids of `tgt_tokens`."""
    tree: TreeData | None = None
    """The search that found it; None unless it was asked for."""
    states: list[list[float]] = field(default_factory=list)
    """The first numbers of the encoder states, as the pages show them with the steps."""
    steps: list[StepData] = field(default_factory=list)
    """The steps that write it, as the pages show them; none unless they were asked for."""

    @property
    def data(self) -> AttentionData:
        """The translation with its attention, its probabilities, and the tree of its search, as the pages show it."""
        data: AttentionData = {
            "source": self.source,
            "translation": self.text,
            "src_tokens": self.src_tokens,
            "tgt_tokens": self.tgt_tokens,
            "weights": [list(map(_rounded, row)) for row in self.weights.tolist()] if self.weights.any() else None,
            "log_probabilities": list(map(_rounded, self.token_log_probabilities)),
        }
        if self.tree:
            data["tree"] = self.tree
        if self.steps:
            data |= {"states": self.states, "steps": self.steps}
        return data

    def with_steps(self, steps: Iterable[SearchStep]) -> "SentenceTranslation":
        """The same with its steps, as the pages show them."""
        shown = list(steps)
        look = shown[0].attention if shown else None
        states = [_shown(state) for state in look.states] if look else []
        return replace(self, states=states, steps=[step.data for step in shown])


@dataclass(frozen=True, kw_only=True)
class Translation:
    """A text and its translation."""

    source: str
    """The text as it was given."""
    text: str
    """The translation as plain text; a blank text stays as it is."""
    sentences: tuple[SentenceTranslation, ...]
    """The sentences that were translated, in order; none in a blank text."""
    was_cut: bool = False
    """Whether a sentence was translated in parts because it is too long."""
    alternatives: "tuple[Translation, ...]" = ()
    """The n best translations of the search, this one first; empty unless several were asked for."""

    @property
    def total(self) -> TotalScore:
        """The score of all sentences together."""
        log_probability = math.fsum(sentence.log_probability for sentence in self.sentences)
        return TotalScore(log_probability=log_probability, length=sum(len(each.tgt_tokens) for each in self.sentences))

    @property
    def score(self) -> float:
        """The mean log-probability per token, at most 0; 0 for a text without sentences."""
        return self.total.score

    @property
    def unknown(self) -> tuple[str, ...]:
        """The words of the text that are not in the vocabulary."""
        return tuple(word for sentence in self.sentences for word in sentence.unknown)

    @property
    def copied(self) -> tuple[str, ...]:
        """The words that the translation has from the text as they are."""
        return tuple(word for sentence in self.sentences for word in sentence.copied)

    @property
    def forced(self) -> tuple[str, ...]:
        """The units of the translation that a prefix or a glossary demanded."""
        return tuple(unit for sentence in self.sentences for unit in sentence.forced)

    @property
    def details(self) -> Details:
        """The sentences, and the n best translations of the text where several were asked for, as the pages show it."""
        return {
            "sentences": [sentence.data for sentence in self.sentences],
            "n_best": [(each.text, _rounded(each.score)) for each in self.alternatives],
        }

    def _repr_html_(self) -> str:
        """The page of ``translate --draw FILE.html`` for a notebook, whose styles and scripts stay apart."""
        from seq2seq_cli.pages.page import translations_page

        page = translations_page("", ("", ""), [text_data(self)], []).decode("utf-8")
        return (
            f'<iframe srcdoc="{escape(page)}" sandbox="allow-scripts" title="{escape(self.text)}"'
            f' style="width: 100%; height: 600px; border: 0"></iframe>'
        )

    @cached_property
    def alignment(self) -> list[Link]:
        """The word links between text and translation, in the order of the latter: at most one per word and sentence.

        Two sentences without white space between them share a word, which can have a link of each.
        """
        links: list[Link] = []
        tokens = [(_without_eos(each.src_tokens), _without_eos(each.tgt_tokens)) for each in self.sentences]
        src = iter(words_of_tokens(self.source, [token for of_sentence, _ in tokens for token in of_sentence]))
        tgt = iter(words_of_tokens(self.text, [token for _, of_sentence in tokens for token in of_sentence]))
        for sentence, (src_tokens, tgt_tokens) in zip(self.sentences, tokens, strict=True):
            weights = sentence.weights[: len(tgt_tokens), : len(src_tokens)]
            links += word_links(weights, list(islice(src, len(src_tokens))), list(islice(tgt, len(tgt_tokens))))
        return sorted(set(links), key=lambda link: (link[1], link[0]))


def text_data(translation: Translation) -> TextData:
    """A text with its translation, as the page of translations shows it."""
    score = _rounded(translation.score)
    return {"source": translation.source, "translation": translation.text, "score": score, **translation.details}


def _shown(vector: Float[np.ndarray, " N"]) -> list[float]:
    return [round(value, _DECIMALS) for value in vector[:_SHOWN_NUMBERS].tolist()]


def _rounded(value: float) -> float | Literal[0]:
    return round(value, _DECIMALS) or 0  # 0 is shorter than 0.0, and most weights are


def _without_eos(tokens: list[str]) -> list[str]:
    return tokens[:-1] if tokens and tokens[-1] == EOS_UNIT else tokens
