"""The work folder of a benchmark: what it holds is never taken for other files or settings."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from seq2seq_cli.errors import UsageError
from seq2seq_cli.files.writing import write_json
from seq2seq_cli.pairs.archives import local_files

_RECORD = "made_of.json"


def claim(folder: Path, files: Mapping[str, Sequence[Path]], settings: Sequence[str]) -> None:
    """Make the folder of these files, by what each is for, with these settings, or find that it was made so.

    Raises UsageError when it was made of other files or with other settings, PairFileError when a file cannot be read.
    """
    with local_files(path for paths in files.values() for path in paths) as found:
        hashes = {purpose: [found[path].sha256 for path in paths] for purpose, paths in files.items()}
    made_of = {"files": hashes, "settings": list(settings)}
    record = folder / _RECORD
    if record.is_file():
        if json.loads(record.read_text(encoding="utf-8")) != made_of:
            raise UsageError(f"{folder}: made of other files or with other settings: name another folder with --work")
        return
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder}: not empty, and without {_RECORD}: name another folder with --work")
    write_json(record, made_of)
