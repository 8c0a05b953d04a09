"""``s2s prepare``: files of sentence pairs become a prepared folder."""

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from seq2seq_cli.errors import Interrupted, one_line

if TYPE_CHECKING:
    from seq2seq_cli.config.schema import Config
    from seq2seq_cli.corpus.manifest import DroppedRecord, Manifest
    from seq2seq_cli.pairs.sources import Source
    from seq2seq_cli.preparation.prepare import PrepareReport
    from seq2seq_cli.preparation.reading import Progress

FEW_PAIRS = 50_000
"""The shipped configs are meant for more."""
MOST_EPOCHS = 30

_TERMINATED = 143
"""Exit code of a program that SIGTERM has ended: 128 and the signal's number."""

Files = list[Path] | None


def prepare(
    file: Annotated[
        Files,
        typer.Argument(
            metavar="FILE...",
            help="Sentence pairs: source, tab, target on each line; .txt, .tsv, .zip or .gz; - is standard input.",
            show_default=False,
        ),
    ] = None,
    src: Annotated[
        Files, typer.Option(metavar="FILE", help="Source sentences alone, one a line; goes with --tgt.")
    ] = None,
    tgt: Annotated[Files, typer.Option(metavar="FILE", help="Their translations, at the same lines.")] = None,
    swap: Annotated[bool, typer.Option("--swap", help="Translate from the second column into the first.")] = False,
    languages: Annotated[
        str | None,
        typer.Option(metavar="en-de", help="The languages of the columns.", show_default="by name, or en-de"),
    ] = None,
    encoding: Annotated[
        str | None, typer.Option(metavar="NAME", help="Encoding of the files.", show_default="utf-8")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, metavar="N", help="Use the first N lines.")] = None,
    valid: Annotated[
        Files, typer.Option(metavar="FILE", help="The validation split as it is; else one is drawn.")
    ] = None,
    test: Annotated[Files, typer.Option(metavar="FILE", help="The test split as it is; else one is drawn.")] = None,
    codec_from: Annotated[
        Path | None, typer.Option(metavar="RUN", help="Use the vocabularies of this run, to train it further.")
    ] = None,
    config: Annotated[
        str | None,
        typer.Option("--config", "-c", metavar="NAME", help="A config, whose data and text sections are used."),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Override a key, such as text.unit=bpe."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The prepared folder.", show_default="data/prepared")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an older prepared folder.")] = False,
    executor: Annotated[
        str | None, typer.Option(metavar="dask://HOST:PORT", help="Work on this Dask cluster, not on this machine.")
    ] = None,
) -> None:
    """Make files of sentence pairs ready for training.

    They are split without leaks, their vocabularies are learned, and all is written into a prepared folder.
    """
    from seq2seq_cli.config.loader import load_config
    from seq2seq_cli.corpus.prepared import DEFAULT_FOLDER
    from seq2seq_cli.pairs.sources import Source, pair_sources
    from seq2seq_cli.preparation.prepare import prepare as run
    from seq2seq_cli.preparation.workers import workers_at
    from seq2seq_cli.text.sides import load_codecs

    sources = pair_sources(file or [], src or [], tgt or [])
    given_valid, given_test = ([Source.of(path) for path in paths or []] for paths in (valid, test))
    settings = load_config(config, [*(set_ or []), *_shorthands(swap=swap, encoding=encoding, limit=limit)])
    folder = out or DEFAULT_FOLDER
    with _terminable(), _bar() as progress:
        report = run(
            sources,
            folder,
            settings,
            valid=given_valid,
            test=given_test,
            languages=languages,
            codecs=load_codecs(codec_from) if codec_from else None,
            overwrite=overwrite,
            open_workers=workers_at(executor),
            progress=progress,
        )
    for warning in report.warnings:
        sys.stderr.write(f"s2s: {one_line(warning)}\n")
    how = "of the model" if codec_from else _found(settings, languages, sources)
    typer.echo("\n".join(map(one_line, _lines(report, how))))
    typer.echo("next: " + _next_command(report, config, out, codec_from))


