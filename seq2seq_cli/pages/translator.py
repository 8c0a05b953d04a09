"""The page of a translator: a model and all that translating with it needs."""

import base64
import json
import re
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from seq2seq_cli.pages.data import TranslatorData, WeightsData
from seq2seq_cli.pages.page import page, read_file
from seq2seq_cli.shapes import Float

SCRIPTS = (
    "dom.js",
    "attention.js",
    "panes.js",
    *(
        f"translator/{name}.js"
        for name in (
            *("tensors", "kernel", "products", "recurrent", "operators", "graph", "engine", "progress", "beam"),
            *("characters", "conventions", "tokenizer", "codec", "markup", "passages", "restore", "translate"),
            *("weights", "translating"),
        )
    ),
)
"""The files of the page's scripts, in the order in which they run."""


def translator_page(
    languages: tuple[str, str], weights: Mapping[str, Float[np.ndarray, "..."]], model: Mapping[str, Any]
) -> bytes:
    """The content of the file, for the weights of a model and what `openTranslator` in weights.js reads of the rest.

    Raises ValueError for weights that 16 bits cannot hold.
    """
    content = json.dumps(model, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    data: TranslatorData = {
        "languages": languages,
        "weights": _halves(weights),
        "model": _packed(content.encode("utf-8", "surrogatepass")),
    }
    return page(f"{languages[0]} - {languages[1]}", SCRIPTS, data, has_kernel=True)


def known_operators() -> frozenset[str]:
    """The operators of ONNX that the page can compute."""
    table = read_file("translator/operators.js").partition("const OPERATORS = {")[2]
    return frozenset(re.findall(r"^  (\w+)[:,]", table, flags=re.MULTILINE)) | {"If"}


def _halves(weights: Mapping[str, Float[np.ndarray, "..."]]) -> WeightsData:
    with np.errstate(over="ignore"):
        numbers = np.concatenate([weight.ravel() for weight in weights.values()]).astype("<f2")
    if not np.isfinite(numbers).all():
        raise ValueError("a weight is too large for 16 bits")
    low, high = numbers.view(np.uint8).reshape(-1, 2).T
    shapes = {name: list(weight.shape) for name, weight in weights.items()}
    return {"shapes": shapes, "low": _packed(low.tobytes()), "high": _packed(high.tobytes())}


def _packed(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content, 9)).decode("ascii")
