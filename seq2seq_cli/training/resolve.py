"""The config that a run really has: the user's, with the corpus's own `data` and `text`."""

import json
from dataclasses import dataclass
from pathlib import Path

from seq2seq_cli.config.legality import shared_vocabulary_problems
from seq2seq_cli.config.schema import Config, TrainingConfig
from seq2seq_cli.config.stated import stated_differences, values_by_key
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import SPLITS
from seq2seq_cli.errors import UsageError


def resolve_config(config: Config, corpus: PreparedCorpus) -> Config:
    """`config` with what the corpus was prepared with.

    Raises UsageError, naming both values, when the config states something else for it, has a model that cannot be
    trained on it, or asks for a training that the corpus's units do not allow.
    """
    prepared = config.model_copy(update={"data": corpus.config.data, "text": corpus.config.text})
    differences = stated_differences(config, prepared, sections=("data", "text"))
    if differences:
        told = "; ".join(f"{key} is {shown(ours)}, the corpus has {shown(theirs)}" for key, ours, theirs in differences)
        raise UsageError(
            f"the config and {corpus.path} disagree: {told}. Prepare again with the same --config and --set,"
            " or leave these keys out"
        )
    for _, message in shared_vocabulary_problems(prepared):
        raise UsageError(f"{corpus.path}: {message}; prepare it so, or choose none or target")
    _check_longest_source(prepared, corpus)
    _check_held_out(prepared, corpus)
    if prepared.training.bpe_dropout and prepared.text.unit != "bpe":
        raise UsageError(
            f"training.bpe_dropout is {shown(prepared.training.bpe_dropout)}, but {corpus.path} has text.unit"
            f" {prepared.text.unit}: prepare with --set text.unit=bpe, or set training.bpe_dropout=0"
        )
    return prepared


def _check_longest_source(config: Config, corpus: PreparedCorpus) -> None:
    """The location score has a largest length: UsageError when the corpus has a longer source."""
    attention = config.model.attention
    longest = 1 + max(int(corpus.split(name).src_lengths.max(initial=0)) for name in SPLITS)
    if attention.score == "location" and longest > attention.max_length:
        raise UsageError(
            f"model.attention.max_length ({attention.max_length}) is too small for {corpus.path}, whose longest source"
            f" has {longest} tokens with <eos>; set it to {longest} or more, or prepare with a lower data.max_tokens"
        )


def _check_held_out(config: Config, corpus: PreparedCorpus) -> None:
    """Some of the training goes by the held-out scores: UsageError when the corpus has nothing to score."""
    training, off = config.training, TrainingConfig()
    keys = ["patience", "ema_decay", *(["schedule"] if training.schedule == "plateau" else [])]
    asked = {key: getattr(off, key) for key in keys if getattr(training, key) != getattr(off, key)}
    if asked and not len(corpus.split("valid")):
        told = ", ".join(f"training.{key} ({shown(getattr(training, key))})" for key in asked)
        without = ", ".join(f"training.{key}={shown(value)}" for key, value in asked.items())
        raise UsageError(
            f"{told} {'goes' if len(asked) == 1 else 'go'} by the scores of held-out pairs, and {corpus.path} has none:"
            f" prepare with data.valid_sources above 0 or --valid, or set {without}"
        )


@dataclass(frozen=True, kw_only=True)
class Change:
    """An option that a resumed run has another value of than before."""

    key: str
    old: object
    new: object

    def __str__(self) -> str:
        return f"{self.key}: {shown(self.old)} -> {shown(self.new)} (applied)"


def resumed_changes(old: Config, new: Config, run: Path) -> list[Change]:
    """What differs between the config of a saved run and the one to go on with.

    Raises UsageError when that would change the model or what it reads and writes.
    """
    before, after = dict(values_by_key(old)), dict(values_by_key(new))
    changes = [Change(key=key, old=before[key], new=after[key]) for key in before if before[key] != after[key]]
    refused = [change for change in changes if change.key.split(".")[0] not in ("training", "decoding")]
    if refused:
        told = "; ".join(f"{change.key}: {shown(change.old)} -> {shown(change.new)}" for change in refused)
        raise UsageError(f"{told}: refused, it changes the model of {run}; train a new run with --out")
    return changes


def shown(value: object) -> str:
    """A value as a config has it."""
    return value if isinstance(value, str) else json.dumps(value)
