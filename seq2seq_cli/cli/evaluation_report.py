"""The findings of ``s2s evaluate``: as lines for a terminal, as the data of a page, and as JSON."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from seq2seq_cli.cli.terminal import table_lines
from seq2seq_cli.counts import counted
from seq2seq_cli.errors import one_line
from seq2seq_cli.evaluation.evaluation_set import SystemOutput
from seq2seq_cli.evaluation.figures import Comparison, Evaluation, Findings, MetricScore
from seq2seq_cli.evaluation.scorer import Difference
from seq2seq_cli.files.writing import json_number
from seq2seq_cli.pages.data import Details, EvaluationData, TableData

_MOST_DETAILED = 2000
"""Translations with details on the page, of all systems together: some 12 MB, which a browser opens in a moment."""


def report_lines(findings: Findings) -> Iterator[str]:
    """The lines for a terminal."""
    for number, block in enumerate(figures(findings)):
        if number:
            yield ""
        yield from block if isinstance(block, list) else table_lines(**block)


def figures(findings: Findings) -> Iterator[list[str] | TableData]:
    """All figures, as lines that belong together and tables: what is added here is on the terminal and on the page."""
    tests = findings.tests
    lines = [f"{one_line(tests.name)}: {counted(len(tests.pairs), 'pair')}, {counted(len(tests.references), 'source')}"]
    for output in (evaluation.output for evaluation in findings.evaluations):
        if output.trained_on is not None:
            counts = f"{output.trained_on:,} of the pairs have a side that {one_line(output.name)} was trained on"
            lines.append(f"{counts}: its scores are too high" if output.trained_on else counts)
    yield lines
    for evaluation in findings.evaluations:
        yield from _of_system(evaluation)
    yield from map(_of_comparison, findings.comparisons)


def _of_system(evaluation: Evaluation) -> Iterator[list[str] | TableData]:
    output = evaluation.output
    yield [f"{one_line(output.name)}:", *evaluation.verdict]
    kinds = {"": evaluation.scores, ", all references": evaluation.of_sources, ", lower-cased": evaluation.lowercase}
    rows = [
        [f"{score.metric}{kind}", *_with_range(score, ".2f"), score.signature]
        for kind, scores in kinds.items()
        for score in scores
    ]
    yield {"titles": [one_line(output.name), "score", "95 % range", "signature"], "rows": rows, "numbers": False}
    lines = []
    if output.total:
        lines.append(f"loss {-output.total.score:.3f} per token, perplexity {output.total.perplexity:.2f}")
    lines += _attention_lines(output)
    rates = {"unknown words": output.unknown_rate, "loops": evaluation.loop_rate}
    counts = [f"{name} {100 * rate:.2f} %" for name, rate in rates.items() if rate is not None]
    lines.append(", ".join([f"length ratio {evaluation.length_ratio:.3f}", *counts]))
    titles = {"sentences": "sources of several sentences"}
    lost = [f"{count.lost:,} of {count.of:,} {titles.get(kind, kind)}" for kind, count in evaluation.lost.items()]
    lines.append(f"lost: {', '.join(lost)}")
    if output.sentences_per_second:
        lines.append(f"{counted(round(output.sentences_per_second), 'sentence')} per second")
    yield lines
    parts = evaluation.by_length
    rows = [[part.name, f"{part.pairs:,}", "-" if part.bleu is None else f"{part.bleu:.1f}"] for part in parts]
    yield {"titles": ["words of the source", "pairs", "BLEU"], "rows": rows, "numbers": True}
    if any(part.bleu is None for part in parts):
        yield ["- no BLEU: it counts four tokens in a row, and no reference of that part has so many"]


def _attention_lines(output: SystemOutput) -> Iterator[str]:
    if found := output.attention:
        on_marks = f"words on marks {100 * found.words_on_marks:.1f} %"
        yield f"attention: entropy {found.entropy:.2f} nats per token, {on_marks}"
    elif output.total:
        yield "no attention"
    if aligned := output.alignment:
        rates = f"{aligned.error_rate:.3f}, precision {aligned.precision:.3f}, recall {aligned.recall:.3f}"
        yield f"alignment error rate {rates} ({counted(aligned.pairs, 'pair')} with gold links)"


def _of_comparison(comparison: Comparison) -> TableData:
    title = f"{one_line(comparison.system)} less {one_line(comparison.baseline)}"
    rows = [
        [metric, *_with_range(found, "+.2f"), f"{found.p:.4f}", f"{'' if found.is_significant else 'not '}significant"]
        for metric, found in comparison.differences.items()
    ]
    return {"titles": [title, "difference", "95 % range", "p", ""], "rows": rows, "numbers": False}


def _with_range(found: MetricScore | Difference, form: str) -> list[str]:
    return [f"{found.value:{form}}", f"{found.range.low:{form}} to {found.range.high:{form}}"]


def page_data(findings: Findings) -> EvaluationData:
    """The data of the page: the figures, the sentences, and the details of the translations of runs."""
    tests = findings.tests
    outputs = [evaluation.output for evaluation in findings.evaluations]
    scores = [evaluation.source_scores for evaluation in findings.evaluations]
    names = [one_line(output.name) for output in outputs]
    sources = list(tests.references)
    # From both ends of the list that the page opens with: the worst and the best have details in any case.
    order = sorted(range(len(sources)), key=lambda number: scores[0][number])
    both_ends = (number for both in zip(order, reversed(order), strict=True) for number in both)
    translators = [output.translator for output in outputs]
    numbers = list(dict.fromkeys(both_ends))[: _MOST_DETAILED // max(1, len([*filter(None, translators)]))]
    details: list[dict[str, Details]] = []
    for translator in translators:
        shown = translator.with_traces().translate(sources[number] for number in numbers) if translator else []
        details.append({str(number): each.details for number, each in zip(numbers, shown, strict=False)})
    return {
        "title": f"s2s evaluate: {', '.join(names)} on {one_line(tests.name)}",
        "report": list(figures(findings)),
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


def to_json(findings: Findings) -> dict[str, Any]:
    """The JSON object for programs; docs/evaluation.md describes it."""
    tests = findings.tests
    return {
        "test_set": {"name": tests.name, "pairs": len(tests.pairs), "sources": len(tests.references)},
        "systems": [_system_json(evaluation) for evaluation in findings.evaluations],
        "comparisons": [asdict(compared) for compared in findings.comparisons],
    }


def _system_json(evaluation: Evaluation) -> dict[str, Any]:
    output = evaluation.output
    total, counts = output.total, output.alignment
    rates = counts and {"error_rate": counts.error_rate, "precision": counts.precision, "recall": counts.recall}
    return {
        "name": output.name,
        "trained_on": output.trained_on,
        "verdict": evaluation.verdict,
        "scores": [asdict(score) for score in evaluation.scores],
        "scores_all_references": [asdict(score) for score in evaluation.of_sources],
        "scores_lowercase": [asdict(score) for score in evaluation.lowercase],
        "loss": -total.score if total else None,
        "perplexity": json_number(total.perplexity) if total else None,
        "attention": asdict(output.attention) if output.attention else None,
        "alignment": {**rates, **asdict(counts)} if counts and rates else None,
        "length_ratio": evaluation.length_ratio,
        "unknown_rate": output.unknown_rate,
        "loop_rate": evaluation.loop_rate,
        "sentences_per_second": output.sentences_per_second,
        "lost": {kind: count._asdict() for kind, count in evaluation.lost.items()},
        "by_length": [part._asdict() for part in evaluation.by_length],
    }
