"""Translations as the data of a page."""

import html
from typing import TYPE_CHECKING, Literal

from seq2seq_cli.pages.data import AttentionData, Details, RunData, TextData, TreeData
from seq2seq_cli.pages.page import translations_page

if TYPE_CHECKING:  # which makes the frame of a notebook
    from collections.abc import Sequence

    from seq2seq_cli.decoding.translation import SearchTree, SentenceTranslation, Translation

_DECIMALS = 3
_FRAME_HEIGHTS = (380, 28, 900)
"""Pixels of the frame in a notebook: without any row of the matrix, per row, and at most."""


def text_data(translations: "Sequence[Translation]") -> TextData:
    """A text with its translation by each of the runs."""
    return {
        "source": translations[0].source,
        "translated": [
            {"translation": each.text, "score": _rounded(each.score), **details_data(each)} for each in translations
        ],
    }


def details_data(translation: "Translation") -> Details:
    """The sentences of a translation, and the n best translations of its text where several were asked for."""
    return {
        "sentences": [sentence_data(sentence) for sentence in translation.sentences],
        "n_best": [(each.text, _rounded(each.score)) for each in translation.alternatives],
    }


def sentence_data(sentence: "SentenceTranslation") -> AttentionData:
    """The translation of a sentence with its attention, its probabilities, and the tree of its search if there is one.

    A model without attention has weights that are all 0.
    """
    data: AttentionData = {
        "source": sentence.source,
        "translation": sentence.text,
        "src_tokens": sentence.src_tokens,
        "tgt_tokens": sentence.tgt_tokens,
        "weights": [list(map(_rounded, row)) for row in sentence.weights.tolist()] if sentence.weights.any() else None,
        "log_probabilities": list(map(_rounded, sentence.token_log_probabilities)),
    }
    if sentence.tree:
        data["tree"] = _tree(sentence.tree)
    return data


def _tree(tree: "SearchTree") -> TreeData:
    nodes = zip(tree.nodes, tree.units, strict=True)
    return {
        "nodes": [
            (
                node.parent,
                unit,
                _rounded(node.log_probability),
                node.fate,
                None if node.score is None else _rounded(node.score),
            )
            for node, unit in nodes
        ],
        "best": tree.best,
    }


def _rounded(value: float) -> float | Literal[0]:
    return round(value, _DECIMALS) or 0  # 0 is shorter than 0.0, and most weights are


def notebook_frame(translation: "Translation") -> str:
    """The page of a translation in a frame of its own: what a notebook has of styles and scripts stays apart."""
    run: RunData = {"name": "", "languages": ("", "")}
    content = translations_page({"title": "", "runs": [run], "texts": [text_data([translation])]}).decode("utf-8")
    least, per_row, most = _FRAME_HEIGHTS
    height = min(most, least + per_row * sum(len(sentence.tgt_tokens) for sentence in translation.sentences))
    return (
        f'<iframe srcdoc="{html.escape(content)}" sandbox="allow-scripts" title="{html.escape(translation.text)}"'
        f' style="width: 100%; height: {height}px; border: 0"></iframe>'
    )
