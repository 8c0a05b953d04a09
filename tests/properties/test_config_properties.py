"""Configs and scalars come back from YAML as they went in."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from seq2seq_cli.config.keys import values_by_key
from seq2seq_cli.config.loader import annotated_yaml, dump_config, load_config
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.config.schema.text import DataConfig
from seq2seq_cli.config.yaml12 import Document, write_yaml

# No control characters, no line separators, no halves of surrogate pairs: none of them belongs in a config.
WRITABLE = st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"])
SCHEMA = Config.model_json_schema()


def values_of(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Draw values that a JSON schema allows, so that a new key of the config is drawn without a line here."""
    if "$ref" in schema:
        return values_of(SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]])
    if "anyOf" in schema:
        return st.one_of([values_of(choice) for choice in schema["anyOf"]])
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema["type"]:
        case "object":
            return st.fixed_dictionaries({}, optional={k: values_of(v) for k, v in schema["properties"].items()})
        case "integer":
            low, high = schema.get("minimum"), schema.get("maximum", schema.get("exclusiveMaximum", 2**31) - 1)
            return st.integers(low, high)
        case "number":
            return st.floats(
                schema.get("minimum", schema.get("exclusiveMinimum")),
                schema.get("maximum", schema.get("exclusiveMaximum")),
                exclude_min="exclusiveMinimum" in schema,
                exclude_max="exclusiveMaximum" in schema,
                allow_nan=False,
                allow_infinity=False,
            )
        case "string":
            if "pattern" in schema:
                return st.from_regex(schema["pattern"], fullmatch=True)
            return st.text(WRITABLE, min_size=schema.get("minLength", 0), max_size=schema.get("maxLength"))
    return {"boolean": st.booleans(), "null": st.none()}[schema["type"]]


@st.composite
def configs(draw: st.DrawFn) -> Config:
    values = draw(values_of(SCHEMA))
    # A JSON schema cannot say which mechanisms go together: each key is drawn beside the defaults of all others.
    model = values.pop("model", {})
    keys = [(section, key) for section, keys in model.items() if isinstance(keys, dict) for key in keys]
    if keys:
        section, key = draw(st.sampled_from(keys))
        values["model"] = {"bridge": "linear", section: {key: model[section][key]}}
    try:
        return Config.model_validate(values)
    except ValidationError as error:
        assume({problem["type"] for problem in error.errors()} != {"value_error"})
        raise


@settings(max_examples=40)
@given(configs())
def test_a_config_survives_its_yaml(config: Config) -> None:
    read = Document(dump_config(config))

    assert read.faults == []
    assert Config.model_validate(read.value) == config


@settings(max_examples=40)
@given(configs())
@example(Config(data=DataConfig(columns="\xa0")))
def test_a_config_survives_its_explanation_and_states_no_more_of_data_and_text(config: Config) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "whole.yaml")
        path.write_text(annotated_yaml(config), encoding="utf-8")
        again = load_config(str(path))

    assert again == config
    stated, stated_again = (dict(values_by_key(whole, stated_only=True)) for whole in (config, again))
    assert [key for key in stated_again if key.startswith(("data.", "text."))] == [
        key for key in stated if key.startswith(("data.", "text."))
    ]


@given(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)  # which are words in a config
    | st.text(WRITABLE)
    | st.from_regex(r"[-+.0-9eE:_xobnyf~]{1,8}", fullmatch=True)
)
def test_a_scalar_survives_its_yaml(value: object) -> None:
    read = Document(write_yaml({"key": value}))

    assert read.value == {"key": value}
    assert type(read.value["key"]) is type(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_as_python_writes_it_is_that_number(number: float) -> None:
    assert Document(repr(number)).value == number


@given(st.text())
def test_no_text_makes_the_reader_fail(text: str) -> None:
    read = Document(text)

    assert all(place.line >= 1 and place.column >= 1 for place, _, _ in read.faults)
