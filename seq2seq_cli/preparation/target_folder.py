"""The folder that ``prepare`` fills: free, to be replaced, up to date, or in the way."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

from seq2seq_cli.compute.process import is_out_of_memory
from seq2seq_cli.config.keys import find_differences
from seq2seq_cli.config.schema.config import PREPARED_SECTIONS, Config
from seq2seq_cli.corpus.manifest import MANIFEST, PREPARED_FILES, Manifest, PairFileRecord, read_manifest_values
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.errors import UsageError, exit_code_of
from seq2seq_cli.files.whole_folder import clear_leftovers, whole_folder
from seq2seq_cli.files.writing import contents


@contextmanager
def folder_to_fill(out: Path, *, overwrite: bool) -> Iterator[Path | None]:
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


def find_same(out: Path, pair_files: Sequence[PairFileRecord], config: Config) -> Manifest:
    """The manifest of ``out`` when it was made from the same files with the same options.

    Raises UsageError when anything else is there, PreparedFolderError when it is damaged.
    """
    manifest = PreparedCorpus.open(out).manifest
    made = Config(data=manifest.data, text=manifest.text)
    differences = list(map(str, find_differences(made, config, sections=PREPARED_SECTIONS)))
    now, then = ([it.model_dump(exclude={"name"}) for it in files] for files in (pair_files, manifest.pair_files))
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
