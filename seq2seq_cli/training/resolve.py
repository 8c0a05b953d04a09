"""The resolved config of a run: the user's, with the `data` and `text` of the corpus, and checked against both."""

import logging
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from seq2seq_cli.config.choices import LENGTH_FACTOR, Metric
from seq2seq_cli.config.compatibility import shared_vocabulary_problems
from seq2seq_cli.config.differences import find_differences, find_stated_differences, find_weight_differences
from seq2seq_cli.config.schema import Config, TrainingConfig
from seq2seq_cli.config.yaml12 import shown
from seq2seq_cli.corpus.splits import SPLITS
from seq2seq_cli.errors import UsageError
from seq2seq_cli.evaluation.languages import bleu_tokenisation

if TYPE_CHECKING:
    from seq2seq_cli.corpus.prepared import PreparedCorpus

_LENGTH_MARGIN = 1.4
"""Target tokens per source token that a translation may have, in units of the mean of the training pairs."""
_LARGEST_FACTOR = 100.0
"""That of the schema."""
_SEVERAL_WORDS = 12
"""Characters from which on a sentence has several words in languages that write spaces."""

logger = logging.getLogger(__name__)


def resolve_config(config: Config, corpus: "PreparedCorpus") -> Config:
    """`config` with the `data` and `text` sections of the corpus, and what it leaves to the corpus decided.

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
    prepared = _with_metric(_with_length_factor(prepared, corpus), corpus)
    _check_longest_source(prepared, corpus)
    _check_held_out(prepared, corpus)
    if prepared.training.bpe_dropout and prepared.text.unit != "bpe":
        raise UsageError(
            f"training.bpe_dropout is {shown(prepared.training.bpe_dropout)}, but {corpus.path} has text.unit"
            f" {prepared.text.unit}: prepare with --set text.unit=bpe, or set training.bpe_dropout=0"
        )
    return prepared


def with_decided(config: Config, saved: Config) -> Config:
    """`config` with what it leaves to the corpus as it was decided for a saved run."""
    if config.training.best_metric == "auto":
        config = _changed(config, "training", best_metric=saved.training.best_metric)
    if config.decoding.max_length_factor is None:
        config = _changed(config, "decoding", max_length_factor=saved.decoding.max_length_factor)
    return config


def _with_metric(config: Config, corpus: "PreparedCorpus") -> Config:
    """The config with a metric by which the best weights can be chosen; a warning says why it is not BLEU."""
    if config.training.best_metric != "auto":
        return config
    language = config.text.tgt.language
    tokenisation = bleu_tokenisation(language)
    metric: Metric = "bleu"
    if tokenisation == "13a" and _has_no_spaces(target for _, target in corpus.sentences("valid")):
        metric = "chrf"
        logger.warning(
            "the best weights are chosen by chrF: the sentences of the target language (%s) have no spaces, and BLEU's"
            " tokenisation (%s) cannot find their words",
            language,
            tokenisation,
        )
    return _changed(config, "training", best_metric=metric)


def _has_no_spaces(texts: Iterable[str]) -> bool:
    """Whether most of the texts that must have several words have no space."""
    has_space = [" " in text for text in texts if len(text) >= _SEVERAL_WORDS]
    return has_space.count(False) > len(has_space) / 2


def _with_length_factor(config: Config, corpus: "PreparedCorpus") -> Config:
    """The config with a limit that fits the lengths of both sides, as of words and characters."""
    if config.decoding.max_length_factor is not None:
        return config
    src, tgt = (int(side.lengths.sum()) for side in (corpus.split("train").src, corpus.split("train").tgt))
    factor = round(_LENGTH_MARGIN * tgt / src, 1)
    return _changed(config, "decoding", max_length_factor=min(max(LENGTH_FACTOR, factor), _LARGEST_FACTOR))


def _changed(config: Config, section: str, **values: object) -> Config:
    changed = getattr(config, section).model_copy(update=values)
    return config.model_copy(update={section: changed})


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
