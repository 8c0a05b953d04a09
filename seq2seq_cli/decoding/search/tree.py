"""The tree of a search: the tokens that were considered after each hypothesis, and what became of them.

N sources, R rows, k proposals per row, K rows of the next step.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from seq2seq_cli.decoding.engine import Proposals
from seq2seq_cli.decoding.search.rows import Candidates
from seq2seq_cli.shapes import Bool, Int

ALTERNATIVES = 5
"""The best next tokens of a hypothesis that are in the tree, whether the search goes on with them or not."""

Fate: TypeAlias = Literal["kept", "finished", "pruned", "banned"]
"""kept: the hypothesis went on. finished: it is a translation. pruned: others filled the beam, it was too far below the
best (``decoding.prune``), or it could not become one of the best any more. banned: the rules for translations forbid
the token."""


class Node(NamedTuple):
    """A hypothesis, as one token more than another one."""

    parent: int
    """The number of the node that it continues; -1: the beginning."""
    token: int
    log_probability: float
    """Of the token."""
    fate: Fate
    score: float | None = None
    """The score of a finished one, with the penalties for length and coverage."""


Tree: TypeAlias = list[Node]
"""The hypotheses of one source, each after the one that it continues."""


def find_node(tree: Tree, ids: Sequence[int]) -> int:
    """The number of a node that ends with these tokens, a finished one if there is any; -1 for none.

    Hypotheses that were pruned do not count. Samples may begin alike, each with nodes of its own.
    """
    before: list[tuple[int, ...]] = []
    for node in tree:
        before.append((*(before[node.parent] if node.parent >= 0 else ()), node.token))
    ends = [i for i, node in enumerate(tree) if before[i] == tuple(ids) and node.fate in {"kept", "finished"}]
    return max(ends, key=lambda i: tree[i].fate == "finished", default=-1)


class Trace:
    """Records the trees of the sources of a search."""

    def __init__(self, sources: int) -> None:
        self.trees: list[Tree] = [[] for _ in range(sources)]
        self._of_rows: list[int] = []
        """The number of the node of each row among the nodes of its source; none before the first step."""

    def add(
        self,
        sources: Int[np.ndarray, " R"],
        proposals: Proposals,
        allowed: Bool[np.ndarray, "R k"],
        chosen: Candidates,
        scores: Mapping[int, float],
        kept: Int[np.ndarray, " K"],
    ) -> None:
        """Add a step: the candidates that were chosen, the scores of those that are finished, those that go on."""
        of_rows = list(zip(sources.tolist(), self._of_rows or [-1] * len(sources), strict=True))
        going_on, numbers = set(kept.tolist()), {}
        taken = list(zip(*(field.tolist() for field in chosen[:3]), strict=True))
        for candidate, (row, token, log_probability) in enumerate(taken):
            fate: Fate = "finished" if candidate in scores else "kept" if candidate in going_on else "pruned"
            source, parent = of_rows[row]
            numbers[candidate] = len(self.trees[source])
            self.trees[source].append(Node(parent, token, log_probability, fate, scores.get(candidate)))
        is_taken = {(row, token) for row, token, _ in taken}
        columns = (field[:, :ALTERNATIVES].tolist() for field in (*proposals[:2], allowed))
        for row, best in enumerate(zip(*columns, strict=True)):
            source, parent = of_rows[row]
            for token, log_probability, is_allowed in zip(*best, strict=True):
                if (row, token) not in is_taken and np.isfinite(log_probability):
                    fate = "pruned" if is_allowed else "banned"
                    self.trees[source].append(Node(parent, token, log_probability, fate))
        self._of_rows = [numbers[candidate] for candidate in kept.tolist()]
