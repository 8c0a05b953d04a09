"""The shipped configs against the schema: they load, hold every knob, and say choices and defaults as they are."""

from pathlib import Path
from typing import Literal, get_args, get_origin

import pytest

from seq2seq_cli.config.catalog import list_configs, shipped_folder
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.config.messages import schema_fields, section_at
from seq2seq_cli.config.schema import Config
from seq2seq_cli.config.yaml12 import read_yaml

PATHS = sorted(shipped_folder().glob("*.yaml"))
MODELS = sorted({path.stem for path in PATHS} - {"quick", "tutorial"})


def comments(lines: list[str], line: int) -> str:
    """What is said of the key on a line (counted from 1): above it, in lines of the same indentation, and beside it."""
    key = lines[line - 1]
    indentation = key[: len(key) - len(key.lstrip())]
    first = line - 1
    while lines[first - 1].startswith(f"{indentation}# "):
        first -= 1
    above = [text.strip().removeprefix("# ") for text in lines[first : line - 1]]
    return " ".join([*above, key.partition(" # ")[2]])


each_config = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


@each_config
def test_it_loads_and_is_listed_with_a_description(path: Path) -> None:
    load_config(str(path))

    [entry] = [entry for entry in list_configs() if entry.name == path.stem]
    assert entry.description
    assert f"\n# Group: {entry.group}\n" in path.read_text(encoding="utf-8")


@each_config
def test_each_section_that_it_has_is_complete(path: Path) -> None:
    keys = read_yaml(path.read_text(encoding="utf-8")).keys
    stated = {key[0] for key in keys}

    assert stated >= {"model", "training", "decoding"}
    assert set(keys) == {key for key in schema_fields() if key[0] in stated}


@each_config
def test_each_key_is_explained_with_its_choices_and_default(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    for key, mark in read_yaml(text).keys.items():
        if section_at(key):
            continue
        comment = comments(lines, mark.line)
        field = schema_fields()[key]
        default = comment.rpartition("default ")[2]
        assert read_yaml(default).value == field.default, f"{'.'.join(key)}: {comment}"
        if get_origin(field.annotation) is Literal:
            assert all(choice in comment for choice in get_args(field.annotation)), f"{'.'.join(key)}: {comment}"


@pytest.mark.parametrize("name", MODELS)
def test_a_model_takes_data_and_text_of_the_prepared_folder(name: str) -> None:
    assert load_config(name).model_fields_set == {"model", "training", "decoding"}


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("bahdanau", ("bahdanau", "additive", "state")),
        ("luong_concat", ("luong", "concat", "concat")),
        ("luong_dot", ("luong", "dot", "concat")),
        ("luong_general", ("luong", "general", "concat")),
        ("tutorial", ("luong", "concat", "concat")),
    ],
)
def test_a_model_has_the_parts_and_values_of_the_tutorial(name: str, parts: tuple[str, ...]) -> None:
    config = load_config(name)
    encoder, decoder, training = config.model.encoder, config.model.decoder, config.training

    assert (decoder.kind, config.model.attention.score, decoder.readout) == parts
    assert encoder.hidden_size == decoder.hidden_size == encoder.embedding_size == decoder.embedding_size == 256
    assert (encoder.layers, encoder.dropout, decoder.dropout) == (1, 0.0, 0.1)
    # The tutorial's job takes one sentence a step there, 192 here, in longer steps.
    steps = (training.lr, training.batch_size, training.batch_unit)
    assert steps == ((5e-3, 192, "sentence") if name == "tutorial" else (1e-3, 768, "token"))
    assert training.teacher_forcing == 0.5


def test_the_tutorial_trains_ten_epochs_on_its_first_ten_thousand_pairs() -> None:
    config = load_config("tutorial")

    assert (config.data.limit, config.data.valid_sources, config.data.test_sources) == (10_000, 0, 0)
    for side in (config.text.src, config.text.tgt):
        assert (side.lowercase, side.spacing, side.min_count, side.max_size) == (True, False, 1, None)
    assert config.data.max_tokens == Config().data.max_tokens
    # The other models have ten or a hundred times the pairs, and so fewer epochs.
    assert config.training.epochs == 10
