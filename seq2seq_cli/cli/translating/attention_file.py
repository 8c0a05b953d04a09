"""The file of ``translate --attention FILE``."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from seq2seq_cli.errors import UsageError, one_line

if TYPE_CHECKING:
    from seq2seq_cli.decoding.translation import Translation

_ENDINGS = (".png", ".svg", ".pdf", ".json")
_MOST_TEXTS = 1000
"""Texts that are kept for a picture, so that memory does not grow with a stream: it never holds as many."""


@dataclass(kw_only=True)
class AttentionFile:
    """Collects translations and writes their attention, once or, as at the prompt, again and again."""

    path: Path
    title: str = ""
    dpi: int | None = None
    overwrite: bool = False
    """Whether it may replace a file that is there. Later it replaces its own."""
    _texts: "list[Sequence[Translation]]" = field(default_factory=list)

    def check(self) -> None:
        """Raise UsageError, before any work, unless the file can be written as it is asked for."""
        from seq2seq_cli.plots.output import check_output_path

        check_output_path(self.path, content="attention", endings=_ENDINGS, overwrite=self.overwrite)
        if self.title and self._ending == ".json":
            raise UsageError(f"--title: {self.path} has none: a picture has")
        if self.dpi is not None and self._ending != ".png":
            raise UsageError(f"--dpi: {self.path} has no dots: a .png has")

    def add(self, translations: "Sequence[Translation]") -> None:
        """Add the translations of a text, one per run."""
        if self._ending == ".json" or len(self._texts) < _MOST_TEXTS:
            self._texts.append(translations)

    def write(self, runs: Sequence[str]) -> None:
        """Write what was added since the last time, and say so on stderr; `runs` are the names of several."""
        from seq2seq_cli.plots.attention_files import save_attention
        from seq2seq_cli.plots.rendering import DPI

        rows = [row for text in self._texts for row in zip_longest(*(each.sentences for each in text))]
        self._texts.clear()
        dpi, overwrite = self.dpi or DPI, self.overwrite
        shown = save_attention(rows, self.path, runs=runs, title=self.title, dpi=dpi, overwrite=overwrite)
        if shown:
            self.overwrite = True
            some = f" of the first {shown} of {len(rows)} sentences" if shown < len(rows) else ""
            sys.stderr.write(f"s2s: attention{some} written to {one_line(str(self.path))}\n")

    @property
    def _ending(self) -> str:
        return self.path.suffix.lower()
