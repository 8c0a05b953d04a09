"""The figures of ``s2s evaluate`` as lines for a terminal."""

from collections.abc import Iterator, Sequence

from seq2seq_cli.cli.evaluating.findings import Comparison, Findings
from seq2seq_cli.cli.terminal.tables import table_lines
from seq2seq_cli.errors import one_line
from seq2seq_cli.evaluation.evaluate import Evaluation, Part, Score


def report_lines(findings: Findings) -> Iterator[str]:
    """The lines for a terminal."""
    tests, seen = findings.tests, findings.seen
    yield f"{one_line(tests.name)}: {len(tests.pairs):,} pairs, {len(tests.references):,} sources"
    if seen is not None:
        trained = (
            f"{seen:,} of the pairs have a side that {one_line(findings.evaluations[0].output.name)} was trained on"
        )
        yield f"{trained}: its scores are too high" if seen else trained
    for evaluation in findings.evaluations:
        yield ""
        yield from _of_system(evaluation)
    for comparison in findings.comparisons:
        yield ""
        yield from _of_comparison(comparison)


def _of_system(evaluation: Evaluation) -> Iterator[str]:
    output = evaluation.output
    rows = [
        *_score_rows(evaluation.scores, ""),
        *_score_rows(evaluation.of_sources, ", all references"),
        *_score_rows(evaluation.lowercase, ", lower-cased"),
    ]
    yield from table_lines([one_line(output.name), "score", "95 % range", "signature"], rows)
    yield ""
    if output.total:
        yield f"loss {-output.total.score:.3f} per token, perplexity {output.total.perplexity:.2f}"
    rates = {"unknown words": output.unknown_rate, "copied words": output.copy_rate, "loops": evaluation.loop_rate}
    told = [f"{name} {100 * rate:.2f} %" for name, rate in rates.items() if rate is not None]
    yield ", ".join([f"length ratio {evaluation.length_ratio:.3f}", *told])
    if output.sentences_per_second:
        yield f"{output.sentences_per_second:,.0f} sentences per second"
    for title, parts in _parts(evaluation).items():
        rows = [[part.name, f"{part.pairs:,}", f"{part.bleu:.1f}"] for part in parts]
        yield ""
        yield from table_lines([title, "pairs", "BLEU"], rows, numbers=True)


def _parts(evaluation: Evaluation) -> dict[str, tuple[Part, ...]]:
    """The parts of the test set by the titles of their tables."""
    parts = {
        "words of the source": evaluation.by_length,
        "training frequency of its rarest word": evaluation.by_frequency,
    }
    return {title: of_title for title, of_title in parts.items() if of_title}


def _score_rows(scores: Sequence[Score], condition: str) -> list[list[str]]:
    return [
        [
            f"{score.metric}{condition}",
            f"{score.value:.2f}",
            f"{score.range.low:.2f} to {score.range.high:.2f}",
            score.signature,
        ]
        for score in scores
    ]


def _of_comparison(comparison: Comparison) -> Iterator[str]:
    names = one_line(comparison.system), one_line(comparison.baseline)
    titles = [f"{names[0]} less {names[1]}", "difference", "95 % range", "p, bootstrap", "p, randomisation", ""]
    rows = [
        [
            metric,
            f"{found.value:+.2f}",
            f"{found.range.low:+.2f} to {found.range.high:+.2f}",
            f"{found.p_bootstrap:.4f}",
            f"{found.p_randomisation:.4f}",
            "different" if found.is_significant else "within chance",
        ]
        for metric, found in comparison.differences.items()
    ]
    yield from table_lines(titles, rows)
    for name, contrasts in zip(names, (comparison.better, comparison.worse), strict=True):
        if contrasts:
            yield ""
            yield f"better by {name}:"
        for contrast in contrasts:
            yield f"  {one_line(contrast.source)}"
            yield f"    reference: {one_line(contrast.reference)}"
            texts = contrast.system, contrast.baseline
            for text, of_name in zip(texts, names, strict=True):
                yield f"    {of_name}: {one_line(text)}"
