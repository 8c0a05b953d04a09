"""The page of a server: it sends each text to the server and shows the translation and its attention."""

from seq2seq_cli.pages.data import ServedData
from seq2seq_cli.pages.page import page


def served_page(data: ServedData) -> bytes:
    """The content of the page, which may ask the server that it came from, and nobody else."""
    scripts = ("dom.js", "attention.js", "panes.js", "served.js")
    return page("s2s", scripts, data, asks_server=True)
