"""The page of an evaluation as data: its figures, its sentences, and the details of the translations of these."""

import json
from collections.abc import Iterator, Sequence

import numpy as np

from seq2seq_cli.decoding.translation_data import details_data
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.errors import one_line
from seq2seq_cli.evaluation.findings import Findings
from seq2seq_cli.evaluation.significance import SEED
from seq2seq_cli.pages.data import Details, EvaluationData, TableData, View
from seq2seq_cli.shapes import Float

_CHOSEN = 20
"""Sentences of each choice: the worst, the best, some at random, and those at which two systems differ most."""
_AT_ONCE = 64
"""Texts that are translated together."""


def page_data(findings: Findings, report: list[list[str] | TableData]) -> EvaluationData:
    """All but the details of the sentences; the `report` has the figures, as lines and tables."""
    tests = findings.tests
    outputs = [evaluation.output for evaluation in findings.evaluations]
    names = [one_line(output.name) for output in outputs]
    scores = [evaluation.source_scores for evaluation in findings.evaluations]
    return {
        "title": f"s2s evaluate: {', '.join(names)} on {one_line(tests.name)}",
        "report": report,
        "languages": tests.languages,
        "systems": names,
        "metric": "chrF2++",
        "sources": [
            {
                "source": source,
                "references": references,
                "outputs": [output.texts[source] for output in outputs],
                "scores": [round(float(of_system[number]), 2) for of_system in scores],
            }
            for number, (source, references) in enumerate(tests.references.items())
        ],
        "views": _views(names, scores),
        "details": [{} for _ in outputs],
    }


def sources_in_order(data: EvaluationData) -> tuple[list[int], int]:
    """The numbers of all sources, those of the views first, and how many these are."""
    first = dict.fromkeys(number for view in data["views"] for number in view["sources"])
    return list(first | dict.fromkeys(range(len(data["sources"])))), len(first)


def _views(names: Sequence[str], scores: Sequence[Float[np.ndarray, " n"]]) -> list[View]:
    order = np.argsort(scores[0], kind="stable").tolist()
    drawn = np.random.default_rng(SEED).permutation(len(order))[:_CHOSEN].tolist()
    of_first = f" of {names[0]}" if len(names) > 1 else ""
    views: list[View] = [
        {"name": f"worst{of_first}", "sources": order[:_CHOSEN]},
        {"name": f"best{of_first}", "sources": order[: -_CHOSEN - 1 : -1]},
        {"name": f"random, seed {SEED}", "sources": drawn},
    ]
    for name, of_system in zip(names[1:], scores[1:], strict=True):
        gains = of_system - scores[0]
        by_size = np.argsort(-abs(gains), kind="stable")[:_CHOSEN]
        views.append({"name": f"most different: {name}", "sources": by_size[gains[by_size] != 0].tolist()})
    return views


def details_of(
    translator: Translator, texts: Sequence[str], *, needed: int, most_characters: int
) -> Iterator[tuple[str, Details]]:
    """The details of texts in their order: of the first `needed` ones, and of others up to so many characters of JSON.

    The translations are those of the translator as it is; see `details_data` for the n best ones.
    """
    characters = 0
    for start in range(0, len(texts), _AT_ONCE):
        chunk = texts[start : start + _AT_ONCE]
        found = details_data(translator, translator.with_traces().translate(chunk))
        for number, (text, details) in enumerate(zip(chunk, found, strict=True), start=start):
            characters += len(json.dumps(details, ensure_ascii=False))
            if number >= needed and characters > most_characters:
                return
            yield text, details
