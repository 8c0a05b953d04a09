"""From a pair file to a prepared folder: read, tokenise, split, fit the codecs on train alone, write."""

import time
from collections.abc import Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli import __version__
from seq2seq_cli.config.schema import Config, SideConfig, TextConfig
from seq2seq_cli.corpus.existing import check_replaceable, find_same, spacy_version
from seq2seq_cli.corpus.manifest import (
    FORMAT,
    DroppedRecord,
    FileRecord,
    Manifest,
    PairFileRecord,
    SideRecord,
    SplitRecord,
)
from seq2seq_cli.corpus.pairs import Pairs, read_pairs
from seq2seq_cli.corpus.prepared import SideName, codec_path, write_split
from seq2seq_cli.corpus.ragged import Ragged
from seq2seq_cli.corpus.splits import SPLITS, TRAIN, VALID, SplitName, assign_splits
from seq2seq_cli.corpus.tokenise import Progress, Tokenised, tokenise
from seq2seq_cli.corpus.workers import local_executor
from seq2seq_cli.errors import ConfigError, Interrupted, PairFileError, UsageError
from seq2seq_cli.files import whole_folder
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.tokenizer import has_tokenizer
from seq2seq_cli.text.vocabulary import UNK


@dataclass(frozen=True, kw_only=True)
class PrepareReport:
    """What ``prepare`` did."""

    out: Path
    manifest: Manifest
    up_to_date: bool
    """The folder was there already, made of the same file in the same way, and was left alone."""
    seconds: float


def prepare(
    pair_file: Path,
    out: Path,
    config: Config,
    *,
    overwrite: bool = False,
    executor: Executor | None = None,
    progress: Progress = lambda _done, _total: None,
) -> PrepareReport:
    """Make the prepared folder ``out`` from a pair file, whole or not at all.

    ``executor`` runs the tokenizers; None takes this process for a small file and one a core for others. The folder
    has the same bytes whatever the executor.

    Raises ConfigError for a language without a tokenizer, PairFileError for a file that cannot be used, UsageError
    when something else lies at ``out`` that may not be replaced, Interrupted when the user stops it.
    """
    started = time.perf_counter()
    _check_languages(config.text)
    if overwrite:
        check_replaceable(out)
    elif manifest := find_same(out, pair_file, config):
        return PrepareReport(out=out, manifest=manifest, up_to_date=True, seconds=time.perf_counter() - started)
    try:
        corpus = _read(pair_file, config, executor, progress)
        manifest = _write(out, pair_file, config, corpus)
    except KeyboardInterrupt:
        raise Interrupted(f"stopped: nothing was written to {out}") from None
    return PrepareReport(out=out, manifest=manifest, up_to_date=False, seconds=time.perf_counter() - started)


@dataclass(frozen=True, kw_only=True)
class _Corpus:
    """Pairs in all forms: as text, as units, and with their splits."""

    pairs: Pairs
    src: Tokenised
    tgt: Tokenised
    split_of_pair: NDArray[np.int8]


def _read(pair_file: Path, config: Config, executor: Executor | None, progress: Progress) -> _Corpus:
    data = config.data
    pairs = read_pairs(pair_file, data.limit)
    with nullcontext(executor) if executor else local_executor(len(pairs)) as workers:
        src, tgt = tokenise(pairs.src, pairs.tgt, config.text, workers, progress)
    fits = np.maximum(src.sentences.lengths, tgt.sentences.lengths) <= data.max_tokens
    if not fits.any():
        raise PairFileError(f"{pair_file}: every pair has more than data.max_tokens={data.max_tokens} tokens: raise it")
    pairs = pairs.without_too_long(fits)
    split_of_pair = assign_splits(
        pairs.src, pairs.tgt, valid_sources=data.valid_sources, test_sources=data.test_sources
    )
    return _Corpus(pairs=pairs, src=src.rows(fits), tgt=tgt.rows(fits), split_of_pair=split_of_pair)


