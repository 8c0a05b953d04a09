"""The page of translations: their attention, their probabilities, and their searches."""

from seq2seq_cli.pages.data import TranslationsData
from seq2seq_cli.pages.page import page


def translations_page(data: TranslationsData) -> bytes:
    """The content of the file."""
    return page(data["title"] or "s2s", ("dom.js", "attention.js", "search.js", "translations.js"), data)