def _shorthands(*, swap: bool, encoding: str | None, limit: int | None) -> list[str]:
    """The options that are keys of the config."""
    values = {"swap": "true" if swap else None, "encoding": encoding, "limit": limit}
    return [f"data.{key}={value}" for key, value in values.items() if value is not None]


@contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM end the command as Ctrl-C does, so that nothing half-made is left behind."""
    terminated = False

    def stop(*_: object) -> None:
        nonlocal terminated
        terminated = True
        raise KeyboardInterrupt  # which nobody on the way takes for an error of their own

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    except Interrupted as stopped:
        raise (Interrupted(str(stopped), exit_code=_TERMINATED) if terminated else stopped) from None
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _bar() -> Iterator["Progress"]:
    from tqdm import tqdm

    # disable=None: no bar unless stderr is a terminal.
    with tqdm(desc="prepare", unit=" pairs", unit_scale=True, leave=False, disable=None) as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield progress


def _found(settings: "Config", stated: str | None, sources: "Sequence[Source]") -> str:
    """How the languages were found."""
    from seq2seq_cli.config.schema import AUTO
    from seq2seq_cli.pairs.languages import guess_languages

    if stated:
        return "as --languages says"
    if AUTO not in (settings.text.src.language, settings.text.tgt.language):
        return "as the config says"
    names = [name for source in sources for name in source.names]
    return "as the file's name tells" if len(guess_languages(names)) == 1 else "by default; see --languages"


def _lines(report: "PrepareReport", how: str) -> Iterator[str]:
    """The report as a table."""
    manifest = report.manifest
    src, tgt = manifest.text.src.language, manifest.text.tgt.language
    if report.up_to_date:
        yield f"{report.out} is up to date: made of the same files with the same options (--overwrite makes it again)"
    yield f"languages   {src} to {tgt} ({how})"
    yield f"lines read  {manifest.lines_read:>10,}"
    for reason, dropped in manifest.dropped.items():
        yield f"  dropped   {dropped.count:>10,}  {reason} ({_places(manifest, dropped)})"
    if manifest.dropped:
        yield f"  examples are in {report.out / 'dropped.tsv'}"
    if manifest.extra_columns:
        yield f"  more than two columns in {manifest.extra_columns:,} lines: the rest was passed over"
    yield ""
    yield f"{'split':<10}{'pairs':>12}{'sources':>12}"
    for split_name, split in manifest.splits.items():
        yield f"{split_name:<10}{split.pairs:>12,}{split.sources:>12,}"
    yield ""
    yield f"{'side':<10}{'vocabulary':>12}{'unknown words on valid':>26}"
    for name, side, language in (("src", manifest.src, src), ("tgt", manifest.tgt, tgt)):
        unknown = "-" if side.unknown_rate is None else f"{side.unknown_rate:.2%}"
        yield f"{name + ' ' + language:<10}{side.vocabulary:>12,}{unknown:>26}"
    yield ""
    if not report.up_to_date:
        yield f"{report.out} written in {report.seconds:.1f} s"


def _places(manifest: "Manifest", dropped: "DroppedRecord") -> str:
    """Where the first of the dropped lines stand: ``line 3, 7, ...``, or with the names of several files."""
    if len(manifest.sources) == 1:
        places = "line " + ", ".join(str(place.line) for place in dropped.first)
    else:
        places = ", ".join(f"{place.file}:{place.line}" for place in dropped.first)
    return places + (", ..." if dropped.count > len(dropped.first) else "")


def _next_command(report: "PrepareReport", config: str | None, out: Path | None, codec_from: Path | None) -> str:
    """How to train on this folder; longer than the config says where the pairs are few."""
    if codec_from and not config and (codec_from / "config.yaml").is_file():
        command = f"s2s train --init-from {quote(str(codec_from))}"
    else:
        command = f"s2s train --config {quote(config or 'luong_concat.yaml')}"
    if out:
        command += f" --data {quote(str(out))}"
    pairs = report.manifest.splits["train"].pairs
    if config is None and codec_from is None and pairs < FEW_PAIRS:
        command += f" --set training.epochs={min(MOST_EPOCHS, 10 * FEW_PAIRS // max(pairs, 1))}"
    return command
