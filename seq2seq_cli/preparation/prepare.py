"""From files of sentence pairs to a prepared folder.

    blocks of lines -> pairs, tokens, hashes (by workers) -> scratch files -> which pairs, in which split
    -> counts of the training split -> codecs -> ids

What is in memory does not grow with the files, a few numbers a pair and the distinct tokens excepted. The folder has
the same bytes whoever does the work.
"""

import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from seq2seq_cli import __version__
from seq2seq_cli.config.schema import Config
from seq2seq_cli.corpus.manifest import DROPPED_FILE as DROPPED_FILE
from seq2seq_cli.corpus.manifest import (
    FORMAT,
    DroppedRecord,
    FileRecord,
    Manifest,
    PlaceRecord,
    Reason,
    SideRecord,
    SourceRecord,
    SplitRecord,
)
from seq2seq_cli.corpus.splits import SPLITS, SplitName
from seq2seq_cli.errors import Interrupted, UsageError
from seq2seq_cli.files import whole_folder
from seq2seq_cli.pairs.languages import resolve_languages
from seq2seq_cli.pairs.sources import Source, describe, local_sources
from seq2seq_cli.preparation.adopted import adopt_codecs, check_languages
from seq2seq_cli.preparation.dropped import Dropped, write_examples
from seq2seq_cli.preparation.existing import check_replaceable, find_same, spacy_version, tokenizers_version
from seq2seq_cli.preparation.reading import Inputs, Progress, Reading, read_all
from seq2seq_cli.preparation.scratch import Scratch
from seq2seq_cli.preparation.selection import Selection, select
from seq2seq_cli.preparation.workers import OpenWorkers, local_workers
from seq2seq_cli.preparation.writing import count_tokens, train_counts, write_side
from seq2seq_cli.text.sides import SIDES, Codecs, SideName, codec_path, fit_codecs

_SCRATCH = "scratch"
_PLACES = 3
"""Lines that the manifest names for each reason."""


@dataclass(frozen=True, kw_only=True)
class PrepareReport:
    """What ``prepare`` did."""

    out: Path
    manifest: Manifest
    up_to_date: bool
    """The folder was there already, made of the same files in the same way, and was left alone."""
    warnings: list[str]
    """What the user should know, one line each."""
    seconds: float


def prepare(
    sources: Sequence[Source],
    out: Path,
    config: Config,
    *,
    valid: Sequence[Source] = (),
    test: Sequence[Source] = (),
    languages: str | None = None,
    codecs: Codecs | None = None,
    overwrite: bool = False,
    open_workers: OpenWorkers = local_workers,
    progress: Progress = lambda _done, _total: None,
) -> PrepareReport:
    """Make the prepared folder ``out`` from pairs, whole or not at all.

    ``valid`` and ``test`` are held-out splits as they are, ``languages`` names the columns (``en-de``), ``codecs`` are
    those of an older model.

    Raises PairFileError for a file that cannot be used, InputError for a language without a tokenizer, UsageError when
    something else lies at ``out`` that may not be replaced or options do not go together, Interrupted when the user
    stops it.
    """
    started = time.perf_counter()
    inputs = Inputs(pairs=sources, valid=valid, test=test)
    config, warnings = _resolve(config, inputs, languages, codecs)
    try:
        with local_sources(inputs.all) as local:
            job = _Job(inputs=inputs.moved(local), out=out, config=config, codecs=codecs)
            if overwrite:
                check_replaceable(out)
            manifest = None if overwrite else find_same(out, job.records, config, codecs)
            up_to_date = manifest is not None
            if manifest is None:
                manifest = job.run(open_workers, progress)
    except KeyboardInterrupt:
        raise Interrupted(f"stopped: nothing was written to {out}") from None
    return PrepareReport(
        out=out,
        manifest=manifest,
        up_to_date=up_to_date,
        warnings=warnings + job.warnings,
        seconds=time.perf_counter() - started,
    )


def _resolve(config: Config, inputs: Inputs, languages: str | None, codecs: Codecs | None) -> tuple[Config, list[str]]:
    """The config with languages, and warnings about them."""
    if codecs is not None:
        config = adopt_codecs(config, codecs)
    names = [name for source in inputs.pairs for name in source.names]
    text, warnings = resolve_languages(config.text, stated=languages, names=names, swap=config.data.swap)
    if codecs is not None:
        check_languages(text, codecs)
    return config.model_copy(update={"text": text}), warnings


