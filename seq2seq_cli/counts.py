"""Numbers with their nouns, for messages and reports."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """Such as "1 pair" and "2,000 pairs"; `plural` is for a noun that does not just add an s."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
