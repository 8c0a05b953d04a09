"""Differences of configs: which keys differ, whose values count, and how a message tells them."""

import pytest

from seq2seq_cli.config.keys import (
    ChangedKey,
    differing_values,
    find_differences,
    find_stated_differences,
    find_weight_differences,
)
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.config.yaml12 import shown

FRENCH = ["data.limit=10000", "text.tgt.lowercase=true", "text.src.language=fr"]
PREPARED = load_config(None, [*FRENCH, "text.src.min_count=1"])


def test_each_key_that_differs_is_found_with_both_values_in_the_order_of_the_schema() -> None:
    new = load_config(None, [*FRENCH, "training.lr=1e-2", "text.src.min_count=3"])

    both, changes = ("text", "training"), [("text.src.min_count", 1, 3), ("training.lr", 1e-3, 1e-2)]
    assert find_differences(PREPARED, new, sections=both) == changes
    assert find_differences(PREPARED, new, sections=("training",)) == changes[1:]
    assert find_differences(PREPARED, PREPARED, sections=both) == []


def test_any_number_of_configs_are_compared_key_by_key() -> None:
    fast = load_config(None, ["training.lr=1e-2"])
    long = load_config(None, ["training.epochs=30"])

    rows = list(differing_values([Config(), fast, long]))

    assert rows == [("training.epochs", [10, 10, 30]), ("training.lr", [1e-3, 1e-2, 1e-3])]
    assert list(differing_values([fast])) == []


@pytest.mark.parametrize(
    ("overrides", "sections", "differences"),
    [
        ("training.epochs=3", ("data", "text"), []),
        # A stated value differs even when it is the default.
        (
            "text.tgt.lowercase=false data.limit=null data.max_tokens=100",
            ("data", "text"),
            [("data.limit", 10000, None), ("text.tgt.lowercase", True, False)],
        ),
        # A language to be found agrees with the one that was found.
        ("text.src.language=auto", ("data", "text"), []),
        ("text.src.language=de", ("data", "text"), [("text.src.language", "fr", "de")]),
        ("training.epochs=3 data.limit=5", ("training",), [("training.epochs", 10, 3)]),
    ],
)
def test_what_a_config_states_differs_in_the_sections_asked_for(
    overrides: str, sections: tuple[str, ...], differences: list[tuple[str, object, object]]
) -> None:
    assert find_stated_differences(PREPARED, load_config(None, overrides.split()), sections=sections) == differences


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
    difference = ChangedKey("data.limit", old=10000, new=None)

    assert str(difference) == "data.limit: 10000 -> null"
    assert difference.against("the corpus") == "data.limit is null, the corpus has 10000"


@pytest.mark.parametrize(
    ("value", "text"), [(None, "null"), (True, "true"), (0.5, "0.5"), ("dot", "dot"), ("a\nb", "a\\nb")]
)
def test_values_are_shown_as_yaml_has_them_in_one_line(value: object, text: str) -> None:
    assert shown(value) == text
