"""``s2s train``."""


def train() -> None:
    """Come soon."""
