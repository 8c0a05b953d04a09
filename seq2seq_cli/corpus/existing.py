"""What may happen to a folder that lies where ``prepare`` is to write."""

import importlib.metadata
import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from seq2seq_cli.config.schema import Config
from seq2seq_cli.config.stated import values_by_key
from seq2seq_cli.corpus.manifest import MANIFEST, Manifest, read_manifest
from seq2seq_cli.corpus.pairs import read_bytes
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.errors import UsageError

_NAMED = 3


def spacy_version() -> str:
    """The version of the tokenizers, without importing them."""
    return importlib.metadata.version("spacy")


def find_same(out: Path, pair_file: Path, config: Config) -> Manifest | None:
    """The manifest of ``out`` when it was made of the same file in the same way; None when nothing lies there.

    Raises UsageError when something else lies there, PreparedFolderError when it is damaged, PairFileError when the
    pair file cannot be read.
    """
    if _is_free(out):
        return None
    manifest = PreparedCorpus.open(out).manifest
    differences = list(_differences(manifest, pair_file, config))
    if not differences:
        return manifest
    more = f", and {len(differences) - _NAMED} more" if len(differences) > _NAMED else ""
    made = ", ".join(differences[:_NAMED]) + more
    raise UsageError(f"{out}: holds another preparation ({made}): replace it with --overwrite, or choose --out")


def check_replaceable(out: Path) -> None:
    """Raise UsageError unless nothing lies at ``out``, or a prepared folder without files of anybody else's."""
    if _is_free(out):
        return
    ours = {MANIFEST, *read_manifest(out).files}
    for path in sorted(out.rglob("*")):
        if not path.is_dir() and path.relative_to(out).as_posix() not in ours:
            raise UsageError(
                f"{out}: not replaced, because prepare did not write {path}: move it away, or choose --out"
            )


def _is_free(out: Path) -> bool:
    if not out.exists() or (out.is_dir() and next(out.iterdir(), None) is None):
        return True
    if not (out / MANIFEST).is_file():
        raise UsageError(f"{out}: exists and is not a prepared folder: choose another with --out")
    return False


def _differences(manifest: Manifest, pair_file: Path, config: Config) -> Iterator[str]:
    """What was other when the folder was made."""
    if sha256(read_bytes(pair_file)).hexdigest() != manifest.source.sha256:
        yield f"of another pair file, {manifest.source.name}"
    if spacy_version() != manifest.spacy:
        yield f"by spaCy {manifest.spacy}"
    now = dict(values_by_key(config))
    for name in ("data", "text"):
        for key, value in values_by_key(getattr(manifest, name), f"{name}."):
            if now[key] != value:
                yield f"with {key}={json.dumps(value)}, now {json.dumps(now[key])}"
