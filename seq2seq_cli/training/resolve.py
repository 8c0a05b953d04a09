"""The resolved config of a run: the user's, with the `data` and `text` of the corpus, and checked against both."""

from pathlib import Path
from typing import TYPE_CHECKING

from seq2seq_cli.config.compatibility import shared_vocabulary_problems
from seq2seq_cli.config.differences import find_differences, find_stated_differences, find_weight_differences
from seq2seq_cli.config.schema import Config, TrainingConfig
from seq2seq_cli.config.yaml12 import shown
from seq2seq_cli.corpus.splits import SPLITS
from seq2seq_cli.errors import UsageError

if TYPE_CHECKING:
    from seq2seq_cli.corpus.prepared import PreparedCorpus


def resolve_config(config: Config, corpus: "PreparedCorpus") -> Config:
    """`config` with the `data` and `text` sections of the corpus.

    Raises UsageError when the config states other values there (both are named), or has a model or a training that the
    corpus does not allow.
    """
    prepared = config.model_copy(update={"data": corpus.config.data, "text": corpus.config.text})
    if differences := find_stated_differences(prepared, config, sections=("data", "text")):
        told = "; ".join(difference.against("the corpus") for difference in differences)
        raise UsageError(
            f"the config and {corpus.path} disagree: {told}. Prepare again with the same --config and --set,"
            " or leave these keys out"
        )
    for _, message in shared_vocabulary_problems(prepared):
        raise UsageError(
            f"{corpus.path}: {message}; prepare with text.shared_vocabulary=true, or set model.tied_embeddings to none"
            " or target"
        )
    _check_longest_source(prepared, corpus)
    _check_held_out(prepared, corpus)
    if prepared.training.bpe_dropout and prepared.text.unit != "bpe":
        raise UsageError(
            f"training.bpe_dropout is {shown(prepared.training.bpe_dropout)}, but {corpus.path} has text.unit"
            f" {prepared.text.unit}: prepare with --set text.unit=bpe, or set training.bpe_dropout=0"
        )
    return prepared


def _check_longest_source(config: Config, corpus: "PreparedCorpus") -> None:
    """Raise UsageError when a source is longer than the location score allows."""
    attention = config.model.attention
    longest = 1 + max(int(corpus.split(name).src.lengths.max(initial=0)) for name in SPLITS)
    if attention.has_places and longest > attention.max_length:
        raise UsageError(
            f"model.attention.max_length ({attention.max_length}) is too small for {corpus.path}, whose longest source"
            f" has {longest} tokens with <eos>; set it to {longest} or more, or prepare with a lower data.max_tokens"
        )


def _check_held_out(config: Config, corpus: "PreparedCorpus") -> None:
    """Raise UsageError when an option needs scores of the validation split and that split is empty."""
    training, off = config.training, TrainingConfig()
    keys = ["patience", "ema_decay", *(["schedule"] if training.schedule == "plateau" else [])]
    asked = {key: getattr(off, key) for key in keys if getattr(training, key) != getattr(off, key)}
    if asked and not len(corpus.split("valid")):
        told = ", ".join(f"training.{key} ({shown(getattr(training, key))})" for key in asked)
        without = ", ".join(f"training.{key}={shown(value)}" for key, value in asked.items())
        raise UsageError(
            f"{told} {'needs' if len(asked) == 1 else 'need'} scores of held-out pairs, and {corpus.path} has none:"
            f" prepare with data.valid_sources above 0 or --valid, or set {without}"
        )


def resumed_changes(old: Config, new: Config, run: Path) -> list[str]:
    """The differences between the config of a saved run and the one to resume it with, in words.

    Of `model`, only dropout can change: it acts in training and leaves the weights as they are. `data` and `text` can
    be left out of `new`. A new seed changes what is drawn from then on, such as the order of the pairs.

    Raises UsageError, which names all of them, for differences in the model or in its pairs.
    """
    refused = {d.key: f"{d} (refused: it changes the model)" for d in find_weight_differences(old, new)}
    for difference in find_stated_differences(old, new, sections=("data", "text")):
        changed = "the pairs" if difference.key.startswith("data.") else "the model"
        refused[difference.key] = f"{difference} (refused: it changes {changed})"
    if refused:
        raise UsageError(
            f"{run} cannot be resumed with these changes: {'; '.join(refused.values())}: leave these keys out, or train"
            " a new run with --out"
        )
    return [f"{d} (applied)" for d in find_differences(old, new, sections=("model", "training", "decoding"))]
