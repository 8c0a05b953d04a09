"""The config that a run really has: the user's, with the corpus's own `data` and `text`."""

import json
from dataclasses import dataclass
from pathlib import Path

from seq2seq_cli.config.compatibility import shared_vocabulary_problems
from seq2seq_cli.config.differences import stated_differences, values_by_key
from seq2seq_cli.config.schema import Config, ModelConfig, TrainingConfig
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
    """An option that a resumed run is to have another value of than before."""

    key: str
    old: object
    new: object
    refused: str = ""
    """Why the run cannot have it; empty when it can."""

    def __str__(self) -> str:
        outcome = f"refused: {self.refused}" if self.refused else "applied"
        return f"{self.key}: {shown(self.old)} -> {shown(self.new)} ({outcome})"


def resumed_changes(old: Config, new: Config, run: Path) -> list[Change]:
    """What differs between the config of a saved run and the one to go on with, which may leave out `data` and `text`.

    Of `model`, only dropout can change: it acts in training and leaves the weights as they are. A new seed changes what
    is drawn from then on, such as the order of the pairs, and not what the run began with.

    Raises UsageError, which names them all, when some would change the model or what it reads and writes.
    """
    fixed = set(model_differences(old.model, new.model))
    changes = []
    for section in ("model", "training", "decoding"):
        before, after = (dict(values_by_key(getattr(config, section), f"{section}.")) for config in (old, new))
        for key in (key for key in before if before[key] != after[key]):
            refused = "it changes the model" if key in fixed else ""
            changes.append(Change(key=key, old=before[key], new=after[key], refused=refused))
    for key, ours, theirs in stated_differences(new, old, sections=("data", "text")):
        refused = "it changes the pairs" if key.startswith("data.") else "it changes the model"
        changes.append(Change(key=key, old=theirs, new=ours, refused=refused))
    if refusals := [change for change in changes if change.refused]:
        told = "; ".join(map(str, refusals))
        raise UsageError(f"{run} cannot go on so: {told}: leave these keys out, or train a new run with --out")
    return changes


def model_differences(old: ModelConfig, new: ModelConfig) -> list[str]:
    """The keys, such as ``model.encoder.cell``, on which the weights of one model are not those of the other.

    Dropout, of whatever kind, is none of them; nor is the attention's size where one says null and the other what that
    stands for.
    """
    before, after = _weights_by_key(old), _weights_by_key(new)
    return [key for key in before if before[key] != after[key]]


def _weights_by_key(model: ModelConfig) -> dict[str, object]:
    values = dict(values_by_key(model, "model."))
    values["model.attention.size"] = model.attention.size or model.decoder.hidden_size
    return {key: value for key, value in values.items() if not key.endswith("dropout")}


def shown(value: object) -> str:
    """A value as a config has it."""
    return value if isinstance(value, str) else json.dumps(value)
