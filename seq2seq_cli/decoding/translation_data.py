"""Translations as the data of a page."""

import html
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from seq2seq_cli.pages.data import N_BEST, AttentionData, Details, RunData, TextData, TreeData, TreeNode
from seq2seq_cli.pages.page import translations_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from seq2seq_cli.decoding.translation import SearchTree, SentenceTranslation, Translation
    from seq2seq_cli.decoding.translator import Translator

_DECIMALS = 3
_FRAME_HEIGHTS = (380, 28, 900)
"""Pixels of the frame in a notebook: without any row of the matrix, per row, and at most."""


def text_data(translations: "Sequence[Translation]", details: "Sequence[Details]") -> TextData:
    """A text with its translation by each of the runs."""
    return {
        "source": translations[0].source,
        "translated": [
            {"translation": each.text, "score": rounded(each.score), **of_one}
            for each, of_one in zip(translations, details, strict=True)
        ],
    }


def details_data(translator: "Translator", translations: "Sequence[Translation]") -> list[Details]:
    """The details of translations by a translator, with the n best translations of each text.

    Where its search looks for one translation, these are from a separate search, which continues for longer and may
    not find that one; of samples there are none.
    """
    options = translator.options
    if options.sampling or options.n_best > 1:
        return list(map(_details, translations))
    searching = replace(translator.with_n_best(N_BEST), is_traced=False)
    several = searching.translate([each.source for each in translations])
    return [
        {**_details(each), "n_best": n_best, "separate_search": N_BEST} if n_best else _details(each)
        for each, n_best in zip(translations, map(_n_best_data, several), strict=True)
    ]


def _details(translation: "Translation") -> Details:
    return {
        "sentences": [sentence_data(sentence) for sentence in translation.sentences],
        "n_best": _n_best_data(translation),
    }


def _n_best_data(translation: "Translation") -> list[tuple[str, float]]:
    return [(each.text, rounded(each.score)) for each in translation.alternatives]


def sentence_data(sentence: "SentenceTranslation") -> AttentionData:
    """The translation of a sentence with its attention, its probabilities, and the tree of its search if there is one.

    A model without attention has weights that are all 0.
    """
    data: AttentionData = {
        "source": sentence.source,
        "translation": sentence.text,
        "src_tokens": sentence.src_tokens,
        "tgt_tokens": sentence.tgt_tokens,
        "weights": [list(map(rounded, row)) for row in sentence.weights.tolist()] if sentence.weights.any() else None,
        "log_probabilities": list(map(rounded, sentence.token_log_probabilities)),
    }
    if sentence.tree:
        data["tree"] = _tree(sentence.tree)
    return data


def _tree(tree: "SearchTree") -> TreeData:
    nodes: list[TreeNode] = [
        (
            node.parent,
            unit,
            rounded(node.log_probability),
            node.fate,
            None if node.score is None else rounded(node.score),
        )
        for node, unit in zip(tree.nodes, tree.units, strict=True)
    ]
    return {"nodes": nodes, "best": tree.best}


def rounded(value: float) -> float | Literal[0]:
    """The value as pages have it."""
    return round(value, _DECIMALS) or 0  # 0 is shorter than 0.0, and most weights are


def notebook_frame(translation: "Translation") -> str:
    """The page of a translation in a frame of its own: what a notebook has of styles and scripts stays apart."""
    run: RunData = {"name": "", "languages": ("", "")}
    text = text_data([translation], [_details(translation)])
    content = translations_page({"title": "", "runs": [run], "texts": [text]}).decode("utf-8")
    least, per_row, most = _FRAME_HEIGHTS
    height = min(most, least + per_row * sum(len(sentence.tgt_tokens) for sentence in translation.sentences))
    return (
        f'<iframe srcdoc="{html.escape(content)}" sandbox="allow-scripts" title="{html.escape(translation.text)}"'
        f' style="width: 100%; height: {height}px; border: 0"></iframe>'
    )
