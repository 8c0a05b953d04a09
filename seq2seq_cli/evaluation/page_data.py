"""The page of an evaluation as data: its figures, its sentences, and the details of the translations of these."""

from collections.abc import Sequence

import numpy as np

from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.errors import one_line
from seq2seq_cli.evaluation.figures import Findings
from seq2seq_cli.pages.data import Details, EvaluationData, TableData

_MOST_DETAILED = 2000
"""Translations with details, of all systems together: some 9 MB, which a browser opens in a moment."""


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
    both_ends = (number for both in zip(order, reversed(order), strict=True) for number in both)
    numbers = list(dict.fromkeys(both_ends))[: _MOST_DETAILED // max(1, len(translators))]
    details: list[dict[str, Details]] = [{} for _ in outputs]
    for translator, found in zip(translators, details, strict=False):
        translations = translator.with_traces().translate(sources[number] for number in numbers)
        found |= {str(number): each.details for number, each in zip(numbers, translations, strict=True)}
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
