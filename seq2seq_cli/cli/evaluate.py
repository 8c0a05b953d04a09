"""``s2s evaluate``: what a translator is worth, and whether it is better than another."""

import json
import logging
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from seq2seq_cli.cli.terminal.tables import table_lines
from seq2seq_cli.cli.translating.formats import json_number
from seq2seq_cli.config.choices import DeviceName
from seq2seq_cli.errors import ModelFileError, PreparedFolderError, UsageError, one_line

if TYPE_CHECKING:
    from seq2seq_cli.corpus.prepared import PreparedCorpus
    from seq2seq_cli.evaluation.evaluate import Contrast, Evaluation, Part, Score
    from seq2seq_cli.evaluation.significance import Difference
    from seq2seq_cli.evaluation.system import SystemOutput
    from seq2seq_cli.evaluation.test_set import TestSet
    from seq2seq_cli.runs.folder import RunFolder
    from seq2seq_cli.runs.provenance import Provenance

logger = logging.getLogger(__name__)

_CONTRASTS = 5
"""Sentences that are shown for each of two systems where it is the better."""


def evaluate(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[RUN]...", help="Run folders; the newest one by default.", show_default=False),
    ] = None,
    split: Annotated[Literal["test", "valid"], typer.Option("--split", help="The split of the corpus.")] = "test",
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", metavar="DIR", help="The prepared folder.", show_default="the one that the first run names"
        ),
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--file", metavar="FILE", help="Sentence pairs of your own, in place of a split.")
    ] = None,
    hypotheses: Annotated[
        list[Path] | None,
        typer.Option(
            "--hypotheses", metavar="FILE", help="Translations made elsewhere, one per line; may be given repeatedly."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object, for programs.")] = False,
    device: Annotated[DeviceName, typer.Option("--device", help="Where to compute.")] = "auto",
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Override a decoding key, such as decoding.beam_size=1."),
    ] = None,
) -> None:
    """Tell what a translator is worth on held-out sentences, and whether it is better than another.

    BLEU, chrF2++ and TER are SacreBLEU's, each with its 95 % range over resamples of the sentences and its signature.
    Of several runs or files, each is compared with the first: a difference is one when two tests, paired bootstrap
    resampling and approximate randomisation, find it improbable by chance (p < 0.05).
    """
    from seq2seq_cli.evaluation import evaluate as figures
    from seq2seq_cli.evaluation.system import read_hypotheses

    folders = _find_runs(runs or [], needed=not hypotheses)
    training = _training_corpus(folders[0]) if folders else None
    tests, seen = _test_set(folders, training, split, data, file)
    outputs = [_translate(folder, tests, device, overrides or []) for folder in folders]
    outputs += [read_hypotheses(path, tests) for path in hypotheses or []]
    frequencies = None
    if training and folders:
        sources = [source for source, _ in training.sentences("train")]
        frequencies = figures.word_frequencies(sources, tests.languages[0])
    found = [figures.evaluate(output, tests, frequencies) for output in outputs]
    comparisons = [_compare(output, outputs[0], tests) for output in outputs[1:]]
    if as_json:
        content = _to_json(tests, seen, found, comparisons)
        sys.stdout.write(json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
        return
    sys.stdout.writelines(f"{line}\n" for line in _report(tests, seen, found, comparisons))


@dataclass(frozen=True, kw_only=True)
class _Comparison:
    """Two systems on the same sentences."""

    system: str
    baseline: str
    differences: "dict[str, Difference]"
    better: "list[Contrast]"
    worse: "list[Contrast]"


def _find_runs(paths: Sequence[Path], *, needed: bool) -> "list[RunFolder]":
    from seq2seq_cli.runs.folder import RunFolder

    if not paths and not needed:
        return []
    return [RunFolder.find_model(path) for path in paths] or [RunFolder.find_model(None)]


def _training_corpus(run: "RunFolder") -> "PreparedCorpus | None":
    """The corpus that a run was trained on; None where it is not at hand any more."""
    from seq2seq_cli.corpus.prepared import PreparedCorpus

    if not (provenance := _provenance(run)):
        return None
    try:
        corpus = PreparedCorpus.open(Path(provenance.folder))
    except PreparedFolderError:
        return None
    return corpus if corpus.fingerprint == provenance.fingerprint else None


def _provenance(run: "RunFolder") -> "Provenance | None":
    try:
        return run.provenance()
    except ModelFileError:
        return None


def _test_set(
    runs: "Sequence[RunFolder]",
    training: "PreparedCorpus | None",
    split: Literal["test", "valid"],
    data: Path | None,
    file: Path | None,
) -> "tuple[TestSet, int | None]":
    """The sentences, and how many pairs of them the first run was trained on, as far as that is known."""
    from seq2seq_cli.evaluation.test_set import TestSet

    if file and data:
        raise UsageError("--file and --data: give one of them")
    tests = _of_file(file, runs) if file else TestSet.of_split(_corpus(runs, training, data), split)
    if not training:
        return tests, None
    trained = training.sentences("train")
    return tests, tests.seen_in((src for src, _ in trained), (tgt for _, tgt in trained))


def _of_file(file: Path, runs: "Sequence[RunFolder]") -> "TestSet":
    from seq2seq_cli.evaluation.test_set import TestSet

    if not runs:
        return TestSet.of_file(file, ("", ""))
    config = runs[0].config()
    languages = config.text.src.language or "", config.text.tgt.language or ""
    return TestSet.of_file(file, languages, swap=config.data.swap)


def _corpus(runs: "Sequence[RunFolder]", training: "PreparedCorpus | None", data: Path | None) -> "PreparedCorpus":
    """The corpus whose split is taken; a run that was trained on another is named in a warning."""
    from seq2seq_cli.corpus.prepared import DEFAULT_FOLDER, PreparedCorpus

    if data is None and runs and training is None:
        raise UsageError(
            f"the prepared folder of {runs[0].path} is missing or has changed: name one with --data, or pairs with"
            " --file"
        )
    corpus = training if training and data is None else PreparedCorpus.open(data or DEFAULT_FOLDER)
    for run in runs:
        provenance = _provenance(run)
        if not provenance or provenance.fingerprint != corpus.fingerprint:
            logger.warning("%s was not trained on %s: it may know some of these sentences", run.path, corpus.path)
    return corpus


def _translate(run: "RunFolder", tests: "TestSet", device: DeviceName, overrides: Sequence[str]) -> "SystemOutput":
    from seq2seq_cli.decoding.load import load
    from seq2seq_cli.evaluation.system import translate_test_set

    translator = load(run.chosen or run.path, device=device, overrides=overrides).translator
    return translate_test_set(str(run.chosen or run.path), translator, tests)


def _compare(system: "SystemOutput", baseline: "SystemOutput", tests: "TestSet") -> _Comparison:
    from seq2seq_cli.evaluation.evaluate import differences, largest_contrasts

    better, worse = largest_contrasts(system, baseline, tests, _CONTRASTS)
    found = differences(system, baseline, tests)
    return _Comparison(system=system.name, baseline=baseline.name, differences=found, better=better, worse=worse)


def _report(
    tests: "TestSet", seen: int | None, found: "Sequence[Evaluation]", comparisons: Sequence[_Comparison]
) -> Iterator[str]:
    yield f"{one_line(tests.name)}: {len(tests.pairs):,} pairs, {len(tests.references):,} sources"
    if seen is not None:
        trained = f"{seen:,} of the pairs have a side that {one_line(found[0].output.name)} was trained on"
        yield f"{trained}: its scores are too high" if seen else trained
    for evaluation in found:
        yield ""
        yield from _of_system(evaluation)
    for comparison in comparisons:
        yield ""
        yield from _of_comparison(comparison)


def _of_system(evaluation: "Evaluation") -> Iterator[str]:
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


def _parts(evaluation: "Evaluation") -> "dict[str, tuple[Part, ...]]":
    """The parts of the test set by the titles of their tables."""
    parts = {
        "words of the source": evaluation.by_length,
        "training frequency of its rarest word": evaluation.by_frequency,
    }
    return {title: of_title for title, of_title in parts.items() if of_title}


def _score_rows(scores: "Sequence[Score]", condition: str) -> list[list[str]]:
    return [
        [
            f"{score.metric}{condition}",
            f"{score.value:.2f}",
            f"{score.range.low:.2f} to {score.range.high:.2f}",
            score.signature,
        ]
        for score in scores
    ]


def _of_comparison(comparison: _Comparison) -> Iterator[str]:
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


def _to_json(
    tests: "TestSet", seen: int | None, found: "Sequence[Evaluation]", comparisons: Sequence[_Comparison]
) -> dict[str, Any]:
    size = {"pairs": len(tests.pairs), "sources": len(tests.references), "trained_on": seen}
    return {
        "test_set": {"name": tests.name, **size},
        "systems": [_system_json(evaluation) for evaluation in found],
        "comparisons": [
            {**asdict(c), "better": [x._asdict() for x in c.better], "worse": [x._asdict() for x in c.worse]}
            for c in comparisons
        ],
    }


def _system_json(evaluation: "Evaluation") -> dict[str, Any]:
    output = evaluation.output
    total = output.total
    return {
        "name": output.name,
        "scores": [asdict(score) for score in evaluation.scores],
        "scores_all_references": [asdict(score) for score in evaluation.of_sources],
        "scores_lowercase": [asdict(score) for score in evaluation.lowercase],
        "loss": -total.score if total else None,
        "perplexity": json_number(total.perplexity) if total else None,
        "length_ratio": evaluation.length_ratio,
        "unknown_rate": output.unknown_rate,
        "copy_rate": output.copy_rate,
        "loop_rate": evaluation.loop_rate,
        "sentences_per_second": output.sentences_per_second,
        "by_length": [part._asdict() for part in evaluation.by_length],
        "by_frequency": [part._asdict() for part in evaluation.by_frequency],
    }
