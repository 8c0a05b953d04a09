"""Differences of configs: which keys differ, whose values count, and how a message tells them."""

import pytest

from seq2seq_cli.config.keys import (
    Difference,
    differing_values,
    find_differences,
    find_stated_differences,
    find_weight_differences,
)
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.config.yaml12 import shown

PREPARED = load_config(None, ["data.limit=10000", "text.src.min_count=1", "text.tgt.lowercase=true"])


def test_each_key_that_differs_is_found_with_both_values_in_the_order_of_the_schema() -> None:
    new = load_config(None, ["training.lr=1e-2", "text.src.min_count=3", "data.limit=10000", "text.tgt.lowercase=true"])

    assert find_differences(PREPARED, new) == [("text.src.min_count", 1, 3), ("training.lr", 1e-3, 1e-2)]
    assert find_differences(PREPARED, new, sections=("training",)) == [("training.lr", 1e-3, 1e-2)]
    assert find_differences(PREPARED, PREPARED) == []


def test_any_number_of_configs_are_compared_key_by_key() -> None:
    fast = load_config(None, ["training.lr=1e-2"])
    long = load_config(None, ["training.epochs=30"])

    rows = list(differing_values([Config(), fast, long]))

    assert rows == [("training.epochs", [10, 10, 30]), ("training.lr", [1e-3, 1e-2, 1e-3])]
    assert list(differing_values([fast])) == []


def test_a_config_that_leaves_data_and_text_out_agrees_with_every_folder() -> None:
    assert find_stated_differences(PREPARED, load_config(None, ["training.epochs=3"])) == []
    assert find_stated_differences(PREPARED, Config()) == []


def test_a_config_agrees_with_itself() -> None:
    assert find_stated_differences(PREPARED, PREPARED) == []


def test_a_stated_value_differs_even_when_it_is_the_default() -> None:
    new = load_config(None, ["text.tgt.lowercase=false", "data.limit=null", "data.max_tokens=100"])

    assert find_stated_differences(PREPARED, new) == [("data.limit", 10000, None), ("text.tgt.lowercase", True, False)]


def test_a_language_to_be_found_agrees_with_the_one_that_was_found() -> None:
    french = load_config(None, ["text.src.language=fr"])

    assert find_stated_differences(french, load_config(None, ["text.src.language=auto"])) == []
    assert find_stated_differences(french, load_config(None, ["text.src.language=de"])) == [
        ("text.src.language", "fr", "de")
    ]


def test_stated_differences_are_of_the_sections_asked_for() -> None:
    new = load_config(None, ["training.epochs=3", "data.limit=5"])

    assert find_stated_differences(PREPARED, new, sections=("training",)) == [("training.epochs", 10, 3)]


@pytest.mark.parametrize(
    "override",
    [
        "model.encoder.dropout=0.3",
        "model.decoder.word_dropout=0.3",
        "model.initialisation.output_std=0.4",
        "model.attention.size=256",  # the decoder's hidden size, which null stands for
        "training.lr=1e-2",
    ],
)
def test_weights_fit_a_model_that_differs_only_in_what_acts_in_training(override: str) -> None:
    assert find_weight_differences(Config(), load_config(None, [override])) == []


def test_weights_do_not_fit_a_model_with_other_parts_or_sizes() -> None:
    new = load_config(None, ["model.attention.size=64", "model.decoder.readout=attentional", "training.lr=1e-2"])

    assert find_weight_differences(Config(), new) == [
        ("model.attention.size", None, 64),
        ("model.decoder.readout", "concat", "attentional"),
    ]


def test_a_difference_is_told_as_a_change_or_against_its_owner() -> None:
    difference = Difference("data.limit", old=10000, new=None)

    assert str(difference) == "data.limit: 10000 -> null"
    assert difference.against("the corpus") == "data.limit is null, the corpus has 10000"


@pytest.mark.parametrize(
    ("value", "text"), [(None, "null"), (True, "true"), (0.5, "0.5"), ("dot", "dot"), ("a\nb", "a\\nb")]
)
def test_values_are_shown_as_yaml_has_them_in_one_line(value: object, text: str) -> None:
    assert shown(value) == text
