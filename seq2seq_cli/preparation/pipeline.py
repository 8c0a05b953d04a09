"""From pair files to a prepared folder.

    blocks of lines -> pairs, tokens, hashes (by workers) -> pair store -> selection and splits
    -> token counts of the training split and of what helps it -> codecs -> ids

Memory does not grow with the text: it holds a few numbers per pair, and the distinct tokens. The bytes of the folder
do not depend on the workers.
"""

import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import chain, zip_longest
from pathlib import Path

from seq2seq_cli.compute.workers import OpenWorkers, local_workers
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.corpus.manifest import DEFAULT_FOLDER, DROPPED_FILE, MANIFEST, FileRecord, Manifest, PairFileRecord
from seq2seq_cli.corpus.splits import PARTS, RELATED, TEST, TRAIN, VALID
from seq2seq_cli.errors import Interrupted, PairFileError
from seq2seq_cli.files.writing import write_json
from seq2seq_cli.pairs.pair_files import PairFile, local_pair_files, pair_paths, related_path
from seq2seq_cli.pairs.recognise import recognise
from seq2seq_cli.pairs.stated_languages import (
    DEFAULT,
    LanguageOrigin,
    Statement,
    by_words,
    find_mismatch,
    resolve_languages,
    stated_languages,
)
from seq2seq_cli.preparation.analysis import LineProgress, PairSettings, read_all
from seq2seq_cli.preparation.help import covered, read_help
from seq2seq_cli.preparation.id_files import count_tokens, fit_on_training, write_side
from seq2seq_cli.preparation.pair_store import PairStore
from seq2seq_cli.preparation.selection import select
from seq2seq_cli.preparation.target_folder import find_same, folder_to_fill
from seq2seq_cli.text.characters import letter_of_marks
from seq2seq_cli.text.languages import name_of
from seq2seq_cli.text.sides import SIDES, save_codecs
from seq2seq_cli.text.spacy_tokenizers import ANY_LANGUAGE
from seq2seq_cli.version import __version__

_STORE = "scratch"


@dataclass(frozen=True, kw_only=True)
class PrepareReport:
    """The outcome of a preparation."""

    out: Path
    manifest: Manifest
    up_to_date: bool
    """Whether the folder was there already, made from the same files with the same options, and was left alone."""
    languages_from: LanguageOrigin
    notices: list[str]
    """How the files were read, where that is a guess."""
    warnings: list[str]
    seconds: float


@dataclass(kw_only=True)
class _Inputs:
    """The files, the ways in which they are read, and the config with their languages."""

    config: Config
    files: list[tuple[PairFile, PairSettings]]
    languages_from: LanguageOrigin
    notices: list[str]
    warnings: list[str]

    @property
    def records(self) -> list[PairFileRecord]:
        """The manifest's records of the files."""
        sides = SIDES[::-1] if self.config.data.swap else SIDES
        return [
            PairFileRecord(
                name=file.base_name,
                size=file.size,
                sha256=file.sha256,
                part=None if pair_file.split == TRAIN else PARTS[pair_file.split],
                side=side if len(pair_file.files) > 1 else None,
                languages="-".join(pair_file.languages) if pair_file.split == RELATED and pair_file.languages else None,
            )
            for pair_file, _ in self.files
            for side, file in zip(sides, pair_file.files, strict=False)
        ]


def prepare(
    *files: Path | str,
    src: Sequence[Path | str] = (),
    tgt: Sequence[Path | str] = (),
    valid: Sequence[Path | str] = (),
    test: Sequence[Path | str] = (),
    related: Sequence[Path | str] = (),
    dictionary: Sequence[Path | str] = (),
    tgt_only: Sequence[Path | str] = (),
    src_only: Sequence[Path | str] = (),
    out: Path | str | None = None,
    config: str | None = None,
    overrides: Sequence[str] = (),
    languages: str | None = None,
    overwrite: bool = False,
    open_workers: OpenWorkers = local_workers,
    progress: LineProgress = lambda _done, _total: None,
) -> PrepareReport:
    """Make the prepared folder `out` (``data/prepared`` by default) from files of sentence pairs, whole or not at all.

    `files` hold pairs; `src` and `tgt` are aligned files with one side each. `valid` and `test` are held-out splits,
    taken as they are. What else helps to train: `related` pairs, of which one side is in another language (``deu.txt``,
    or ``deu.txt:en-de`` with the languages of its columns), a `dictionary`, texts `tgt_only` and `src_only` in one of
    the languages. `config` is a config by name or path, `overrides` are keys of it with other values
    (``"text.unit=bpe"``). `languages` names the columns (``en-de``), `open_workers` opens those that do the work.
    `progress` is called with (lines done, estimated total).

    Raises S2SError: PairFileError for a file that cannot be used, UsageError when `out` may not be replaced or options
    contradict each other, InputError for a language without a tokenizer, Interrupted when the user stops it.
    """
    started = time.perf_counter()
    out = Path(out or DEFAULT_FOLDER)
    pairs = pair_paths(*(list(map(Path, paths)) for paths in (files, src, tgt)))
    with_codes = [related_path(str(each)) for each in related]
    asked = load_config(config, overrides)
    preferred = stated_languages(asked.text, languages, swap=asked.data.swap)
    others = valid, test, [path for path, _ in with_codes], dictionary, tgt_only, src_only
    given = {TRAIN: pairs} | {part: [(Path(path),) for path in paths] for part, paths in enumerate(others, VALID)}
    try:
        # The folder is taken before the files are read: a second preparation learns at once that it cannot have it.
        with folder_to_fill(out, overwrite=overwrite) as folder, local_pair_files(given) as local:
            data, own = asked.data, [each for each in local if each.split <= TEST]
            own = recognise(own, encoding=data.encoding, columns=data.columns, languages=preferred and preferred.codes)
            inputs = _own_inputs(own, asked, preferred)
            helping = (each for each in local if each.split > TEST)
            for each, codes in zip_longest(helping, [codes for _, codes in with_codes]):  # related files are the first
                helper, settings, doubts = read_help(each, codes, inputs.config)
                inputs.files.append((helper, settings))
                inputs.notices += filter(None, [helper.notice])
                inputs.warnings += doubts
            if folder:
                manifest = _fill(folder, inputs, open_workers, progress)
            else:
                manifest = find_same(out, inputs.records, inputs.config)
    except KeyboardInterrupt:
        raise Interrupted(f"stopped: nothing was written to {out}") from None
    return PrepareReport(
        out=out,
        manifest=manifest,
        up_to_date=folder is None,
        languages_from=inputs.languages_from,
        notices=inputs.notices,
        warnings=[*dict.fromkeys(inputs.warnings)],
        seconds=time.perf_counter() - started,
    )


