"""The page of an evaluation."""

from seq2seq_cli.pages.data import EvaluationData
from seq2seq_cli.pages.page import page


def evaluation_page(data: EvaluationData) -> bytes:
    """The content of the file."""
    return page(data["title"], ("dom.js", "attention.js", "search.js", "evaluation.js"), data)
