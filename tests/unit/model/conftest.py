"""All combinations of mechanisms that the config allows, each as a small model."""

import itertools
from collections.abc import Iterator
from itertools import count, cycle, product
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


def legal(values: Values) -> ModelConfig | None:
    try:
        return ModelConfig.model_validate(values)
    except ValidationError:
        return None


def sizes(encoder: Values, decoder: Values, attention: Values, *, alike: bool) -> Values:
    """Sizes that all differ; alike: the decoder has the size of a memory state."""
    joined = encoder["directions"] == "joined"
    hidden = (12 if joined else 6) if alike else 8
    features = {"state": hidden, "attentional": hidden, "maxout": hidden // 2}.get(
        decoder["readout"], hidden + (12 if joined else 6)
    )
    return {
        "encoder": {"embedding_size": 5, "hidden_size": 6, "dropout": 0.2, **encoder},
        "attention": {"size": 4, "window": 2, "max_length": 10, **attention},
        "decoder": {"embedding_size": features if alike else 4, "hidden_size": hidden, "dropout": 0.2, **decoder},
    }


def sides() -> Iterator[tuple[Values, str, Values]]:
    """Each encoder with each bridge; the decoder's cell and layers in turn where the bridge leaves them free.

    The bridges of some encoders or scores alone, and the cells that torch has no fast kernels for, are in `others`,
    which are few.
    """
    rnns = cycle(product(choices(DecoderConfig, "cell"), (1, 2, 3)))
    for cell, directions, reverse, layers, bridge in product(
        ("lstm", "gru"),
        choices(EncoderConfig, "directions"),
        (False, True),
        (1, 2, 3),
        ("copy", "linear", "zero"),
    ):
        encoder = {"cell": cell, "directions": directions, "reverse": reverse, "layers": layers}
        rnn_cell, rnn_layers = (cell, layers) if bridge == "copy" else next(rnns)
        yield encoder, bridge, {"cell": rnn_cell, "layers": rnn_layers}


def others() -> Iterator[tuple[Values, str, Values, Values]]:
    """The other cells and bridges, and the score that reads a word, each with an attention that it goes with."""
    plain = {"directions": "joined", "layers": 2, "reverse": False}
    for cell, directions in product(("gru_cho", "rnn"), choices(EncoderConfig, "directions")):
        encoder = {**plain, "cell": cell, "directions": directions}
        yield encoder, "copy", {"cell": cell, "layers": 2}, {"score": "additive"}
        deep = {**encoder, "layers": 4, "reverse": directions == "one"}
        yield deep, "linear", {"cell": cell, "layers": 1}, {"score": "location_word"}
    for cell, other in (("lstm", "gru"), ("gru_cho", "lstm")):
        for bridge, score in (("backward", "additive"), ("context", "fixed")):
            yield {**plain, "cell": cell}, bridge, {"cell": other, "layers": 2}, {"score": score}
    for scope in choices(AttentionConfig, "scope"):
        attention = {"score": "location_word", "scope": scope}
        yield {**plain, "cell": "gru"}, "linear", {"cell": "gru", "layers": 1}, attention


def attentions() -> Iterator[tuple[Values, Values]]:
    """Scores but that of `others`, scopes, decoders and readouts."""
    for score, scope, kind, feeding, readout in product(
        [score for score in choices(AttentionConfig, "score") if score != "location_word"],
        choices(AttentionConfig, "scope"),
        choices(DecoderConfig, "kind"),
        (False, True),
        choices(DecoderConfig, "readout"),
    ):
        yield {"score": score, "scope": scope}, {"kind": kind, "input_feeding": feeding, "readout": readout}


def combinations() -> Iterator[ModelConfig]:
    """Each legal attention and decoder on some sides, and all sides under one attention and decoder."""
    tied = cycle(choices(ModelConfig, "tied_embeddings"))
    all_sides = list(sides())
    # A prime step visits all sides before it comes back to one.
    indices = (index % len(all_sides) for index in count(step=37))
    for attention, decoder in attentions():
        if not legal({"attention": attention, "decoder": decoder}):
            continue
        fitting = (combined(*all_sides[index], attention, decoder, next(tied)) for index in indices)
        yield next(config for config in fitting if config)
    additive = {"score": "additive"}, {"kind": "luong", "input_feeding": False, "readout": "attentional"}
    yield from filter(None, (combined(*side, *additive, "none") for side in all_sides))
    feeding = {"kind": "luong", "input_feeding": True, "readout": "attentional"}
    reading = {"kind": "bahdanau", "input_feeding": False, "readout": "maxout"}
    decoders = cycle((feeding, reading, additive[1]))
    for encoder, bridge, rnn, attention in others():
        config = combined(encoder, bridge, rnn, attention, next(decoders), "none")
        assert config, (encoder, bridge, attention)
        yield config


def combined(
    encoder: Values, bridge: str, rnn: Values, attention: Values, decoder: Values, tied: str
) -> ModelConfig | None:
    alike = bridge == "copy" or tied != "none" or attention["score"] in ("dot", "scaled_dot", "concat")
    values = sizes(encoder, {**rnn, **decoder}, attention, alike=alike)
    if tied == "all":
        values["encoder"]["embedding_size"] = values["decoder"]["embedding_size"]
    return legal({**values, "bridge": bridge, "tied_embeddings": tied})


COMBINATIONS = list(combinations())


def features(config: ModelConfig) -> tuple[tuple[str, Any], ...]:
    """The mechanisms of a combination, each with the key that it is the value of."""
    encoder, attention, decoder = config.encoder, config.attention, config.decoder
    return (
        *((f"encoder.{key}", getattr(encoder, key)) for key in ("cell", "directions", "reverse", "layers")),
        *((f"attention.{key}", getattr(attention, key)) for key in ("score", "scope")),
        *((f"decoder.{key}", getattr(decoder, key)) for key in ("kind", "cell", "layers", "input_feeding", "readout")),
        ("bridge", config.bridge),
        ("tied_embeddings", config.tied_embeddings),
    )


def name_of(config: ModelConfig) -> str:
    return "-".join(str(value) for _, value in features(config))


def pairwise(configs: list[ModelConfig]) -> list[ModelConfig]:
    """A part of the combinations that has every two mechanisms together that any of all has."""
    pairs = [set(itertools.combinations(features(config), 2)) for config in configs]
    missing, chosen = set[Any]().union(*pairs), set[int]()
    # First those that bring much, so that few are chosen.
    for least in (60, 30, 15, 8, 4, 2, 1):
        for number, of_config in enumerate(pairs):
            if len(of_config & missing) >= least:
                chosen.add(number)
                missing -= of_config
    return [configs[number] for number in sorted(chosen)]


_QUICK = {name_of(config) for config in pairwise(COMBINATIONS)}


@pytest.fixture(
    params=[
        pytest.param(config, marks=() if name_of(config) in _QUICK else pytest.mark.slow, id=name_of(config))
        for config in COMBINATIONS
    ]
)
def config(request: pytest.FixtureRequest) -> ModelConfig:
    """One legal combination."""
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def model(config: ModelConfig) -> Seq2Seq:
    return small_model(config)


def small_model(config: ModelConfig) -> Seq2Seq:
    torch.manual_seed(3)
    return build_model(config, src_size=VOCABULARY, tgt_size=VOCABULARY).double().eval()
