"""The resolved config of a run: the user's, with the `data` and `text` of the corpus, and checked against both."""

import logging
from collections.abc import Collection, Iterator
from pathlib import Path

from seq2seq_cli.config.choices import LARGEST_LENGTH_FACTOR, LENGTH_FACTOR, Metric
from seq2seq_cli.config.keys import ChangedKey, find_differences, find_stated_differences, find_weight_differences
from seq2seq_cli.config.loader import checked_config
from seq2seq_cli.config.schema import clash
from seq2seq_cli.config.schema.config import PREPARED_SECTIONS, Config
from seq2seq_cli.config.yaml12 import shown
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.errors import UsageError
from seq2seq_cli.evaluation.words import bleu_tokenisation

_LENGTH_MARGIN = 1.4
"""Target tokens per source token that a translation may have, in units of the mean of the training pairs."""
LEFT_TO_CORPUS = ("training.best_metric", "decoding.max_length_factor")
"""The keys that are decided for a corpus, where a config leaves them to it."""
CHOSEN = ("similar_pairs", "coverage_penalty", "length_penalty", "length_penalty_alpha")
"""The keys of ``decoding`` that `training.choose_decoding` chooses."""
_FEW_TO_SCORE = 1_000
"""Validation pairs below which BLEU, which counts whole words and phrases, hardly distinguishes one epoch from the
next. On 266 pairs, of 2,485 for training, the loss chose epochs of 3 to 12 BLEU where 4 to 14 could be had; chrF was as
good as BLEU above 10 BLEU, and better below: it ordered the later epochs as the test split does (0.9; BLEU 0.5)."""
_SEVERAL_WORDS = 12
"""Characters from which on nearly all sentences have several words, where words have spaces between them."""

logger = logging.getLogger(__name__)


def resolve_config(
    config: Config, corpus: PreparedCorpus, *, overridden: Collection[str] = (), keeps_model: bool = False
) -> Config:
    """`config` with the `data` and `text` sections of the corpus, and what it leaves to the corpus decided.

    What it asks for and the corpus does not allow gives way: see `fitted`. Raises UsageError, which names all of them,
    for such keys that are `overridden` or, with `keeps_model`, of the model, to which weights belong already;
    ConfigError for a result that a run could not be opened with.
    """
    stated = find_stated_differences(_prepared(config, corpus), config, sections=PREPARED_SECTIONS)
    if differences := [difference.against(str(corpus.path)) for difference in stated if difference.key in overridden]:
        cure = "leave these keys out, or prepare with the same --set and train a new run"
        raise UsageError(f"{'; '.join(differences)}: {cure}")
    refused = []
    for key, instead, problem in _conflicts(config, corpus):
        if keeps_model and key.startswith("model."):
            refused.append(problem)
        elif key in overridden:
            refused.append(f"{problem}, or set {key}={shown(instead)}")
    if refused:
        raise UsageError(*refused)
    prepared = _prepared(fitted(config, corpus), corpus)
    if prepared.training.best_metric == "auto":
        prepared = prepared.with_value("training.best_metric", _telling_metric(prepared, corpus))
    if prepared.decoding.max_length_factor is None:
        src, tgt = (int(side.lengths.sum()) for side in (corpus.split("train").src, corpus.split("train").tgt))
        factor = max(LENGTH_FACTOR, round(_LENGTH_MARGIN * tgt / src, 1))
        prepared = prepared.with_value("decoding.max_length_factor", min(factor, LARGEST_LENGTH_FACTOR))
    return checked_config(prepared)


def fitted(config: Config, corpus: PreparedCorpus) -> Config:
    """`config` without what the corpus does not allow in `model` and `training`."""
    for key, instead, _ in _conflicts(config, corpus):
        config = config.with_value(key, instead)
    return config


def given_up(config: Config, resolved: Config, corpus: PreparedCorpus) -> list[str]:
    """The values that a config states and its resolved form has otherwise, in words: at most one line."""
    differences = find_stated_differences(resolved, config, sections=("data", "text", "model", "training"))
    changes = "; ".join(str(ChangedKey(key, new, old)) for key, old, new in differences)
    return [f"values of the config replaced by values of {corpus.path}: {changes}"] if changes else []


def resumed_changes(old: Config, new: Config, run: Path) -> list[str]:
    """The differences between the config of a saved run and the resolved one to resume it with, in words.

    Raises UsageError, which names all of them, for differences in the model and its first weights, which are drawn
    already, but for dropout, which leaves weights as they are. A new seed changes what is drawn from then on.
    """
    if refused := find_weight_differences(old, new, with_first=True):
        cure = "leave these keys out, or train a new run with --out"
        raise UsageError(f"{run} cannot be resumed with these changes: {'; '.join(map(str, refused))}: {cure}")
    return [f"{each} (applied)" for each in find_differences(old, new, sections=("model", "training", "decoding"))]


def _prepared(config: Config, corpus: PreparedCorpus) -> Config:
    return config.model_copy(update={"data": corpus.manifest.data, "text": corpus.manifest.text})


def _telling_metric(config: Config, corpus: PreparedCorpus) -> Metric:
    """The metric that can tell good weights from better ones: BLEU or chrF."""
    language = config.text.tgt.language
    long = [target for _, target in corpus.sentences("valid") if len(target) >= _SEVERAL_WORDS]
    if bleu_tokenisation(language) == "13a" and 2 * sum(" " not in target for target in long) > len(long):
        why = f"the sentences of the target language ({language}) have no spaces"
        cannot = "BLEU's tokenisation (13a) cannot find their words"
        logger.warning("the best weights are chosen by chrF: %s, and %s", why, cannot)
        return "chrf"
    return "bleu" if len(corpus.split("valid")) >= _FEW_TO_SCORE else "chrf"


def _conflicts(config: Config, corpus: PreparedCorpus) -> Iterator[tuple[str, object, str]]:
    """The keys of `model` and `training` with values that a corpus refuses, the nearest that it allows, and why."""
    prepared = _prepared(config, corpus)
    if config.model.tied_embeddings == "all" and not prepared.text.shares_vocabulary:
        why, cure = "the source words must be the target words", "prepare with text.shared_vocabulary=true"
        _, message = clash(prepared, "model.tied_embeddings", "text.shared_vocabulary", why)
        yield "model.tied_embeddings", "target", f"{corpus.path}: {message}; {cure}"
    attention = config.model.attention
    longest = 1 + max(int(corpus.split(name).src.lengths.max(initial=0)) for name in corpus.manifest.splits)
    if attention.has_places and longest > attention.max_length:
        problem = f"model.attention.max_length ({attention.max_length}) is too small for {corpus.path}"
        why = f"whose longest source has {longest} tokens with <eos>: prepare with a lower data.max_tokens"
        yield "model.attention.max_length", longest, f"{problem}, {why}"
    dropout, unit = config.training.bpe_dropout, prepared.text.unit
    if dropout and unit != "bpe":
        problem = f"training.bpe_dropout is {shown(dropout)}, but {corpus.path} has text.unit {unit}"
        yield "training.bpe_dropout", 0.0, f"{problem}: prepare with --set text.unit=bpe"
