"""The page of ``s2s evaluate``."""

from collections.abc import Sequence
from pathlib import Path

from seq2seq_cli.cli.evaluating.report import Table, figures
from seq2seq_cli.cli.terminal.notices import tell
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.evaluation.findings import Findings
from seq2seq_cli.evaluation.page_data import page_data
from seq2seq_cli.files.output import check_output_path, write_output
from seq2seq_cli.pages.data import TableData
from seq2seq_cli.pages.page import evaluation_page


def check_page_path(path: Path, *, overwrite: bool) -> None:
    """Raise UsageError, before any work, unless the page can be written to `path`."""
    check_output_path(path, content="the page", endings=(".html", ".htm"), overwrite=overwrite)


def write_page(path: Path, findings: Findings, translators: Sequence[Translator], *, overwrite: bool) -> None:
    """Write the page and say so on stderr; the translators are those of the first systems, in their order.

    Raises UsageError when the file cannot be written, or is there already.
    """
    blocks = [_table(block) if isinstance(block, Table) else block for block in figures(findings)]
    write_output(path, evaluation_page(page_data(findings, blocks, translators)), overwrite=overwrite)
    tell(f"page written to {path}")


def _table(table: Table) -> TableData:
    return {"titles": list(table.titles), "rows": [list(row) for row in table.rows], "numbers": table.numbers}
