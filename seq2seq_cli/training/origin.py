"""The origin of a run: a finished run whose best weights the new one begins with."""

from pathlib import Path

from seq2seq_cli.config.differences import find_weight_differences
from seq2seq_cli.config.schema import Config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.errors import UsageError
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.text.sides import SIDES, load_codecs


def check_origin(origin: RunFolder, path: Path, config: Config, corpus: PreparedCorpus) -> None:
    """Raise UsageError unless a new run of `config` on `corpus` in `path` can begin with the weights of `origin`.

    It can when both have the same model, dropout aside, and the same vocabularies and text options.
    """
    if path.resolve().is_relative_to(origin.path.resolve()):
        raise UsageError(f"{path}: --init-from does not change {origin.path}: name another folder with --out")
    _check_model(origin, config)
    _check_codecs(origin, corpus)


def _check_model(origin: RunFolder, config: Config) -> None:
    if differences := find_weight_differences(origin.config(), config):
        told = "; ".join(difference.against(str(origin.path)) for difference in differences)
        raise UsageError(
            f"{told}: the weights of one model fit no other; to take the model of {origin.path}, leave out --config and"
            " these keys"
        )


def _check_codecs(origin: RunFolder, corpus: PreparedCorpus) -> None:
    differences = []
    codecs = zip(SIDES, load_codecs(origin.path), (corpus.src_codec, corpus.tgt_codec), strict=True)
    for side, theirs, ours in codecs:
        if theirs != ours:
            differences.append(f"{side}: {len(theirs.vocabulary):,} units there, {len(ours.vocabulary):,} here")
    if differences:
        raise UsageError(
            f"{origin.path} and {corpus.path} differ in their vocabularies or text options ({'; '.join(differences)}):"
            f" prepare with --codec-from {origin.path}"
        )
