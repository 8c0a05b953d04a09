"""A score to fill in, and the contract that it is checked by: python examples/score_to_fill_in.py.

The score is the cosine of query and memory state, times a learned number b, which makes the softmax sharp or flat:

    score(q, h) = b q · h / (|q| |h|)        Graves et al. 2014, "Neural Turing Machines", eq. 5 and 6

B batch, T target length, S source length, H size of q and of h.
"""

import sys

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from seq2seq_cli.model.attention.scores import Score, Sizes


class CosineScore(Score):
    """score(q, h) = b q · h / (|q| |h|); `DotScore` in seq2seq_cli/model/attention/scores.py is its relative."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__(sizes)
        self.b = nn.Parameter(torch.tensor([5.0]))

    def keys(self, memory: Float[Tensor, "B S H"]) -> Float[Tensor, "B S H"]:
        """h / |h|: what depends on the source alone is computed once per sentence."""
        raise NotImplementedError("keys: fill it in")

    def forward(self, query: Float[Tensor, "B T H"], keys: Float[Tensor, "B S H"]) -> Float[Tensor, "B T S"]:
        """b q / |q| · keys for every pair of a query and a memory state."""
        raise NotImplementedError("forward: fill it in")


def formula(q: np.ndarray, h: np.ndarray, b: float) -> float:
    """The score of one query and one memory state, as the paper writes it."""
    return float(b * (q @ h) / (np.sqrt(q @ q) * np.sqrt(h @ h)))


def problem_of(score_class: type[Score]) -> str:
    """What is wrong with a score; empty when it keeps the contract."""
    torch.manual_seed(1)
    B, T, S, H = 2, 3, 5, 4
    score = score_class(Sizes(query=H, memory=H, attention=H, max_length=S))
    query, memory = torch.randn(B, T, H, requires_grad=True), torch.randn(B, S, H, requires_grad=True)
    try:
        keys = score.keys(memory)
        found = None if keys is None else score(query, keys)
    except NotImplementedError as error:
        return str(error)
    if found is None:
        return f"{'keys' if keys is None else 'forward'} gives nothing back: its line begins with return"
    if found.shape != (B, T, S):
        return f"the scores have the shape {tuple(found.shape)}: it should be (B, T, S) = {(B, T, S)}"
    [b] = [parameter.item() for parameter in score.parameters()]
    for place in np.ndindex(B, T, S):
        row, step, position = place
        q, h = (side.detach().double().numpy() for side in (query[row, step], memory[row, position]))
        expected = formula(q, h, b)
        if abs(found[place].item() - expected) > 1e-5:
            given = f"b = {b:g}, q = {q}, h = {h}"
            return f"score(q, h) is {found[place].item():.4f} for {given}: it should be {expected:.4f}"
    steps = [score(query[:, step : step + 1], score.keys(memory)) for step in range(T)]
    if not torch.allclose(torch.cat(steps, dim=1), found, atol=1e-6):
        return "the scores of a query depend on the queries beside it: all at once and step by step should be the same"
    found.square().sum().backward()
    for name, tensor in {"query": query, "memory": memory, **dict(score.named_parameters())}.items():
        if tensor.grad is None or not tensor.grad.isfinite().all() or not tensor.grad.any():
            return f"no gradient reaches {name}: it would learn nothing"
    return ""


if __name__ == "__main__":
    problem = problem_of(CosineScore)
    print(problem or "The score keeps its contract: same numbers as the formula, step by step too, and it learns.")
    sys.exit(1 if problem else 0)
