"""The exercise of the lesson: its contract takes the right formula, and says what is wrong with another."""

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from torch import Tensor

from seq2seq_cli.model.attention.scores import Score

EXERCISE = runpy.run_path(str(Path(__file__).parents[3] / "examples" / "score_to_fill_in.py"))
problem_of: Callable[[type[Score]], str] = EXERCISE["problem_of"]
Left: Any = EXERCISE["CosineScore"]


def unit(vectors: Tensor) -> Tensor:
    length: Tensor = vectors.square().sum(dim=-1, keepdim=True).sqrt()
    return vectors / length


class Solved(Left):  # type: ignore[misc]  # of a file that is no module
    def keys(self, memory: Tensor) -> Tensor:
        return unit(memory)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        scores: Tensor = self.b * unit(query) @ keys.transpose(1, 2)
        return scores


class NotOfUnitLength(Solved):
    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        scores: Tensor = self.b * query @ keys.transpose(1, 2)
        return scores


class Turned(Solved):
    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        turned: Tensor = super().forward(query, keys).transpose(1, 2)
        return turned


class WithoutReturn(Solved):
    def forward(self, query: Tensor, keys: Tensor) -> Tensor:  # type: ignore[return]
        super().forward(query, keys)


class Constant(Solved):
    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        constant: Tensor = super().forward(query, keys).detach() + 0 * self.b
        return constant


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (Solved, ""),
        (Left, "keys: fill it in"),
        (NotOfUnitLength, "it should be"),
        (Turned, "it should be (B, T, S) = (2, 3, 5)"),
        (WithoutReturn, "forward gives nothing back"),
        (Constant, "no gradient reaches query"),
    ],
)
def test_the_contract_says_what_is_wrong(score: type[Score], words: str) -> None:
    problem = problem_of(score)
    assert words in problem
    assert bool(problem) == bool(words)
