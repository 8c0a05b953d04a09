"""A config shown whole is YAML that loads to the same config, with every key explained as in the schema."""

import re
from pathlib import Path

import pytest

from seq2seq_cli.config.catalog import list_configs
from seq2seq_cli.config.keys import allowed, schema_fields
from seq2seq_cli.config.loader import annotated_yaml, load_config
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.config.yaml12 import Document, KeyPath, Place


def uncommented(text: str) -> str:
    """The text with all keys that are commented out stated."""
    return re.sub(r"^( *)#(?=\w)", r"\1", text, flags=re.MULTILINE)


def explanation(lines: list[str], place: Place) -> str:
    """What is said of a key: the comment above it, and the one beside it."""
    first = place.line - 1
    while re.match(r" *# ", lines[first - 1]):
        first -= 1
    above = [line.strip().removeprefix("# ") for line in lines[first : place.line - 1]]
    return " ".join([*above, lines[place.line - 1].partition("  # ")[2]])


def explanations(config: Config) -> dict[KeyPath, str]:
    text = uncommented(annotated_yaml(config))
    return {key: explanation(text.splitlines(), place) for key, place in Document(text).keys.items()}


@pytest.mark.parametrize("name", [entry.name for entry in list_configs()])
def test_every_key_is_there_with_its_value_in_lines_that_a_screen_has_room_for(name: str, tmp_path: Path) -> None:
    text, path = annotated_yaml(load_config(name)), tmp_path / "mine.yaml"
    path.write_text(uncommented(text), encoding="utf-8")

    assert load_config(str(path)) == load_config(name)
    assert list(Document(uncommented(text)).keys) == list(schema_fields())
    assert max(map(len, text.splitlines())) <= 120


def test_every_key_has_its_sentence_and_what_is_allowed() -> None:
    told = explanations(Config())

    for key, section in schema_fields().items():
        description = (schema_fields().get(key[:-1]) or Config).model_fields[key[-1]].description
        assert description, key
        assert " ".join(description.split()) in told[key]
        if not section:
            assert told[key] != " ".join(description.split())


def test_only_a_value_that_is_not_the_default_has_the_default_beside_it() -> None:
    config = load_config(None, ["training.lr=3e-4", "text.unit=word", "model.attention.score=dot", "data.limit=5"])
    told = explanations(config)

    assert {key: words.rpartition("default ")[2] for key, words in told.items() if "default " in words} == {
        ("training", "lr"): "0.001",
        ("text", "unit"): "bpe",
        ("model", "attention", "score"): "general",
        ("data", "limit"): "null",
    }


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("text.unit", "word, bpe or character"),
        ("text.src.language", "something like en or de"),
        ("data.swap", "true or false"),
        ("data.max_ratio", "above 1"),
        ("data.limit", "an integer, 1 or more, or null"),
        ("model.encoder.layers", "an integer, 1 to 4"),
        ("model.encoder.dropout", "0 to below 1"),
        ("training.teacher_forcing", "0 to 1"),
        ("training.augmentation.names", "0 to 1"),
        ("training.seed", "an integer, 0 to 4294967295"),
    ],
)
def test_what_is_allowed_is_told_in_words(key: str, words: str) -> None:
    *sections, name = key.split(".")
    section = schema_fields()[tuple(sections)]

    assert section is not None
    assert allowed(section.model_json_schema()["properties"][name]) == words