def _write(out: Path, pair_file: Path, config: Config, corpus: _Corpus) -> Manifest:
    pairs, split_of_pair, text = corpus.pairs, corpus.split_of_pair, config.text
    try:
        with whole_folder(out) as folder:
            sides: dict[SideName, SideRecord] = {
                "src": _write_side(folder, "src", pairs.src, corpus.src, split_of_pair, text.src),
                "tgt": _write_side(folder, "tgt", pairs.tgt, corpus.tgt, split_of_pair, text.tgt),
            }
            return _write_manifest(folder, pair_file, config, corpus, sides)
    except OSError as error:
        problem = error.strerror or error
        raise UsageError(f"{out}: cannot be written: {problem}: choose another folder with --out") from None


def _check_languages(text: TextConfig) -> None:
    problems = [
        f"{key}: spaCy has no tokenizer for '{language}': use an ISO code such as en, de or fr"
        for key, language in (("text.src.language", text.src.language), ("text.tgt.language", text.tgt.language))
        if not has_tokenizer(language)
    ]
    if problems:
        raise ConfigError(problems)


def _write_side(
    folder: Path,
    side: SideName,
    sentences: Sequence[str],
    tokenised: Tokenised,
    split_of_pair: NDArray[np.int8],
    config: SideConfig,
) -> SideRecord:
    """Fit one side's codec on the training split, write it, and the ids and texts of all splits."""
    train = tokenised.sentences.rows(split_of_pair == TRAIN)
    counts = np.bincount(train.values, minlength=len(tokenised.units)).tolist()
    codec = Codec.fit(config, "word", dict(zip(tokenised.units, counts, strict=True)))
    path = codec_path(folder, side)
    path.parent.mkdir(exist_ok=True)
    codec.save(path)

    size = len(codec.vocabulary)
    id_of_unit = np.array([codec.vocabulary.id(unit) for unit in tokenised.units], dtype=_smallest_type(size))
    ids = Ragged(values=id_of_unit[tokenised.sentences.values], offsets=tokenised.sentences.offsets)
    for number, split in enumerate(SPLITS):
        chosen = split_of_pair == number
        write_split(folder, split, side, ids.rows(chosen), _texts(sentences, chosen))
    valid = ids.rows(split_of_pair == VALID).values
    unknown_rate = float(np.mean(valid == UNK)) if len(valid) else None
    return SideRecord(vocabulary=size, tokens=len(ids.values), unknown_rate=unknown_rate)


def _smallest_type(vocabulary_size: int) -> type[np.uint16 | np.uint32]:
    return np.uint16 if vocabulary_size < 1 << 16 else np.uint32


def _texts(sentences: Sequence[str], chosen: NDArray[np.bool_]) -> list[str]:
    return [sentences[pair] for pair in np.flatnonzero(chosen).tolist()]


def _write_manifest(
    folder: Path, pair_file: Path, config: Config, corpus: _Corpus, sides: dict[SideName, SideRecord]
) -> Manifest:
    pairs = corpus.pairs
    splits: dict[SplitName, SplitRecord] = {}
    for number, split in enumerate(SPLITS):
        sources = _texts(pairs.src, corpus.split_of_pair == number)
        splits[split] = SplitRecord(pairs=len(sources), sources=len(set(sources)))
    manifest = Manifest(
        format=FORMAT,
        s2s=__version__,
        spacy=spacy_version(),
        source=PairFileRecord(name=pair_file.name, size=pairs.size, sha256=pairs.sha256),
        lines_read=pairs.lines_read,
        extra_columns=pairs.extra_columns,
        dropped={reason: DroppedRecord(count=it.count, lines=it.lines) for reason, it in pairs.dropped.items()},
        splits=splits,
        src=sides["src"],
        tgt=sides["tgt"],
        data=config.data,
        text=config.text,
        files={
            path.relative_to(folder).as_posix(): FileRecord.of(path)
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        },
    )
    manifest.write(folder)
    return manifest
