"""Keys that do not go together are refused when the config is read, in one line that names them."""

import math

import pytest

from seq2seq_cli.config.loader import load_config
from seq2seq_cli.config.schema.decoding import DecodingConfig
from seq2seq_cli.errors import ConfigError

SIZES = "model.encoder.hidden_size (256); model.decoder.hidden_size (8)"
REFUSED = {
    "model.decoder.cell=gru": "model.encoder.cell (lstm); model.decoder.cell (gru); model.bridge",
    "model.decoder.hidden_size=8": SIZES,
    "model.encoder.directions=joined": "model.encoder.hidden_size (256, twice; model.decoder.hidden_size (256)",
    "model.encoder.layers=2": "model.encoder.layers (2); model.decoder.layers (1)",
    "model.encoder.hidden_size=128 model.encoder.reverse=true model.encoder.directions=joined": (
        "model.encoder.reverse (true); model.encoder.directions (joined)"
    ),
    "model.bridge=backward": "model.bridge (backward); model.encoder.directions (one)",
    "model.bridge=context": "model.bridge (context); model.attention.score (general)",
    "model.bridge=linear model.attention.score=dot model.decoder.hidden_size=8": f"{SIZES}; score (dot)",
    "model.bridge=linear model.attention.score=scaled_dot model.decoder.hidden_size=8": f"{SIZES}; score (scaled_dot)",
    "model.bridge=linear model.attention.score=concat model.decoder.hidden_size=8": f"{SIZES}; score (concat)",
    "model.attention.score=fixed model.encoder.state_dropout=0.1": "model.encoder.state_dropout (0.1); score (fixed)",
    "model.attention.score=fixed model.attention.scope=local_m": "model.attention.scope (local_m); score (fixed)",
    "model.attention.score=none": "model.decoder.readout (concat); model.attention.score (none)",
    "model.decoder.kind=bahdanau model.decoder.readout=state model.attention.score=none": (
        "model.decoder.kind (bahdanau); score (none)"
    ),
    "model.decoder.readout=state model.attention.score=none model.bridge=zero": "model.bridge (zero); score (none)",
    "model.decoder.readout=state": "model.decoder.kind (luong); model.decoder.readout (state)",
    "model.decoder.input_feeding=true": "model.decoder.input_feeding (true); model.decoder.readout (concat)",
    "model.decoder.readout=attentional model.decoder.kind=bahdanau model.decoder.input_feeding=true": (
        "model.decoder.input_feeding (true); model.decoder.kind (bahdanau)"
    ),
    "model.attention.score=fixed model.decoder.readout=lexical": "model.decoder.readout (lexical); score (fixed)",
    "model.attention.score=general_word": "model.attention.score (general_word); model.decoder.readout (concat)",
    "model.decoder.readout=lexical model.encoder.embedding_size=8": (
        "model.encoder.embedding_size (8); model.decoder.embedding_size (256); model.decoder.readout (lexical)"
    ),
    "model.tied_embeddings=target": "model.tied_embeddings (target); model.decoder.embedding_size (256)",
    "model.decoder.readout=attentional model.encoder.embedding_size=8 model.tied_embeddings=all": (
        "tied_embeddings (all); model.encoder.embedding_size (8); model.decoder.embedding_size (256)"
    ),
    "model.attention.score=location training.bpe_dropout=0.1": "training.bpe_dropout (0.1); score (location)",
    "model.attention.score=fixed training.doubly_stochastic=1": "training.doubly_stochastic (1.0); score (fixed)",
    "model.attention.scope=hard training.doubly_stochastic=1": "training.doubly_stochastic (1.0); scope (hard)",
    "training.optimiser=adadelta training.weight_decay=0.01": "weight_decay (0.01); optimiser (adadelta); adamw",
    "training.weight_decay=0.01": "training.weight_decay (0.01); training.optimiser (adam); adamw",
    "decoding.temperature=0.5": "decoding.temperature (0.5); decoding.sampling (false)",
}
"""What the line names, between semicolons, by the overrides that do not go together."""


