"""A few pairs of a split that show what a model does: always the same, short ones and long ones."""

from collections.abc import Sequence

EXAMPLES = 5


def choose_examples(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Pairs of all lengths: the split is cut into as many parts as examples, and the middle of each is taken."""
    by_length = sorted(pairs, key=lambda pair: (len(pair[0]), pair))
    count = min(EXAMPLES, len(pairs))
    return [by_length[(2 * part + 1) * len(pairs) // (2 * count)] for part in range(count)]