def _own_inputs(pair_files: list[PairFile], asked: Config, preferred: Statement | None) -> _Inputs:
    """The files of the two languages, with the `preferred` ones or those that the files state.

    Raises PairFileError when nothing states the languages, and a text is written in the script of others.
    """
    samples = [each.sample(asked.data.encoding) for each in pair_files]
    stated = [each.statement for each in pair_files if each.statement]
    statements = [preferred] if preferred else stated or [by_words(samples[0])]
    text, origin, warnings = resolve_languages(asked.text, statements, swap=asked.data.swap)
    config = asked.model_copy(update={"text": text})
    if origin == "default" and ANY_LANGUAGE in text.languages:
        warnings.append(
            f"{pair_files[0].name}: a column is in neither {' nor '.join(map(name_of, DEFAULT))}, and is read by the"
            " rules for any language (xx): name the languages with --languages"
        )
    for each, sample in zip(pair_files, samples, strict=True):
        warnings += _doubts(each, sample, config, origin)
    for_training = [s for s, each in zip(samples, pair_files, strict=True) if each.split == TRAIN]
    first, second = (letter_of_marks([*chain(*texts)]) for texts in zip(*for_training, strict=True))
    notices = [each.notice for each in pair_files if each.notice]
    marks = zip(("first", "second"), (first, second), strict=True)
    notices += [f"{which} column: marks between letters are written as {letter}" for which, letter in marks if letter]
    settings = PairSettings(text=config.text, letters=(first, second), swap=config.data.swap)
    files = [(each, settings) for each in pair_files]
    return _Inputs(config=config, files=files, languages_from=origin, notices=notices, warnings=warnings)


def _doubts(file: PairFile, sample: Sequence[Sequence[str]], config: Config, origin: LanguageOrigin) -> Iterator[str]:
    """The doubts about the languages of a file; raises PairFileError as `_own_inputs`."""
    in_order = config.text.languages[::-1] if config.data.swap else config.text.languages
    stated = file.statement.codes if file.statement else in_order
    # A text with few of their words gives the default order both ways.
    by_both = by_words(sample).codes, by_words(sample[::-1]).codes
    is_turned = stated == in_order and by_both == (in_order[::-1], in_order)
    said = in_order[::-1] if is_turned else stated
    differs = any(one not in (ANY_LANGUAGE, other) for one, other in zip(said, in_order, strict=True))
    if said == in_order[::-1] != in_order or (differs and origin in ("columns", "name", "default")):
        yield (
            f"{file.name}: {'its columns look like' if is_turned else 'says that its columns are'} {'-'.join(said)};"
            f" they are taken as {'-'.join(in_order)}: give all files in one order, or see --languages and --swap"
        )
    if mismatch := find_mismatch(sample, in_order):
        problem = f"{file.name}: {mismatch}"
        if origin in ("default", "name"):
            raise PairFileError(problem)
        yield problem


def _fill(folder: Path, inputs: _Inputs, open_workers: OpenWorkers, progress: LineProgress) -> Manifest:
    """Fill the folder; returns its manifest, and adds warnings to those of the inputs."""
    config = inputs.config
    store = PairStore(folder=folder / _STORE)
    with store.writing():
        counts, rules = read_all(inputs.files, config.data, store, open_workers, progress)
    selection = select(store, counts, config)
    counts.write_examples(folder / DROPPED_FILE)
    tokens = {side: count_tokens(store, side, selection.part_of_pair) for side in SIDES}
    codecs = fit_on_training(store, config.text, rules, selection, tokens)
    (src, src_codec), (tgt, tgt_codec) = (
        write_side(folder, store, side, codec, selection, tokens[side])
        for side, codec in zip(SIDES, codecs, strict=True)
    )
    save_codecs(folder, (src_codec, tgt_codec))
    shutil.rmtree(store.folder)
    splits = {name: it.model_copy(update={"covered": covered(folder, name)}) for name, it in selection.records.items()}
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    manifest = Manifest(
        s2s=__version__,
        spacy=version("spacy"),
        pair_files=inputs.records,
        lines_read=counts.lines,
        extra_columns=counts.extra_columns,
        dropped=counts.records(),
        splits=splits,
        src=src,
        tgt=tgt,
        data=config.data,
        text=config.text,
        files={path.relative_to(folder).as_posix(): FileRecord.of(path) for path in files},
        test_in_valid=selection.shared,
    )
    write_json(folder / MANIFEST, manifest.model_dump())  # last: it makes the folder a finished one
    inputs.warnings += [*counts.doubts(), *selection.warnings]
    return manifest