@pytest.mark.parametrize("overrides", REFUSED)
def test_keys_that_do_not_go_together_are_refused_in_a_line_that_names_them(overrides: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(None, overrides.split())

    [line] = caught.value.args
    assert "\n" not in line
    assert line.startswith(f"--set {overrides.split()[-1]}: ")
    assert all(key in line for key in REFUSED[overrides].split("; ")), line


def test_a_value_that_fits_no_other_key_is_refused_with_a_line_for_each() -> None:
    with pytest.raises(ConfigError) as caught:
        load_config("rnnsearch", ["model.attention.score=none"])

    lines = caught.value.args
    assert len(lines) > 1
    assert len(set(lines)) == len(lines)
    assert all(line.startswith("--set model.attention.score=none: ") for line in lines)


@pytest.mark.parametrize(
    "overrides",
    [
        "model.decoder.cell=gru model.encoder.directions=joined model.bridge=linear",
        "model.encoder.hidden_size=128 model.encoder.directions=joined model.attention.score=dot",
        "model.encoder.directions=summed model.attention.score=dot",
        "model.attention.score=none model.decoder.readout=state model.encoder.reverse=true",
        # The prepared folder knows its longest source.
        "model.attention.score=location text.unit=word data.max_tokens=200",
        # The prepared folder decides.
        "model.decoder.readout=attentional model.tied_embeddings=all text.shared_vocabulary=false",
        "model.decoder.readout=maxout model.decoder.embedding_size=128 model.tied_embeddings=target",
        "training.weight_decay=0.01 training.optimiser=adamw",
        "training.weight_decay=0.01 training.optimiser=sgd",
        "model.encoder.directions=joined model.bridge=backward model.decoder.cell=gru_cho",
        "model.attention.score=fixed model.bridge=context model.decoder.layers=2",
        "training.clip_norm=null training.loss_unit=sentence training.doubly_stochastic=1",
    ],
)
def test_keys_that_go_together_are_accepted(overrides: str) -> None:
    assert load_config(None, overrides.split()) != load_config(None)


def test_translating_takes_the_least_and_the_largest_value_of_each_key() -> None:
    bounds = []
    for key, schema in DecodingConfig.model_json_schema()["properties"].items():
        for kind in schema.get("anyOf", [schema]):
            bounds += [(key, kind[name]) for name in ("minimum", "maximum") if name in kind]
            bounds += [(key, math.nextafter(kind["exclusiveMinimum"], 1))] if "exclusiveMinimum" in kind else []
            bounds += [(key, kind["exclusiveMaximum"] - 1)] if "exclusiveMaximum" in kind else []
    assert {"prune", "temperature", "seed", "beam_size"} <= {key for key, _ in bounds}
    for key, value in bounds:
        chosen = DecodingConfig.model_validate({"sampling": True, key: value})
        assert getattr(chosen.options, key) == value


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ("", "general score"),
        ("model.attention.scope=local_p", "general score, local_p scope"),
        ("model.attention.score=none model.decoder.readout=state", "no attention"),
        ("model.attention.score=fixed", "a fixed context"),
    ],
)
def test_an_attention_is_described_in_words(overrides: str, words: str) -> None:
    assert load_config(None, overrides.split()).model.in_words == f"luong decoder, {words}"


@pytest.mark.parametrize(
    ("overrides", "shares"),
    [
        ("", True),
        ("text.unit=word", False),
        ("text.unit=word text.shared_vocabulary=true", True),
        ("text.shared_vocabulary=false", False),
        ("text.src.max_size=500", False),
        ("text.src.max_size=500 text.tgt.max_size=500", True),
        ("text.tgt.min_count=3", False),
    ],
)
def test_subwords_of_equally_large_vocabularies_are_shared(overrides: str, shares: bool) -> None:
    assert load_config(None, overrides.split()).text.shares_vocabulary == shares
