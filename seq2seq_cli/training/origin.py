"""The finished run whose weights a new one begins with, on data of its own."""

from pathlib import Path

from seq2seq_cli.config.differences import values_by_key
from seq2seq_cli.config.schema import Config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.errors import UsageError
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.text.sides import SIDES, load_codecs
from seq2seq_cli.training.resolve import model_differences, shown


def check_origin(origin: RunFolder, path: Path, config: Config, corpus: PreparedCorpus) -> None:
    """Raise UsageError unless a run of `config` on `corpus`, to be made in `path`, can begin with `origin`'s weights.

    The weights fit when the model is the same, its dropout aside, and each id means the same.
    """
    if path.resolve().is_relative_to(origin.path.resolve()):
        raise UsageError(f"{path}: --init-from leaves {origin.path} as it is; name another folder with --out")
    _check_model(origin, config)
    _check_codecs(origin, corpus)


def _check_model(origin: RunFolder, config: Config) -> None:
    """Raise UsageError unless both models are the same; dropout, which acts in training alone, may differ."""
    old = origin.config().model
    theirs, ours = (dict(values_by_key(model, "model.")) for model in (old, config.model))
    differences = [
        f"{key}: {shown(theirs[key])} in {origin.path}, {shown(ours[key])} here"
        for key in model_differences(old, config.model)
    ]
    if differences:
        raise UsageError(
            f"{'; '.join(differences)}: weights go from one model to the same model; to take the model of"
            f" {origin.path}, leave out --config and these keys"
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
