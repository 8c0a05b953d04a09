"""Guidance of the hypotheses that must have a prefix or terms.

R rows, C candidates, A tokens asked for per row, S source length with EOS.
"""

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.decoding.search.candidates import Candidates
from seq2seq_cli.decoding.search.pointer import Pointer
from seq2seq_cli.decoding.search.progress import Progress
from seq2seq_cli.shapes import Bool, Float, Int
from seq2seq_cli.text.vocabulary import PAD


def guided(progress: NDArray[np.object_]) -> dict[int, Progress]:
    """The progress of the hypotheses that have one, by their numbers; the others have None."""
    return {number: progress[number] for number in np.flatnonzero(progress).tolist()}


def is_complete(progress: NDArray[np.object_]) -> Bool[np.ndarray, " R"]:
    """Whether each hypothesis may end."""
    complete = np.ones(len(progress), dtype=np.bool_)
    for row, of_row in guided(progress).items():
        complete[row] = of_row.is_complete
    return complete


def asked_tokens(progress: NDArray[np.object_]) -> Int[np.ndarray, "R A"]:
    """The tokens that each row asks for; PAD where others ask for more."""
    tokens = {row: of_row.asked() for row, of_row in guided(progress).items()}
    asked = np.full((len(progress), max(map(len, tokens.values()), default=0)), PAD)
    for row, of_row in tokens.items():
        asked[row, : len(of_row)] = of_row
    return asked


def stages(progress: NDArray[np.object_]) -> Int[np.ndarray, " R"]:
    """Numbers that are the same for hypotheses of a source that have come equally far."""
    numbers = np.zeros(len(progress), dtype=np.int64)
    for number, of_one in guided(progress).items():
        numbers[number] = of_one.stage
    return numbers


def guide(
    candidates: Candidates,
    progress: NDArray[np.object_],
    asked: Int[np.ndarray, "R A"],
    log_probabilities: Float[np.ndarray, "R A"],
    weights: Float[np.ndarray, "R S"],
) -> Candidates:
    """The candidates that the progress of their rows allows, and the tokens that the rows ask for."""
    before = guided(progress)
    if not before:
        return candidates
    pointers = {
        row: _pointer(of_row, asked[row], log_probabilities[row], weights[row]) for row, of_row in before.items()
    }
    is_kept = np.ones(len(candidates.rows), dtype=np.bool_)
    is_free = np.zeros(asked.shape, dtype=np.bool_)
    for number in np.flatnonzero(np.isin(candidates.rows, list(before))).tolist():
        row, token = int(candidates.rows[number]), int(candidates.tokens[number])
        if before[row].takes_asked_only:
            is_kept[number] = False
        elif token in asked[row]:
            is_kept[number] = False
            is_free[row] |= asked[row] == token
        else:
            candidates.progress[number] = before[row].after(token, is_free=True, pointer=pointers[row])
    rows, columns = np.nonzero((asked != PAD) & np.isfinite(log_probabilities))
    wanted = Candidates(rows, asked[rows, columns], log_probabilities[rows, columns], progress[rows])
    for number, (row, token, free) in enumerate(
        zip(rows.tolist(), wanted.tokens.tolist(), is_free[rows, columns], strict=True)
    ):
        wanted.progress[number] = before[row].after(token, is_free=bool(free), pointer=pointers[row])
    kept = candidates.take(np.flatnonzero(is_kept))
    return Candidates(*(np.concatenate(fields) for fields in zip(kept, wanted, strict=True)))


def gains(progress: NDArray[np.object_]) -> Float[np.ndarray, " R"]:
    """The gain of each hypothesis by the attention on the source words of its terms: it counts in the ranking."""
    added = np.zeros(len(progress))
    for number, of_one in guided(progress).items():
        added[number] = of_one.gain
    return added


def _pointer(
    progress: Progress,
    asked: Int[np.ndarray, " A"],
    log_probabilities: Float[np.ndarray, " A"],
    weights: Float[np.ndarray, " S"],
) -> Pointer | None:
    """The pointer of a step to the terms of a row; None where their places in the source are not known."""
    positions = [term.positions for term in progress.constraints.terms]
    if not any(positions):
        return None
    return Pointer.of(weights, positions, dict(zip(asked.tolist(), log_probabilities.tolist(), strict=True)))
