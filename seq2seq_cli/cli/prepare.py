"""``s2s prepare``: a pair file becomes a prepared folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from seq2seq_cli.corpus.prepare import PrepareReport
    from seq2seq_cli.corpus.tokenise import Progress

FEW_PAIRS = 50_000
"""The shipped configs are meant for more."""
MOST_EPOCHS = 30


def prepare(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Sentence pairs: source, tab, target on each line.")],
    limit: Annotated[int | None, typer.Option(min=1, metavar="N", help="Use the first N lines.")] = None,
    config: Annotated[
        str | None,
        typer.Option("--config", "-c", metavar="NAME", help="A config, whose data and text sections are used."),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Override a key, such as text.src.language=fr."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The prepared folder; data/prepared by default.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an older prepared folder.")] = False,
) -> None:
    """Make a file of sentence pairs ready for training.

    It is split without leaks, its vocabularies are learned, and all is written into a prepared folder.
    """
    from seq2seq_cli.config.loader import load_config
    from seq2seq_cli.corpus.prepare import prepare as run
    from seq2seq_cli.corpus.prepared import DEFAULT_FOLDER

    limits = [] if limit is None else [f"data.limit={limit}"]
    settings = load_config(config, [*(set_ or []), *limits])
    with _bar() as progress:
        report = run(file, out or DEFAULT_FOLDER, settings, overwrite=overwrite, progress=progress)
    typer.echo("\n".join(_lines(report)))
    typer.echo("next: " + _next_command(report, config, out))


@contextmanager
def _bar() -> Iterator["Progress"]:
    from tqdm import tqdm

    # disable=None: no bar unless stderr is a terminal.
    with tqdm(desc="tokenise", unit=" pairs", unit_scale=True, leave=False, disable=None) as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield progress


def _lines(report: "PrepareReport") -> Iterator[str]:
    """The report as a table."""
    manifest = report.manifest
    if report.up_to_date:
        yield f"{report.out} is up to date: made of the same file with the same options (--overwrite makes it again)"
    yield f"lines read  {manifest.lines_read:>10,}"
    for reason, dropped in manifest.dropped.items():
        lines = ", ".join(str(line) for line in dropped.lines) + (", ..." if dropped.count > len(dropped.lines) else "")
        yield f"  dropped   {dropped.count:>10,}  {reason} (line {lines})"
    if manifest.extra_columns:
        yield f"  more than two columns in {manifest.extra_columns:,} lines: the rest was passed over"
    yield ""
    yield f"{'split':<10}{'pairs':>12}{'sources':>12}"
    for split_name, split in manifest.splits.items():
        yield f"{split_name:<10}{split.pairs:>12,}{split.sources:>12,}"
    yield ""
    yield f"{'side':<10}{'vocabulary':>12}{'unknown words on valid':>26}"
    sides = (manifest.src, manifest.text.src.language), (manifest.tgt, manifest.text.tgt.language)
    for name, (side, language) in zip(("src", "tgt"), sides, strict=True):
        unknown = "-" if side.unknown_rate is None else f"{side.unknown_rate:.2%}"
        yield f"{name + ' ' + language:<10}{side.vocabulary:>12,}{unknown:>26}"
    yield ""
    if not report.up_to_date:
        yield f"{report.out} written in {report.seconds:.1f} s"


def _next_command(report: "PrepareReport", config: str | None, out: Path | None) -> str:
    """How to train on this folder; longer than the config says where the pairs are few."""
    command = f"s2s train --config {quote(config or 'luong_concat.yaml')}"
    if out:
        command += f" --data {quote(str(out))}"
    pairs = report.manifest.splits["train"].pairs
    if config is None and pairs < FEW_PAIRS:
        command += f" --set training.epochs={min(MOST_EPOCHS, 10 * FEW_PAIRS // max(pairs, 1))}"
    return command
