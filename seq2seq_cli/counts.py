"""Numbers with their nouns, for messages and reports."""


def counted(number: int, noun: str) -> str:
    """Such as "1 pair" and "2,000 pairs"; the noun just adds an s."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
