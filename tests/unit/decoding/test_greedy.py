"""Greedy search on transition matrices drawn by hand."""

from dataclasses import dataclass
from math import log
from typing import Self

import pytest
import torch
from torch import Tensor

from seq2seq_cli.decoding.greedy import Hypothesis, greedy_search, most_probable
from seq2seq_cli.text.vocabulary import BOS, EOS, PAD, UNK

A, B, C = 4, 5, 6
SIZE = 7


def matrix(**rows: dict[int, float]) -> Tensor:
    """Transition probabilities; those that are not named are 0."""
    probabilities = torch.zeros(SIZE, SIZE, dtype=torch.float64)
    for name, row in rows.items():
        for token, probability in row.items():
            probabilities[{"bos": BOS, "unk": UNK, "a": A, "b": B, "c": C}[name], token] = probability
    return probabilities


# After the start: a (0.6), b (0.4). Greedy search finds a b <eos>, although b <eos> is more probable.
SHORT = matrix(bos={A: 0.6, B: 0.4}, a={B: 0.5, EOS: 0.3, C: 0.2}, b={EOS: 0.9, A: 0.1})
IMMEDIATE = matrix(bos={EOS: 0.8, A: 0.2})
ENDLESS = matrix(bos={C: 1.0}, c={C: 0.75, EOS: 0.25})


@dataclass
class Tables:
    """The state of the search: the matrix and the number of each sentence."""

    transitions: Tensor
    numbers: Tensor

    def select(self, rows: Tensor) -> Self:
        return type(self)(self.transitions[rows], self.numbers[rows])


def step(tokens: Tensor, state: Tables) -> tuple[Tensor, Tables, Tensor]:
    logits = state.transitions[torch.arange(len(tokens)), tokens].log()
    # In place of attention weights: the number of the sentence and the previous token.
    return logits, state, torch.stack([state.numbers.double(), tokens.double()], dim=1)


def search(matrices: list[Tensor], limits: list[int]) -> list[Hypothesis]:
    state = Tables(torch.stack(matrices), torch.arange(len(matrices)))
    return greedy_search(step, state, torch.tensor(limits))


def test_it_takes_the_most_probable_token_at_every_step() -> None:
    [found] = search([SHORT], [10])
    assert found.ids == [A, B, EOS]
    assert found.log_probability == pytest.approx(log(0.6) + log(0.5) + log(0.9), abs=1e-12)


def test_it_stops_at_the_maximum_length_of_each_row() -> None:
    found = search([ENDLESS, SHORT, ENDLESS, SHORT], [4, 2, 1, 10])
    assert [hypothesis.ids for hypothesis in found] == [[C, C, C, C], [A, B], [C], [A, B, EOS]]
    assert found[0].log_probability == pytest.approx(3 * log(0.75), abs=1e-12)


def test_rows_end_independently_and_keep_their_weights() -> None:
    found = search([SHORT, IMMEDIATE, ENDLESS, IMMEDIATE, SHORT], [9, 9, 5, 9, 9])
    assert [h.ids for h in found] == [[A, B, EOS], [EOS], [C] * 5, [EOS], [A, B, EOS]]
    assert [torch.stack(h.weights).tolist() for h in found] == [
        [[0, BOS], [0, A], [0, B]],
        [[1, BOS]],
        [[2, BOS]] + [[2, C]] * 4,
        [[3, BOS]],
        [[4, BOS], [4, A], [4, B]],
    ]


def test_a_batch_has_the_hypotheses_of_each_sentence_alone() -> None:
    matrices, limits = [SHORT, ENDLESS, IMMEDIATE], [3, 6, 2]
    alone = [search([matrix], [limit])[0] for matrix, limit in zip(matrices, limits, strict=True)]
    together = search(matrices, limits)
    assert [h.ids for h in together] == [h.ids for h in alone]
    assert [h.log_probability for h in together] == [h.log_probability for h in alone]


def test_finished_rows_are_no_longer_computed() -> None:
    sizes = []

    def counting(tokens: Tensor, state: Tables) -> tuple[Tensor, Tables, Tensor]:
        sizes.append(len(tokens))
        return step(tokens, state)

    state = Tables(torch.stack([SHORT, IMMEDIATE, ENDLESS]), torch.arange(3))
    greedy_search(counting, state, torch.tensor([9, 9, 5]))
    assert sizes == [3, 2, 2, 1, 1]


def test_an_empty_batch_needs_no_step() -> None:
    assert greedy_search(step, Tables(torch.zeros(0, SIZE, SIZE), torch.arange(0)), torch.arange(0)) == []


def test_pad_and_bos_are_never_chosen_but_unk_may_be() -> None:
    logits = torch.zeros(2, SIZE)
    logits[:, [PAD, BOS]] = 9.0
    logits[0, B], logits[1, UNK] = 1.0, 1.0
    tokens, log_probabilities = most_probable(logits)
    assert tokens.tolist() == [B, UNK]
    torch.testing.assert_close(log_probabilities, logits.log_softmax(dim=1)[[0, 1], [B, UNK]])
