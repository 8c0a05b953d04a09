"""``s2s evaluate``: what a translator is worth, and whether it is better than another."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from seq2seq_cli.config.choices import DeviceName

if TYPE_CHECKING:
    from seq2seq_cli.decoding.translator import Translator
    from seq2seq_cli.evaluation.gold_alignment import GoldAlignment
    from seq2seq_cli.evaluation.system import SystemOutput
    from seq2seq_cli.evaluation.test_set import TestSet
    from seq2seq_cli.runs.folder import RunFolder


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
    alignment: Annotated[
        Path | None,
        typer.Option(
            "--alignment",
            metavar="FILE",
            help="Gold links of the pairs' words, i-j or i?j, a line per pair: tells the alignment error rate of the"
            " attention.",
        ),
    ] = None,
    hypotheses: Annotated[
        list[Path] | None,
        typer.Option(
            "--hypotheses", metavar="FILE", help="Translations made elsewhere, one per line; may be given repeatedly."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object, for programs.")] = False,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="FILE",
            help="Write a page for a browser as well, with all figures and all sentences: their scores, attention,"
            " n-best lists and searches.",
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file of --html.")] = False,
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
    from seq2seq_cli.cli.evaluating.as_json import to_json
    from seq2seq_cli.cli.evaluating.findings import find_out
    from seq2seq_cli.cli.evaluating.page_file import check_page_path, write_page
    from seq2seq_cli.cli.evaluating.report import report_lines
    from seq2seq_cli.cli.evaluating.test_data import (
        find_gold_alignment,
        find_runs,
        find_test_set,
        leave_out_trained,
        training_corpus,
    )
    from seq2seq_cli.evaluation.system import read_hypotheses
    from seq2seq_cli.evaluation.training_sources import TrainingSources

    if html:
        check_page_path(html, overwrite=overwrite)
    folders = find_runs(runs or [], needed=not hypotheses)
    training = training_corpus(folders[0]) if folders else None
    gold = find_gold_alignment(alignment, folders, training, split, data, file) if alignment else None
    whole = find_test_set(folders, training, split, data, file)
    tests = whole if file else leave_out_trained(whole, folders)
    outputs = [_translate(folder, tests, gold, device, overrides or []) for folder in folders]
    outputs += [read_hypotheses(path, whole).on(tests) for path in hypotheses or []]
    sources = TrainingSources(training.training_texts("src"), tests.languages[0]) if training else None
    findings = find_out(outputs, tests, sources)
    if html:  # before anything is printed: a closed pipe ends the command
        translators = [_translator(folder, device, overrides or []) for folder in folders]
        write_page(html, findings, translators, overwrite=overwrite)
    if as_json:
        sys.stdout.write(json.dumps(to_json(findings), ensure_ascii=False, indent=1, allow_nan=False) + "\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in report_lines(findings))


def _translate(
    run: "RunFolder", tests: "TestSet", gold: "GoldAlignment | None", device: DeviceName, overrides: Sequence[str]
) -> "SystemOutput":
    from seq2seq_cli.cli.evaluating.test_data import trained_sentences
    from seq2seq_cli.evaluation.system import translate_test_set

    translator = _translator(run, device, overrides)
    return translate_test_set(str(run.chosen or run.path), translator, tests, trained_sentences(run), gold)


def _translator(run: "RunFolder", device: DeviceName, overrides: Sequence[str]) -> "Translator":
    from seq2seq_cli.decoding.load import load

    return load(run.chosen or run.path, device=device, overrides=overrides).translator
