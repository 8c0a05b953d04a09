"""The page of a translator: a model and all that translating with it needs."""

import base64
import json
import re
import zlib
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from seq2seq_cli.pages.page import VIEWS, page, read_file
from seq2seq_cli.shapes import Float, Int

_PARTS = (
    *("tensors", "products", "recurrent", "operators", "graph", "engine", "similar", "beam"),
    *("characters", "tokenizer", "codec", "keep", "sentences", "weights", "translate"),
)
SCRIPTS = (*VIEWS, "panes.js", *(f"translator/{part}.js" for part in _PARTS))
"""The files of the page's scripts, in the order in which they run."""

_STEPS = 6000
"""Steps in the root mean square of a weight. Of 8,000 translations of two runs of `quick`, 1 changed with 5800 steps, 3
with 4100 or 2900, 7 with binary16."""
_MOST_STEPS = 2**22
"""Steps in the largest number of a weight, at most: with the sign, it has three bytes."""


def translator_page(
    languages: tuple[str, str],
    weights: Mapping[str, Float[np.ndarray, "..."]],
    model: Mapping[str, Any],
    about: Mapping[str, Any],
) -> bytes:
    """The content of the file, for the weights of a model and what `openTranslator` in weights.js reads of the rest.

    `about` has the `names` of the languages, `lines` on the model, and an `example` to type.
    """
    content = json.dumps(model, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    packed = _packed(content.encode("utf-8", "surrogatepass"))
    data = {"languages": languages, "about": about, "weights": _weights(weights), "model": packed}
    title = " - ".join(about["names"])
    return page(title, SCRIPTS, data, start="translatorPage", allowed=" 'wasm-unsafe-eval'")


@cache
def known_operators() -> frozenset[str]:
    """The operators of ONNX that the page can compute."""
    table = read_file("translator/operators.js").partition("const OPERATORS = {")[2]
    return frozenset(re.findall(r"^  (\w+):", table, flags=re.MULTILINE))


def rounded(weight: Float[np.ndarray, "..."]) -> tuple[Int[np.ndarray, "..."], float]:
    """A weight in whole steps, as the page has it, and the step.

    Small and large numbers are rounded by as much: in the same room, the sums are more exact than with binary16, which
    spends it on small numbers.
    """
    size = float(np.sqrt(np.mean(np.square(weight, dtype=np.float64))))
    most = float(np.abs(weight).max(initial=0))
    # Of few digits, so that it is the same for a weight that was rounded before.
    step = float(f"{max(size / _STEPS, most / _MOST_STEPS):.1e}") or 1.0
    return np.rint(weight / np.float64(step)).astype(np.int64), step


def _weights(weights: Mapping[str, Float[np.ndarray, "..."]]) -> dict[str, Any]:
    """Their shapes by name, the step of each, and the lowest, the middle and the upper bytes of all numbers in steps.

    Apart from the others, the upper bytes take less room: they repeat more often.
    """
    shapes = {name: list(weight.shape) for name, weight in weights.items()}
    in_steps, steps = zip(*map(rounded, weights.values()), strict=True)
    numbers = np.concatenate([each.ravel() for each in in_steps])
    # The sign last, so that the upper bytes of small numbers are 0, whatever their sign.
    codes = np.where(numbers < 0, -2 * numbers - 1, 2 * numbers).astype("<u4")
    low, middle, high, _ = codes.view(np.uint8).reshape(-1, 4).T
    planes = [_packed(plane.tobytes()) for plane in (low, middle, high)]
    return {"shapes": shapes, "steps": list(steps), "planes": planes}


def _packed(content: bytes) -> str:
    """Deflated, in base 64."""
    return base64.b64encode(zlib.compress(content, 9)).decode("ascii")
