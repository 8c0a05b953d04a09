"""Combinations of mechanisms that the config allows, each as a small model."""

from collections.abc import Iterator
from itertools import combinations, product
from operator import attrgetter
from random import Random
from typing import Any, get_args

import pytest
import torch
from pydantic import ValidationError

from seq2seq_cli.config.schema.model import AttentionConfig, DecoderConfig, EncoderConfig, ModelConfig
from seq2seq_cli.model.build import build_model
from seq2seq_cli.model.seq2seq import Seq2Seq

# The vocabularies have one size, for models whose two sides share a matrix.
VOCABULARY = 13
Values = dict[str, Any]


def choices(section: type, key: str) -> tuple[Any, ...]:
    """The choices of a key of the config."""
    return get_args(section.model_fields[key].annotation)  # type: ignore[attr-defined]


ATTENTION = {
    "attention.score": choices(AttentionConfig, "score"),
    "attention.scope": choices(AttentionConfig, "scope"),
    "decoder.kind": choices(DecoderConfig, "kind"),
    "decoder.input_feeding": (False, True),
    "decoder.readout": choices(DecoderConfig, "readout"),
}
SIDES = {
    "encoder.cell": choices(EncoderConfig, "cell"),
    "encoder.directions": choices(EncoderConfig, "directions"),
    "bridge": choices(ModelConfig, "bridge"),
}
CHOICES = {
    **ATTENTION,
    **SIDES,
    "encoder.reverse": (False, True),
    "encoder.layers": (1, 2, 3),
    "decoder.cell": choices(DecoderConfig, "cell"),
    "decoder.layers": (1, 2, 3),
    "tied_embeddings": choices(ModelConfig, "tied_embeddings"),
}
"""The choices of each mechanism."""


def small_config(chosen: Values) -> ModelConfig | None:
    """A small model with these mechanisms, or with the defaults; None where the config does not allow them.

    All its sizes differ, unless the mechanisms need equal ones.
    """
    chosen = {"encoder.directions": "one", "bridge": "zero", "decoder.readout": "concat", **chosen}
    tied = chosen.get("tied_embeddings", "none")
    alike = chosen["bridge"] == "copy" or tied != "none"
    alike |= chosen.get("attention.score") in ("dot", "scaled_dot", "concat")
    memory = 12 if chosen["encoder.directions"] == "joined" else 6
    hidden = memory if alike else 8
    readout = chosen["decoder.readout"]
    readouts = {"maxout": hidden // 2, "concat": hidden + memory, "lexical": 4}
    embedding = readouts.get(readout, hidden) if alike else 4
    of_source = embedding if tied == "all" or readout == "lexical" else 5
    values: Values = {
        "encoder": {"embedding_size": of_source, "hidden_size": 6, "dropout": 0.2},
        "attention": {"size": 4, "window": 2, "max_length": 10},
        "decoder": {"embedding_size": embedding, "hidden_size": hidden, "dropout": 0.2},
    }
    for key, value in chosen.items():
        section, _, name = key.rpartition(".")
        (values[section] if section else values)[name] = value
    try:
        return ModelConfig.model_validate(values)
    except ValidationError:
        return None


def every_combination() -> Iterator[ModelConfig]:
    """Each legal attention and decoder, and each legal encoder and bridge, with others drawn at random."""
    chance = Random(1)  # noqa: S311  # not for secrets
    for part in (ATTENTION, SIDES):
        for values in product(*part.values()):
            fixed = dict(zip(part, values, strict=True))
            if part is ATTENTION and not small_config(fixed):
                continue
            drawn = ({key: chance.choice(of_key) for key, of_key in CHOICES.items()} | fixed for _ in range(200))
            if config := next(filter(None, map(small_config, drawn)), None):
                yield config


COMBINATIONS = list(every_combination())


def features(config: ModelConfig) -> list[tuple[str, Any]]:
    """The mechanisms of a combination, each with the key that it is the value of."""
    return [(key, attrgetter(key)(config)) for key in CHOICES]


def name_of(config: ModelConfig) -> str:
    return "-".join(str(value) for _, value in features(config))


def pairwise(configs: list[ModelConfig]) -> Iterator[ModelConfig]:
    """A part of the combinations that has every two mechanisms together that any of all has."""
    pairs = {name_of(config): set(combinations(features(config), 2)) for config in configs}
    missing = set[Any]().union(*pairs.values())
    # First those that bring much, so that few are chosen.
    for least in (60, 30, 15, 8, 4, 2, 1):
        for config in configs:
            if len(pairs[name_of(config)] & missing) >= least:
                missing -= pairs[name_of(config)]
                yield config


_QUICK = set(map(name_of, pairwise(COMBINATIONS)))
PARAMETERS = [
    pytest.param(config, marks=() if name_of(config) in _QUICK else pytest.mark.slow, id=name_of(config))
    for config in COMBINATIONS
]


def small_model(config: ModelConfig) -> Seq2Seq:
    torch.manual_seed(3)
    return build_model(config, src_size=VOCABULARY, tgt_size=VOCABULARY).double().eval()
