"""The origin of a run: a finished run whose best weights the new one begins with."""

import logging
from collections.abc import Mapping
from pathlib import Path

from seq2seq_cli.config.choices import Overlap
from seq2seq_cli.config.keys import find_weight_differences
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import SplitName
from seq2seq_cli.corpus.trained_sentences import TrainedSentences
from seq2seq_cli.counts import counted
from seq2seq_cli.errors import UsageError, one_line
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.text.sides import SIDES, load_codecs

logger = logging.getLogger(__name__)


def check_origin(origin: RunFolder, path: Path, config: Config, corpus: PreparedCorpus) -> None:
    """Raise UsageError unless a new run of `config` on `corpus` in `path` can begin with the weights of `origin`.

    It can when both have the same model, dropout aside, and the same vocabularies and text options. `config` need not
    be resolved: what a corpus decides is not in the model.
    """
    if path.resolve().is_relative_to(origin.path.resolve()):
        raise UsageError(f"{path}: --init-from does not change {origin.path}: name another folder with --out")
    _check_model(origin, config)
    _check_codecs(origin, corpus)


def leave_out_known(corpus: PreparedCorpus, run: RunFolder, origin: str, overlap: Overlap) -> PreparedCorpus:
    """The corpus without the held-out pairs of which `run`, or one before it, was trained on a sentence.

    A warning gives their number, and `origin`, the run that began with them in training. Raises UsageError where there
    are some and `overlap` is to refuse them; ModelFileError when the record of the run is missing or damaged.
    """
    known = TrainedSentences.read(run.trained_path).held_out_pairs(corpus)
    if not known:
        return corpus
    problem = f"{_counts(known, corpus)} of {corpus.path} have a sentence that {origin} was trained on"
    if overlap == "refuse":
        raise UsageError(
            f"{problem}: prepare with other pairs for --valid and --test, or leave these out of the scores with"
            " training.overlap=leave_out"
        )
    logger.warning("%s: they are left out of the scores", one_line(problem))
    return corpus.leaving_out(known)


def _counts(pairs: Mapping[SplitName, tuple[int, ...]], corpus: PreparedCorpus) -> str:
    """Such as "12 of 200 valid pairs and 7 of 190 test pairs"."""
    splits = corpus.manifest.splits
    return " and ".join(
        f"{len(numbers):,} of {counted(splits[name].pairs, f'{name} pair')}" for name, numbers in pairs.items()
    )


def _check_model(origin: RunFolder, config: Config) -> None:
    if differences := find_weight_differences(origin.config(), config):
        problem = "; ".join(difference.against(str(origin.path)) for difference in differences)
        raise UsageError(
            f"{problem}: the weights of one model fit no other; to take the model of {origin.path}, leave out --config"
            " and these keys"
        )


def _check_codecs(origin: RunFolder, corpus: PreparedCorpus) -> None:
    differences = []
    codecs = zip(SIDES, load_codecs(origin.path), (corpus.src_codec, corpus.tgt_codec), strict=True)
    for side, theirs, ours in codecs:
        if not theirs.has_units_of(ours):  # the weights depend on nothing else
            differences.append(
                f"{side}: {counted(len(theirs.vocabulary), 'unit')} there, {len(ours.vocabulary):,} here"
            )
    if differences:
        raise UsageError(
            f"{origin.path} and {corpus.path} differ in their vocabularies or text options ({'; '.join(differences)}):"
            f" prepare with --codec-from {origin.path}"
        )
