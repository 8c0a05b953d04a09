"""The data of the pages, as their scripts read it."""

from typing import NotRequired, TypeAlias

from typing_extensions import TypedDict  # pydantic needs it before Python 3.12

TreeNode: TypeAlias = tuple[int, str, float, str, float | None, int]
"""A node of the tree of a search: the number of the node before it (-1: none), its unit, the log-probability of that,
its fate (kept, finished, pruned, banned), the score where it is finished, and the id of the unit."""


class TreeData(TypedDict):
    """The tree of the search for a translation."""

    nodes: list[TreeNode]
    best: int
    """The number of the node with which the translation ends; -1: none."""


class StepData(TypedDict):
    """A step of a translation; of vectors, the first numbers. Without attention, all but `next` is empty."""

    query: list[float]
    scores: list[float]
    """Of the source tokens, before the softmax."""
    next: list[tuple[int, str, float]]
    """The most probable next tokens, best first: id, unit, probability."""


class AttentionData(TypedDict):
    """A sentence, its translation, and the attention between them; S source tokens, T target tokens.

    The names are the same as in ``translate --attention --format json``.
    """

    source: str
    translation: str
    src_tokens: list[str]
    tgt_tokens: list[str]
    weights: list[list[float]] | None
    """T rows of S weights; None for a model without attention."""
    log_probabilities: NotRequired[list[float]]
    """Of the target tokens."""
    tree: NotRequired[TreeData]
    states: NotRequired[list[list[float]]]
    """The encoder states of the source tokens, the first numbers of each."""
    steps: NotRequired[list[StepData]]
    """One per target token."""


class Details(TypedDict):
    """The attention, the search and the n best translations of a text by one system."""

    sentences: list[AttentionData]
    """The text is translated sentence by sentence where it is long."""
    n_best: list[tuple[str, float]]
    """Translations and their scores, the best first; none where they were not asked for."""


class TextData(Details):
    """A text and its translation."""

    source: str
    translation: str
    score: float


class FrameData(TypedDict):
    """The attention of a run at a validation."""

    epochs: float
    """Trained until then."""
    told: str
    """The scores of the validation."""
    sentences: list[AttentionData]
    """The same few at each validation; their translations are references."""


class FilmData(TypedDict):
    """The attention of a run while it was trained."""

    name: str
    frames: list[FrameData]


class SourceData(TypedDict):
    """A text of a test set."""

    source: str
    references: list[str]
    outputs: list[str]
    """One per system."""
    scores: list[float]
    """One per output."""


class TableData(TypedDict):
    """A table, cells as they are shown."""

    titles: list[str]
    rows: list[list[str]]
    numbers: bool
    """Whether the columns after the first hold numbers."""


class EvaluationData(TypedDict):
    """All that the page of an evaluation shows."""

    title: str
    report: list[list[str] | TableData]
    """Lines that belong together, and tables."""
    languages: tuple[str, str]
    """Of the sources and of the outputs, ISO 639; empty where unknown."""
    systems: list[str]
    metric: str
    """The name of the score of a sentence, which is from 0 to 100, higher is better."""
    sources: list[SourceData]
    details: list[dict[str, Details]]
    """By system and number of the text; a large test set has only some."""
