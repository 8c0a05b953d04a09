"""Only what somebody wrote down can disagree."""

from seq2seq_cli.config.differences import stated_differences
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.config.schema import Config

PREPARED = load_config(None, ["data.limit=10000", "text.src.min_count=1", "text.tgt.lowercase=true"])


def test_a_config_that_leaves_data_and_text_out_agrees_with_every_folder() -> None:
    assert stated_differences(load_config(None, ["training.epochs=3"]), PREPARED) == []
    assert stated_differences(Config(), PREPARED) == []


def test_a_config_agrees_with_itself() -> None:
    assert stated_differences(PREPARED, PREPARED) == []


def test_a_stated_value_differs_with_both_values_named() -> None:
    ours = load_config(None, ["text.tgt.lowercase=false", "data.limit=null", "data.max_tokens=100"])

    assert stated_differences(ours, PREPARED) == [
        ("data.limit", None, 10000),
        ("text.tgt.lowercase", False, True),
    ]


def test_only_the_sections_asked_for_are_compared() -> None:
    ours = load_config(None, ["training.epochs=3", "data.limit=5"])

    assert stated_differences(ours, PREPARED, sections=("training",)) == [("training.epochs", 3, 10)]
