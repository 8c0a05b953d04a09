"""``s2s prepare``: make a prepared folder from pair files."""

import json
from collections.abc import Iterator
from math import floor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import seq2seq_cli as s2s
from seq2seq_cli.cli.parsing import Columns, Encoding, Files, Overwrite, option, set_option
from seq2seq_cli.cli.terminal import progress_bar, tell, warn, write_lines
from seq2seq_cli.config.choices import LARGEST_INTEGER
from seq2seq_cli.counts import counted
from seq2seq_cli.errors import command_line, one_line

if TYPE_CHECKING:
    from seq2seq_cli.pairs.stated_languages import LanguageOrigin
    from seq2seq_cli.preparation.pipeline import PrepareReport

_FEWEST_PAIRS = 100
_FOUND: "dict[LanguageOrigin, str]" = {
    "option": "as --languages says",
    "config": "as the config says",
    "columns": "as the names of the columns say",
    "name": "as the file's name says",
    "default": "by their words, else en-de; see --languages",
}


def prepare(
    file: Annotated[
        Files,
        typer.Argument(
            metavar="FILE",
            help="Sentence pairs: source, tab, target per line, or CSV, JSON, TMX, XLIFF, PO, Toolbox, FLEx, ELAN,"
            " Parquet, .xlsx; also two aligned files; .zip and .gz, too; - is standard input.",
        ),
    ] = None,
    src: Annotated[Files, option("FILE", "Source sentences alone, one per line; needs --tgt.")] = None,
    tgt: Annotated[Files, option("FILE", "Their translations, line by line.")] = None,
    columns: Columns = None,
    swap: Annotated[bool, typer.Option("--swap", help="Translate from the second column into the first.")] = False,
    languages: Annotated[
        str | None,
        option(
            "en-de",
            "The languages of the columns.",
            default="by the names of columns or files, else by words of English and German",
        ),
    ] = None,
    encoding: Encoding = None,
    limit: Annotated[int | None, option("N", "Use the first N lines.", min=1, max=LARGEST_INTEGER)] = None,
    valid: Annotated[Files, option("FILE", "A validation split of your own; else one is drawn.")] = None,
    test: Annotated[Files, option("FILE", "A test split of your own; else one is drawn.")] = None,
    related: Annotated[
        list[str] | None,
        option(
            "FILE[:en-de]",
            "Pairs that share one language with yours, to learn from; the languages of its columns may follow.",
        ),
    ] = None,
    dictionary: Annotated[Files, option("FILE", "A word list, for training only.")] = None,
    tgt_only: Annotated[Files, option("FILE", "Text in the language translated into, one sentence per line.")] = None,
    src_only: Annotated[Files, option("FILE", "Text in the language translated from.")] = None,
    config: Annotated[
        str | None, option("NAME", "A config; its data and text sections are used.", "--config", "-c")
    ] = None,
    set_: Annotated[list[str] | None, set_option("a key, such as text.unit=word")] = None,
    out: Annotated[Path | None, option("DIR", "The prepared folder.", default="data/prepared")] = None,
    overwrite: Overwrite = False,
) -> None:
    """Prepare files of sentence pairs for training.

    The pairs are split without leaks, vocabularies are learned, and everything is written into a prepared folder.
    """
    values = {"columns": columns, "swap": swap or None, "encoding": encoding, "limit": limit}
    given = {key: json.dumps(value, ensure_ascii=False) for key, value in values.items() if value is not None}
    with progress_bar("prepare", " lines") as progress:
        report = s2s.prepare(
            *(file or []),
            src=src or [],
            tgt=tgt or [],
            valid=valid or [],
            test=test or [],
            related=related or [],
            dictionary=dictionary or [],
            tgt_only=tgt_only or [],
            src_only=src_only or [],
            out=out,
            config=config,
            overrides=[*(set_ or []), *(f"data.{key}={value}" for key, value in given.items())],
            languages=languages,
            overwrite=overwrite,
            progress=progress,
        )
    for notice in report.notices:
        tell(notice)
    for warning in report.warnings:
        warn(warning)
    write_lines(map(one_line, _lines(report)))
    write_lines(_next_lines(report, config))


def _lines(report: "PrepareReport") -> Iterator[str]:
    manifest = report.manifest
    src, tgt = manifest.text.languages
    if report.up_to_date:
        yield f"{report.out} is up to date: made from the same files with the same options (--overwrite makes it again)"
    yield f"languages   {src} to {tgt} ({_FOUND[report.languages_from]})"
    yield f"lines read  {manifest.lines_read:>10,}"
    for reason, dropped in manifest.dropped.items():
        more = ", ..." if dropped.count > len(dropped.first) else ""
        yield f"  dropped   {dropped.count:>10,}  {reason} ({', '.join(dropped.first)}{more})"
    if manifest.dropped:
        yield f"  examples are in {report.out / 'dropped.tsv'}"
    if manifest.extra_columns:
        yield f"  more than two columns in {counted(manifest.extra_columns, 'line')}: the others were ignored"
    yield ""
    yield f"{'split':<10}{'pairs':>12}{'sources':>12}"
    for split_name, split in manifest.splits.items():
        share = split.covered
        has = "" if share is None else f"    {floor(100 * share)}% of the neighbouring units in valid that train lacks"
        yield f"{split_name:<10}{split.pairs:>12,}{split.sources:>12,}{has}"
    yield ""
    yield f"{'side':<10}{'vocabulary':>12}{'unknown words on valid':>26}"
    for name, side, language in (("src", manifest.src, src), ("tgt", manifest.tgt, tgt)):
        unknown = "-" if side.unknown_rate is None else f"{side.unknown_rate:.2%}"
        yield f"{name + ' ' + language:<10}{side.vocabulary:>12,}{unknown:>26}"
    yield ""
    if not report.up_to_date:
        yield f"{report.out} written in {report.seconds:.1f} s"


def _next_lines(report: "PrepareReport", config: str | None) -> Iterator[str]:
    """The pairs with their help, and the command that trains on them: for some minutes, unless a config is named."""
    from seq2seq_cli.config.schema.training import HelpConfig
    from seq2seq_cli.corpus.manifest import DEFAULT_FOLDER

    manifest, chosen = report.manifest, ["--config", config] if config else ["--minutes", "6"]
    pairs = manifest.splits["train"].pairs
    few = "; too few to learn a language from: it takes some thousand" if pairs < _FEWEST_PAIRS else ""
    yield f"to train on: {counted(pairs, 'pair')}{manifest.help_in_words(HelpConfig().least_covered)}{few}"
    folder = [] if report.out == DEFAULT_FOLDER else ["--data", str(report.out)]
    yield f"next: {command_line('s2s', 'train', *chosen, *folder)}"
