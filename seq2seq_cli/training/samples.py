"""The sample pairs of a split, on which a report and TensorBoard show what a model does."""

from collections.abc import Sequence

MAX_SAMPLES = 5


def choose_samples(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Pairs of all lengths, always the same: the middle one of each fifth of the split, by length of the source."""
    by_length = sorted(pairs, key=lambda pair: (len(pair[0]), pair))
    count = min(MAX_SAMPLES, len(pairs))
    return [by_length[(2 * part + 1) * len(pairs) // (2 * count)] for part in range(count)]