@dataclass(kw_only=True)
class _Job:
    """One preparation."""

    inputs: Inputs
    out: Path
    config: Config
    codecs: Codecs | None
    warnings: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        given: list[tuple[SplitName | None, Sequence[Source]]] = [
            (None, self.inputs.pairs),
            ("valid", self.inputs.valid),
            ("test", self.inputs.test),
        ]
        self.records = [
            SourceRecord(name=file.name, size=file.size, sha256=file.sha256, split=split)
            for split, sources in given
            for file in describe(sources)
        ]

    def run(self, open_workers: OpenWorkers, progress: Progress) -> Manifest:
        """Write the folder."""
        try:
            with whole_folder(self.out) as folder:
                scratch = Scratch(folder=folder / _SCRATCH)
                try:
                    reading = read_all(self.inputs, self.config, scratch, open_workers, progress)
                finally:
                    scratch.close()
                return self._write(folder, scratch, reading)
        except OSError as error:
            problem = error.strerror or error
            raise UsageError(f"{self.out}: cannot be written: {problem}: choose another folder with --out") from None

    def _write(self, folder: Path, scratch: Scratch, reading: Reading) -> Manifest:
        selection = select(scratch, reading.given, self.config.data, self.config.text.unit)
        if selection.shared:
            self.warnings.append(
                f"{selection.shared:,} pairs of the given test split share a sentence with the validation split"
            )
        reading.dropped.merge(selection.dropped)
        sides, files = self._write_sides(folder, scratch, selection)
        write_examples(folder / DROPPED_FILE, reading.dropped)
        shutil.rmtree(scratch.folder)
        small = [codec_path(folder, side) for side in SIDES] + [folder / DROPPED_FILE]
        files |= {path.relative_to(folder).as_posix(): FileRecord.of(path) for path in small}
        manifest = Manifest(
            format=FORMAT,
            s2s=__version__,
            spacy=spacy_version(),
            tokenizers=tokenizers_version(self.config, self.codecs),
            sources=self.records,
            lines_read=reading.lines,
            extra_columns=reading.extra_columns,
            dropped=_dropped_records(reading.dropped),
            splits=_split_records(selection),
            src=sides["src"],
            tgt=sides["tgt"],
            data=self.config.data,
            text=self.config.text,
            codecs_given=self.codecs is not None,
            files=dict(sorted(files.items())),
        )
        manifest.write(folder)
        return manifest

    def _write_sides(
        self, folder: Path, scratch: Scratch, selection: Selection
    ) -> tuple[dict[SideName, SideRecord], dict[str, FileRecord]]:
        """Fit the codecs on the training split, and write both sides of all splits."""
        counts = {side: count_tokens(scratch, side, selection.split_of_pair) for side in SIDES}
        src_counts, tgt_counts = (train_counts(scratch, side, counts[side]) for side in SIDES)
        codecs = self.codecs or fit_codecs(self.config.text, src_counts, tgt_counts)
        sides: dict[SideName, SideRecord] = {}
        files: dict[str, FileRecord] = {}
        for side, codec in zip(SIDES, codecs, strict=True):
            path = codec_path(folder, side)
            path.parent.mkdir(exist_ok=True)
            codec.save(path)
            sides[side], written = write_side(folder, scratch, side, codec, selection.split_of_pair, counts[side])
            files |= written
        return sides, files


def _dropped_records(dropped: Dropped) -> dict[Reason, DroppedRecord]:
    return {
        reason: DroppedRecord(
            count=tally.count,
            first=[PlaceRecord(file=example.file, line=example.line) for example in tally.examples[:_PLACES]],
        )
        for reason, tally in dropped.in_order()
    }


def _split_records(selection: Selection) -> dict[SplitName, SplitRecord]:
    pairs = [int((selection.split_of_pair == split).sum()) for split in range(len(SPLITS))]
    return {
        name: SplitRecord(pairs=count, sources=sources)
        for name, count, sources in zip(SPLITS, pairs, selection.sources, strict=True)
    }
