"""A run as one file: a zip archive with what translating needs.

An archive is a stranger's: the names in it are compared with those of a run folder, and never used as paths.
"""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, BinaryIO

from seq2seq_cli.errors import InputError, ModelFileError, S2SError, exit_code_of, unreadable
from seq2seq_cli.files.reading import open_regular
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import (
    BEST,
    CARD,
    CODEC,
    CONFIG,
    CORPUS,
    EXPORTED,
    MARK,
    METRICS,
    PAIR_FILES,
)

# Translating from a folder loads neither zipfile nor what packing needs.
if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

_SUFFIX = ".zip"
_WEIGHTS = BEST.as_posix()
_NEEDED = (CONFIG, f"{CODEC}/src.json", f"{CODEC}/tgt.json", _WEIGHTS)
_PAIRS = tuple(path.as_posix() for path in PAIR_FILES.values())
_MORE = (MARK, *(path.as_posix() for path in EXPORTED), *_PAIRS)
"""The exported model, and the pairs that it consults; nothing that only training reads."""
_OF_BEST = (CARD, METRICS)
"""What people and ``s2s runs`` read of a run: the scores of its best weights."""
_WRITTEN = (1980, 1, 1, 0, 0, 0)
"""The time that is written for each file: the same run has the same archive."""
_MOST_TIMES = 20
"""Bytes of the files per byte of the archive: weights hardly become smaller, codecs by a factor of ten."""


def pack(run: RunFolder, file: BinaryIO, name: str) -> None:
    """Write a run as an archive with one folder `name`; its weights are the best or the chosen ones."""
    from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

    with ZipFile(file, "w") as archive:

        def add(part: str, content: bytes) -> None:
            entry = ZipInfo(f"{name}/{part}", _WRITTEN)
            entry.external_attr = 0o644 << 16
            # Packed, they are hardly smaller, and would double the time that a translation takes to begin.
            entry.compress_type = ZIP_STORED if part in (_WEIGHTS, *_PAIRS) else ZIP_DEFLATED
            archive.writestr(entry, content)

        if (run.path / CORPUS).exists():
            record = run.provenance().for_others()
            add(CORPUS, record.model_dump_json(exclude_none=True).encode("utf-8"))
        for part in (*_MORE, *(() if run.chosen else _OF_BEST), *_NEEDED):
            path = (run.chosen or run.best_path) if part == _WEIGHTS else run.path / part
            if path.exists():
                add(part, path.read_bytes())


def is_archive(path: Path | None) -> bool:
    """Whether a path is the archive of a run, by its name."""
    return path is not None and path.suffix.lower() == _SUFFIX and not path.is_dir()


@contextmanager
def opened_run(path: Path | None) -> Iterator[RunFolder]:
    """The run to translate with, as `RunFolder.find_model`, or of an archive, unpacked as long as the block lasts.

    Raises ModelFileError when there is none, and for an archive that holds no run, several ones or a damaged one.
    """
    if path is None or not is_archive(path):
        yield RunFolder.find_model(path)
        return
    from tempfile import TemporaryDirectory

    # Windows removes no file that is mapped into memory.
    with TemporaryDirectory(prefix="s2s-", ignore_cleanup_errors=True) as folder:
        try:
            _unpack(path, Path(folder))
            yield RunFolder.find(Path(folder))
        except S2SError as error:
            error.args = tuple(problem.replace(folder, str(path)) for problem in error.args)
            raise


def _unpack(path: Path, folder: Path) -> None:
    from shutil import copyfileobj
    from zipfile import BadZipFile, ZipFile

    try:
        with open_regular(path) as file, ZipFile(file) as archive:
            for part, entry in _entries(archive, path).items():
                target = folder / part
                target.parent.mkdir(exist_ok=True)
                with archive.open(entry) as content, target.open("wb") as unpacked:
                    copyfileobj(content, unpacked)  # in parts: read whole, it takes all that its bytes unpack to
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OverflowError):
        raise ModelFileError(f"{path}: not a zip archive, or a damaged one: have it sent again") from None
    except FileNotFoundError as error:
        raise ModelFileError(unreadable(path, error)) from None
    except OSError as error:
        code = exit_code_of(error)
        where = "" if code == InputError.exit_code else f" to {folder.parent}, the folder for temporary files (TMPDIR)"
        raise ModelFileError(f"{path}: cannot be unpacked{where}: {error.strerror}", exit_code=code) from None


def _entries(archive: "ZipFile", path: Path) -> "dict[str, ZipInfo]":
    """The entries of an archive that are files of a run, by their names in the run folder."""
    from zipfile import ZIP_DEFLATED, ZIP_STORED

    entries = {entry.filename: entry for entry in archive.infolist()}
    tops = [name.removesuffix(CONFIG) for name in entries if PurePosixPath(name).name == CONFIG]
    if len(tops) != 1:
        several = f"holds {len(tops)} runs: unpack it, and name one"
        problem = several if tops else "holds no run: it has no config.yaml"
        raise ModelFileError(f"{path}: {problem}")
    found = {
        part: entries[tops[0] + part] for part in (*_NEEDED, *_MORE, *_OF_BEST, CORPUS) if tops[0] + part in entries
    }
    if missing := [part for part in _NEEDED if part not in found]:
        raise ModelFileError(f"{path}: holds no whole run: {missing[0]} is missing: have it sent again")
    if any(entry.flag_bits & 1 for entry in found.values()):
        raise ModelFileError(f"{path}: encrypted: unpack it with its password, and name the folder")
    if any(entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED) for entry in found.values()):
        raise ModelFileError(f"{path}: packed with another method than deflate: unpack it, and name the folder")
    if sum(entry.file_size for entry in found.values()) > _MOST_TIMES * path.stat().st_size:
        raise ModelFileError(
            f"{path}: its files unpack to more than {_MOST_TIMES} times its size, which those of a run never do: have"
            " the archive sent again"
        )
    return found
