"""The page of an evaluation as data: its figures, its sentences, and the details of the translations of these."""

import json
from collections.abc import Iterator, Sequence

import numpy as np

from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.errors import one_line
from seq2seq_cli.evaluation.figures import Findings
from seq2seq_cli.pages.data import Details, EvaluationData, TableData

_MOST_CHARACTERS = 10_000_000
"""Characters of the details, of all systems together: a browser opens so much in a moment."""
_AT_ONCE = 64
"""Texts that are translated together."""


def page_data(
    findings: Findings, report: list[list[str] | TableData], translators: Sequence[Translator]
) -> EvaluationData:
    """The data of the page: the `report` has the figures, as lines and tables.

    The `translators` belong to the first systems, in their order: these have details.
    """
    tests = findings.tests
    outputs = [evaluation.output for evaluation in findings.evaluations]
    scores = [evaluation.source_scores for evaluation in findings.evaluations]
    names = [one_line(output.name) for output in outputs]
    sources = list(tests.references)
    # From both ends of the list that the page opens with: the worst and the best have details in any case.
    order = np.argsort(scores[0], kind="stable").tolist()
    numbers = dict.fromkeys(number for both in zip(order, reversed(order), strict=True) for number in both)
    details: list[dict[str, Details]] = [{} for _ in outputs]
    for translator, found in zip(translators, details, strict=False):
        of_texts = details_of(translator, [sources[number] for number in numbers], _MOST_CHARACTERS // len(translators))
        found |= zip(map(str, numbers), of_texts, strict=False)
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
        "details": details,
    }


def details_of(translator: Translator, texts: Sequence[str], most_characters: int) -> Iterator[Details]:
    """The details of texts in their order, up to so many characters of JSON.

    They show the translations of the translator as it is.
    """
    characters = 0
    for start in range(0, len(texts), _AT_ONCE):
        translations = translator.with_traces().translate(texts[start : start + _AT_ONCE])
        for details in (translation.details for translation in translations):
            characters += len(json.dumps(details, ensure_ascii=False))
            if characters > most_characters:
                return
            yield details
