"""The exercise of the lesson: its contract takes the right formula, and says what is wrong with another."""

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from torch import Tensor

EXERCISE = runpy.run_path(str(Path(__file__).parents[3] / "examples" / "score_to_fill_in.py"))
problem_of: Callable[[Any], str] = EXERCISE["problem_of"]
Left: Any = EXERCISE["CosineScore"]


def unit(vectors: Tensor) -> Tensor:
    length: Tensor = vectors.square().sum(dim=-1, keepdim=True).sqrt()
    return vectors / length


def cosine(score: Any, query: Tensor, keys: Tensor) -> Any:
    return score.b * unit(query) @ keys.transpose(1, 2)


FORWARDS: dict[str, tuple[Callable[..., Any], str]] = {
    "right": (cosine, ""),
    "not of unit length": (lambda score, query, keys: score.b * query @ keys.transpose(1, 2), "it should be"),
    "turned": (lambda *given: cosine(*given).transpose(1, 2), "it should be (B, T, S) = (2, 3, 5)"),
    "without return": (lambda *_: None, "forward gives nothing back"),
    "constant": (lambda score, *given: cosine(score, *given).detach() + 0 * score.b, "no gradient reaches query"),
}


@pytest.mark.parametrize("name", FORWARDS)
def test_the_contract_says_what_is_wrong(name: str) -> None:
    forward, words = FORWARDS[name]
    problem = problem_of(type("Filled", (Left,), {"keys": lambda _, memory: unit(memory), "forward": forward}))
    assert words in problem
    assert bool(problem) == bool(words)


def test_what_is_not_filled_in_is_told() -> None:
    assert problem_of(Left) == "keys: fill it in"
