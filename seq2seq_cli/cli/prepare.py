"""``s2s prepare``."""


def prepare() -> None:
    """Come soon."""
