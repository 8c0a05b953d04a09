"""The file of ``translate --attention FILE``: a picture, a page, or the numbers themselves."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from seq2seq_cli.cli.terminal.notices import tell
from seq2seq_cli.cli.translating.translators import Translators
from seq2seq_cli.counts import counted
from seq2seq_cli.errors import UsageError

if TYPE_CHECKING:
    from seq2seq_cli.decoding.translation import Translation
    from seq2seq_cli.pages.data import RunData

_NUMBERS = ".json"
_PAGE = ".html"
_ENDINGS = (".png", ".svg", ".pdf", _PAGE, _NUMBERS)
_MOST_TEXTS = 1000
"""Texts that a page holds, about as many as a browser opens in a moment. A picture never holds as many."""


@dataclass(kw_only=True)
class AttentionFile:
    """Collects translations and writes their attention, once or, as at the prompt, again and again."""

    path: Path
    title: str = ""
    overwrite: bool = False
    """Whether it may replace a file that is there. Later it replaces its own."""
    _texts: "list[Sequence[Translation]]" = field(default_factory=list)
    _count: int = 0
    """All texts, those that are not kept included."""

    def check(self) -> None:
        """Raise UsageError, before any work, unless the file can be written as it is asked for."""
        from seq2seq_cli.files.output import check_output_path

        check_output_path(self.path, content="attention", endings=_ENDINGS, overwrite=self.overwrite)
        if self.title and self._ending == _NUMBERS:
            raise UsageError(f"--title: {self.path} has none: a picture or a page has")

    @property
    def is_page(self) -> bool:
        """Whether it shows the searches as well, so that they must be traced."""
        return self._ending == _PAGE

    @property
    def _ending(self) -> str:
        return self.path.suffix.lower()

    def add(self, translations: "Sequence[Translation]") -> None:
        """Add the translations of a text, one per run."""
        self._count += 1
        if self._ending == _NUMBERS or len(self._texts) < _MOST_TEXTS:
            self._texts.append(translations)

    def write(self, translators: Translators) -> None:
        """Write what was added since the last time, and say so on stderr."""
        texts, is_whole = self._texts, len(self._texts) == self._count
        self._texts, self._count = [], 0
        if self.is_page:
            drawn = self._write_page(texts, translators)
            shown = counted(drawn, "text")
        else:
            drawn, count = self._write_sentences(texts, translators.labels)
            shown, is_whole = counted(drawn, "sentence"), is_whole and drawn == count
        if not drawn and self._ending != _NUMBERS:
            tell(f"no attention to draw: {self.path} is not written")
            return
        self.overwrite = True
        some = "" if is_whole else f" of the first {shown}"
        tell(f"attention{some} written to {self.path}")

    def _write_page(self, texts: "Iterable[Sequence[Translation]]", translators: Translators) -> int:
        """Write the page, unless no text has words; returns the number of those that do."""
        from seq2seq_cli.decoding.translation_data import text_data
        from seq2seq_cli.files.output import write_output
        from seq2seq_cli.pages.page import translations_page

        if not (worded := [text for text in texts if any(each.sentences for each in text)]):
            return 0
        names = ", ".join(translators.names)
        runs: list[RunData] = [
            {"name": name, "languages": (each.src_codec.config.language, each.tgt_codec.config.language)}
            for name, each in zip(translators.names, translators.members, strict=True)
        ]
        title = self.title or f"s2s translate: {names}"
        content = translations_page({"title": title, "runs": runs, "texts": list(map(text_data, worded))})
        write_output(self.path, content, overwrite=self.overwrite)
        return len(worded)

    def _write_sentences(self, texts: "Iterable[Sequence[Translation]]", runs: Sequence[str]) -> tuple[int, int]:
        """Write a picture or the numbers; returns the number of sentences that it shows, and of those there are."""
        from seq2seq_cli.plots.pictures import save_attention

        rows = [row for text in texts for row in zip_longest(*(each.sentences for each in text))]
        return save_attention(rows, self.path, runs=runs, title=self.title, overwrite=self.overwrite), len(rows)
