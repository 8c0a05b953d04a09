"""The shipped configs against the schema: they load, hold every knob, and say choices and defaults as they are."""

from pathlib import Path
from typing import Literal, get_args, get_origin

import pytest

from seq2seq_cli.config.catalog import list_configs, shipped_folder
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.config.schema import Config
from seq2seq_cli.config.wording import schema_fields, section_at
from seq2seq_cli.config.yaml12 import read_yaml

PATHS = sorted(shipped_folder().glob("*.yaml"))
MODELS = ["bahdanau", "luong_concat", "luong_dot", "luong_general"]

pytestmark = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def test_it_loads_and_is_listed_with_a_description(path: Path) -> None:
    load_config(str(path))

    assert [entry.description for entry in list_configs() if entry.name == path.stem] > [""]


def test_each_section_that_it_has_is_complete(path: Path) -> None:
    keys = read_yaml(path.read_text(encoding="utf-8")).keys
    stated = {key[0] for key in keys}

    assert stated >= {"model", "training", "decoding"}
    assert set(keys) == {key for key in schema_fields() if key[0] in stated}


def test_each_key_is_explained_with_its_choices_and_default(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    for key, mark in read_yaml(text).keys.items():
        if section_at(key):
            continue
        comment = lines[mark.line - 1].partition(" # ")[2]
        field = schema_fields()[key]
        default = comment.rpartition("default ")[2]
        assert read_yaml(default).value == field.default, f"{'.'.join(key)}: {comment}"
        if get_origin(field.annotation) is Literal:
            assert all(choice in comment for choice in get_args(field.annotation)), f"{'.'.join(key)}: {comment}"


def test_a_model_takes_data_and_text_of_the_prepared_folder(path: Path) -> None:
    config = load_config(str(path))

    if path.stem in MODELS:
        assert config.model_fields_set == {"model", "training", "decoding"}


def test_a_model_has_the_values_of_the_tutorial(path: Path) -> None:
    config = load_config(str(path))
    encoder, decoder, training = config.model.encoder, config.model.decoder, config.training

    if path.stem in [*MODELS, "tutorial"]:
        assert encoder.hidden_size == decoder.hidden_size == encoder.embedding_size == decoder.embedding_size == 256
        assert (encoder.layers, encoder.dropout, decoder.dropout) == (1, 0.0, 0.1)
        assert (training.lr, training.teacher_forcing, training.epochs) == (1e-3, 0.5, 10)
        named = {
            "bahdanau": ("bahdanau", "additive", "state"),
            "luong_dot": ("luong", "dot", "concat"),
            "luong_general": ("luong", "general", "concat"),
        }
        expected = named.get(path.stem, ("luong", "concat", "concat"))
        assert (decoder.kind, config.model.attention.score, decoder.readout) == expected


def test_the_tutorial_trains_on_its_first_ten_thousand_pairs(path: Path) -> None:
    config = load_config(str(path))

    if path.stem == "tutorial":
        assert (config.data.limit, config.data.valid_sources, config.data.test_sources) == (10_000, 0, 0)
        for side in (config.text.src, config.text.tgt):
            assert (side.lowercase, side.spacing, side.min_count, side.max_size) == (True, False, 1, None)
        assert config.data.max_tokens == Config().data.max_tokens
