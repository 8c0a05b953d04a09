"""From pair files to a prepared folder.

    blocks of lines -> pairs, tokens, hashes (by workers) -> pair store -> selection and splits
    -> token counts of the training split and of what helps it -> codecs -> ids

Memory does not grow with the text: it holds a few numbers per pair, and the distinct tokens. The bytes of the folder
do not depend on the workers.
"""

import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from seq2seq_cli.compute.process import is_out_of_memory
from seq2seq_cli.compute.workers import OpenWorkers, local_workers
from seq2seq_cli.config.keys import find_differences
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.config.schema.config import PREPARED_SECTIONS, Config
from seq2seq_cli.corpus.manifest import (
    DEFAULT_FOLDER,
    MANIFEST,
    PREPARED_FILES,
    FileRecord,
    Manifest,
    read_manifest_values,
)
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import TRAIN, VALID
from seq2seq_cli.errors import Interrupted, UsageError, exit_code_of
from seq2seq_cli.files.whole_folder import clear_leftovers, whole_folder
from seq2seq_cli.files.writing import contents, write_json
from seq2seq_cli.pairs.pair_files import local_pair_files, pair_paths, related_path
from seq2seq_cli.pairs.stated_languages import LanguageOrigin, stated_languages
from seq2seq_cli.preparation.analysis import LineProgress, read_all
from seq2seq_cli.preparation.id_files import count_tokens, covered, fit_on_training, write_side
from seq2seq_cli.preparation.inputs import Inputs, read_inputs
from seq2seq_cli.preparation.pair_store import PairStore
from seq2seq_cli.preparation.selection import select
from seq2seq_cli.text.sides import SIDES, save_codecs
from seq2seq_cli.version import __version__


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
        with _folder_to_fill(out, overwrite=overwrite) as folder, local_pair_files(given) as local:
            inputs = read_inputs(local, [codes for _, codes in with_codes], asked, preferred)
            manifest = _fill(folder, inputs, open_workers, progress) if folder else _find_same(out, inputs)
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


def _fill(folder: Path, inputs: Inputs, open_workers: OpenWorkers, progress: LineProgress) -> Manifest:
    """Fill the folder; returns its manifest, and adds warnings to those of the inputs."""
    config = inputs.config
    store = PairStore(folder=folder / "scratch")
    with store.writing():
        counts, rules = read_all(inputs.files, config.data, store, open_workers, progress)
    selection = select(store, counts, config)
    counts.write_examples(folder)
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


@contextmanager
def _folder_to_fill(out: Path, *, overwrite: bool) -> Iterator[Path | None]:
    """The folder to fill, which becomes `out`; None for a prepared folder that is to be left alone.

    With `overwrite`, files that are not ours stay. Raises UsageError when `out` may not or cannot be written, or when
    another preparation is filling it, and PreparedFolderError when its manifest is damaged or somebody else's.
    """
    clear_leftovers(out)
    try:
        is_free = not out.exists() or (out.is_dir() and not contents(out))
    except OSError as error:  # a name that is too long, or a folder without permission
        raise UsageError(f"{out}: cannot be used: {error.strerror}: choose another folder with --out") from None
    if not is_free and not (out / MANIFEST).is_file():
        raise UsageError(f"{out}: exists and is not a prepared folder: choose another folder with --out")
    if not is_free and not overwrite:
        yield None
        return
    if not is_free:
        read_manifest_values(out)
    try:
        with whole_folder(out, replaced=() if is_free else PREPARED_FILES) as folder:
            if is_free and contents(out):
                raise UsageError(f"{out}: another s2s has just written it: run this again")
            yield folder
    except OSError as error:
        if is_out_of_memory(error):
            raise
        problem = f"{out}: cannot be written: {error.strerror or error}: choose another folder with --out"
        raise UsageError(problem, exit_code=exit_code_of(error)) from None


def _find_same(out: Path, inputs: Inputs) -> Manifest:
    """The manifest of `out`; raises UsageError unless it was made from the same files with the same options."""
    manifest = PreparedCorpus.open(out).manifest
    made = Config(data=manifest.data, text=manifest.text)
    differences = list(map(str, find_differences(made, inputs.config, sections=PREPARED_SECTIONS)))
    now, then = ([it.model_dump(exclude={"name"}) for it in files] for files in (inputs.records, manifest.pair_files))
    if now != then:  # names do not matter
        names = ", ".join(file.name for file in manifest.pair_files)
        differences.insert(0, f"from other files or other content: {names}")
    if (spacy := version("spacy")) != manifest.spacy:
        differences.append(f"by spaCy {manifest.spacy}, now {spacy}")
    if differences:
        problem = f"{out}: holds another preparation ({', '.join(differences)})"
        cure = "give its files and options, choose another folder with --out, or replace it by s2s prepare --overwrite"
        raise UsageError(f"{problem}: {cure}")
    return manifest
