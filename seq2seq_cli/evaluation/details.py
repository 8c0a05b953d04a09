"""What is known about the translation of single texts: attention, probabilities, other translations, the search."""

import json
from collections.abc import Iterator, Sequence

from seq2seq_cli.decoding.translation import SearchTree, SentenceTranslation, Translation
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.pages.data import AttentionData, Details, TreeData, TreeNode

N_BEST = 5
"""Translations of each text."""
_DECIMALS = 3
_AT_ONCE = 64
"""Texts that are translated together."""


def details_of(
    translator: Translator, texts: Sequence[str], *, needed: int, most_characters: int
) -> Iterator[tuple[str, Details]]:
    """The details of texts in their order: of the first `needed` ones, and of others up to so many characters of JSON.

    The translations are those of the translator as it is; the n best ones are a search of their own, whose first
    may differ, because it goes on for longer.
    """
    characters = 0
    for start in range(0, len(texts), _AT_ONCE):
        chunk = texts[start : start + _AT_ONCE]
        best = translator.with_traces().translate(chunk)
        several = translator.with_n_best(N_BEST).translate(chunk)
        for number, (translation, ranked) in enumerate(zip(best, several, strict=True), start=start):
            details = _details(translation, ranked, has_attention=translator.engine.has_attention)
            characters += len(json.dumps(details, ensure_ascii=False))
            if number >= needed and characters > most_characters:
                return
            yield translation.source, details


def _details(translation: Translation, ranked: Translation, *, has_attention: bool) -> Details:
    return {
        "sentences": [_sentence(sentence, has_attention=has_attention) for sentence in translation.sentences],
        "n_best": [(each.text, _rounded(each.score)) for each in ranked.alternatives],
    }


def _sentence(sentence: SentenceTranslation, *, has_attention: bool) -> AttentionData:
    data: AttentionData = {
        "source": sentence.source,
        "translation": sentence.text,
        "src_tokens": sentence.src_tokens,
        "tgt_tokens": sentence.tgt_tokens,
        "weights": [list(map(_rounded, row)) for row in sentence.weights.tolist()] if has_attention else None,
        "log_probabilities": list(map(_rounded, sentence.token_log_probabilities)),
    }
    if sentence.tree:
        data["tree"] = _tree(sentence.tree)
    return data


def _tree(tree: SearchTree) -> TreeData:
    nodes: list[TreeNode] = [
        (
            node.parent,
            unit,
            _rounded(node.log_probability),
            node.fate,
            None if node.score is None else _rounded(node.score),
        )
        for node, unit in zip(tree.nodes, tree.units, strict=True)
    ]
    return {"nodes": nodes, "best": tree.best}


def _rounded(value: float) -> float:
    return round(value, _DECIMALS) or 0  # 0 is shorter than 0.0, and most weights are
