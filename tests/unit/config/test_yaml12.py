"""The values of a text in YAML 1.2, and the place of each key and value."""

import pytest

from seq2seq_cli.config.yaml12 import Document, write_yaml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 1e-3),
        ("1E5", 1e5),
        (".5", 0.5),
        ("-.5e1", -5.0),
        ("1.", 1.0),
        ("+12.25", 12.25),
        (".inf", ".inf"),
        ("12", 12),
        ("+12", 12),
        ("-7", -7),
        ("007", 7),
        ("0o17", "0o17"),
        ("0x1F", "0x1F"),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("no", "no"),
        ("Yes", "Yes"),
        ("on", "on"),
        ("off", "off"),
        ("y", "y"),
        ("1:30", "1:30"),
        ("2024-01-01", "2024-01-01"),
        ("1_000", "1_000"),
        ("0b11", "0b11"),
        ("e3", "e3"),
        (".", "."),
        ("'1e-3'", "1e-3"),
        ('"true"', "true"),
        ("größe", "größe"),
    ],
)
def test_plain_scalars_have_the_types_of_the_core_schema(text: str, value: object) -> None:
    read = Document(text)

    assert read.faults == []
    assert read.value == value
    assert type(read.value) is type(value)


def test_every_key_and_value_has_its_place() -> None:
    read = Document("# first\ntraining:\n  lr:   1e-3\ntext: {src: {language: de}}\n")

    assert {key: place[1:3] for key, place in read.keys.items()} == {
        ("training",): (2, 1),
        ("training", "lr"): (3, 3),
        ("text",): (4, 1),
        ("text", "src"): (4, 8),
        ("text", "src", "language"): (4, 14),
    }
    assert read.values[("training", "lr")][1:3] == (3, 9)
    assert read.values[("text", "src", "language")][1:3] == (4, 24)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("a: 1\nb: 2\na: 3", (3, 1), "duplicate key, first on line 1"),
        ("a: b: c", (1, 5), "mapping values are not allowed here; check each ':' and the indentation"),
        ("a:\n\tb: 1", (2, 1), "character '\\t' that cannot start any token; check each ':' and the indentation"),
        ("a:\n  b: 1\n c: 2", (3, 2), "but found '<block mapping start>'; check each ':' and the indentation"),
        ("a: [1, 2", (1, 9), "expected ',' or ']', but got '<stream end>'; check each ':' and the indentation"),
        ("a: 1\n---\nb: 2", (2, 1), "expected a single document in the stream, but found another document"),
        ("a: &x 1\nb: *x", (2, 4), "an alias ('*' or '<<') has no place in a config; write the value out"),
        ("a: 1\nb: \x07", (2, 4), "not YAML: the control character '\\x07' is not allowed"),
        ("[a]: 1", (1, 1), "a key must be a word"),
        ("a: !!python/name:os.system x", (1, 4), "a tag ('!') has no place in a config; write the value out"),
        ("a: !!int 10", (1, 4), "a tag ('!') has no place in a config; write the value out"),
        (f"a: {'9' * 5000}", (1, 4), "cannot be read as a value"),  # more digits than Python reads
        ('a: "\\UFFFFFFFF"', (1, 1), "not YAML: the number in an escape or in %YAML is too large"),
        (f"%YAML {'1' * 5000}.1", (1, 1), "not YAML: the number in an escape or in %YAML is too large"),
        ("[" * 10_000, (1, 1), "not a config: nested too deeply"),
    ],
)
def test_a_fault_is_named_where_it_stands(text: str, place: tuple[int, int], message: str) -> None:
    [(found, _, told)] = Document(text, "my.yaml").faults

    assert found == (0, *place, f"my.yaml:{place[0]}:{place[1]}")
    assert told.endswith(message)


def test_written_words_are_words_to_readers_of_both_versions() -> None:
    # Unquoted, "no" would be false in YAML 1.1, and "1e3" a number in YAML 1.2.
    assert write_yaml({"a": "no", "b": "1e3", "c": "de", "d": 1e-05}) == "a: 'no'\nb: '1e3'\nc: de\nd: 1.0e-05\n"
