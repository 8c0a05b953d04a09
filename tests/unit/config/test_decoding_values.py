"""The rules for decoding values that need no pydantic agree with the schema."""

import math
from contextlib import nullcontext
from typing import get_args

import pytest
from pydantic import ValidationError

from seq2seq_cli.config.choices import DecodingPrecision, EngineName
from seq2seq_cli.config.decoding_values import are_decoding_values
from seq2seq_cli.config.schema.decoding import DecodingConfig

VALUES: list[object] = [
    *(None, True, False, "x", "auto", "none", "gnmt", "torch", "int8", [], {}),
    *(-1, 0, 1, 2, 5, 6, 100, 101, 1000, 1001, 10_000, 10_001, 2**31 - 1, 2**31, 2**32 - 1, 2**32),
    *(-0.5, 0.0, 1e-9, 0.5, 1.0, 100.0, 100.5, 1e300, math.inf, math.nan),
]


@pytest.mark.parametrize("sampling", [False, True])
@pytest.mark.parametrize("key", DecodingConfig.model_fields)
def test_values_are_judged_as_by_the_schema(key: str, sampling: bool) -> None:
    for value in VALUES:
        values = DecodingConfig(sampling=sampling).model_dump() | {key: value}
        try:
            DecodingConfig.model_validate(values)
            is_valid = True
        except ValidationError:
            is_valid = False
        assert are_decoding_values(values) == is_valid, value


@pytest.mark.parametrize("engine", get_args(EngineName))
@pytest.mark.parametrize("precision", get_args(DecodingPrecision))
def test_torch_translates_in_one_precision(engine: str, precision: str) -> None:
    values = DecodingConfig().model_dump() | {"engine": engine, "precision": precision}
    is_legal = (engine, precision) != ("torch", "int8")
    assert are_decoding_values(values) == is_legal
    with nullcontext() if is_legal else pytest.raises(ValidationError, match="onnx or auto"):
        DecodingConfig.model_validate(values)


def test_other_keys_are_no_values() -> None:
    values = DecodingConfig().model_dump()
    assert not are_decoding_values(values | {"more": 1})
    assert not are_decoding_values({key: value for key, value in values.items() if key != "seed"})
    assert not are_decoding_values([])
