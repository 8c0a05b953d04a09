"""The figures of ``s2s evaluate`` as JSON."""

from dataclasses import asdict
from typing import Any

from seq2seq_cli.evaluation.figures import Evaluation
from seq2seq_cli.evaluation.findings import Findings
from seq2seq_cli.evaluation.gold_alignment import AlignmentCounts
from seq2seq_cli.files.json_files import json_number


def to_json(findings: Findings) -> dict[str, Any]:
    """The JSON object for programs; docs/evaluation.md describes it."""
    tests = findings.tests
    return {
        "test_set": {"name": tests.name, "pairs": len(tests.pairs), "sources": len(tests.references)},
        "systems": [_system_json(evaluation) for evaluation in findings.evaluations],
        "comparisons": [
            {
                "system": compared.system,
                "baseline": compared.baseline,
                "differences": {metric: found.to_json() for metric, found in compared.differences.items()},
                "better": [contrast._asdict() for contrast in compared.better],
                "worse": [contrast._asdict() for contrast in compared.worse],
            }
            for compared in findings.comparisons
        ],
    }


def _alignment_json(counts: AlignmentCounts) -> dict[str, float]:
    rates = {"error_rate": counts.error_rate, "precision": counts.precision, "recall": counts.recall}
    return {**rates, **asdict(counts)}


def _system_json(evaluation: Evaluation) -> dict[str, Any]:
    output = evaluation.output
    total = output.total
    return {
        "name": output.name,
        "trained_on": output.trained_on,
        "scores": [asdict(score) for score in evaluation.scores],
        "scores_all_references": [asdict(score) for score in evaluation.of_sources],
        "scores_lowercase": [asdict(score) for score in evaluation.lowercase],
        "loss": -total.score if total else None,
        "perplexity": json_number(total.perplexity) if total else None,
        "attention": asdict(output.attention) if output.attention else None,
        "alignment": _alignment_json(output.alignment) if output.alignment else None,
        "length_ratio": evaluation.length_ratio,
        "unknown_rate": output.unknown_rate,
        "copy_rate": output.copy_rate,
        "loop_rate": evaluation.loop_rate,
        "lost": {kind: count._asdict() for kind, count in vars(evaluation.losses).items()},
        "score_correlation": evaluation.score_correlation,
        "sentences_per_second": output.sentences_per_second,
        "by_length": [part._asdict() for part in evaluation.by_length],
        "by_frequency": [part._asdict() for part in evaluation.by_frequency],
        "by_neighbours": [part._asdict() for part in evaluation.by_neighbours],
        "by_score": [part._asdict() for part in evaluation.by_score],
    }
