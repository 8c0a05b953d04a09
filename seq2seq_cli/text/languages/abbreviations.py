"""The abbreviations of languages, and which write ordinals as numbers with a full stop."""

from functools import cache


def abbreviations_of(language: str) -> frozenset[str]:
    """The abbreviations of a language, in lower case, as abbreviations.txt explains them."""
    return _abbreviations().get(language, frozenset())


def has_ordinals(language: str) -> bool:
    """Whether a language writes ordinals as numbers with a full stop."""
    return "0" in abbreviations_of(language)


@cache
def _abbreviations() -> dict[str, frozenset[str]]:
    from importlib.resources import files  # only long lines need it

    table = files("seq2seq_cli.text.languages").joinpath("abbreviations.txt").read_text(encoding="utf-8")
    rows = (line.split() for line in table.splitlines() if not line.startswith("#"))
    return {language: frozenset(names) for language, *names in rows}
