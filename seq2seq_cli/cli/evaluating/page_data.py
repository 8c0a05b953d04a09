"""The figures and the sentences of ``s2s evaluate`` as data of its page."""

from collections.abc import Sequence

import numpy as np

from seq2seq_cli.cli.evaluating.report import Table, figures
from seq2seq_cli.errors import one_line
from seq2seq_cli.evaluation.figures import source_scores
from seq2seq_cli.evaluation.findings import Findings
from seq2seq_cli.evaluation.significance import SEED
from seq2seq_cli.pages.data import EvaluationData, TableData, View
from seq2seq_cli.shapes import Float

_CHOSEN = 20
"""Sentences of each choice: the worst, the best, some at random, and those at which two systems differ most."""


def page_data(findings: Findings) -> EvaluationData:
    """All but the details of the sentences."""
    tests = findings.tests
    outputs = [evaluation.output for evaluation in findings.evaluations]
    names = [one_line(output.name) for output in outputs]
    scores = [source_scores(output, tests) for output in outputs]
    return {
        "title": f"s2s evaluate: {', '.join(names)} on {one_line(tests.name)}",
        "report": [_table(block) if isinstance(block, Table) else block for block in figures(findings)],
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


def _table(table: Table) -> TableData:
    return {"titles": list(table.titles), "rows": [list(row) for row in table.rows], "numbers": table.numbers}
