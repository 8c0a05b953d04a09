"""Translations as a command shows them."""

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from seq2seq_cli.cli.translating.formats import View, render
from seq2seq_cli.cli.translating.output import Output
from seq2seq_cli.errors import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from seq2seq_cli.decoding.translation import Translation


@dataclass(kw_only=True)
class Presenter:
    """Writes translations, draws their attention, and names the words that the model does not know."""

    output: Output
    view: View
    picture: Path | None = None
    """The file for the attention, or the model of its name where there are several."""
    overwrite: bool = False
    """Whether these files may replace others. Those of the same presenter, as at the prompt, replace each other."""
    _shown: int = 0
    _named: set[str] = field(default_factory=set)

    def show(self, translations: "Iterable[Translation]", *, name_unknown: bool = False) -> None:
        """Write each translation as soon as it is there, then the pictures, and the new unknown words on stderr."""
        drawn: list[Translation] = []
        unknown: dict[str, None] = {}
        for translation in translations:
            self._shown += 1
            self.output.write(render(self._shown, translation, self.view, self.output))
            if self.picture is not None:
                drawn.append(translation)
            if name_unknown:
                unknown.update(dict.fromkeys(translation.unknown))
        self.output.flush()
        self._draw(drawn)
        self._name([word for word in unknown if word not in self._named])

    def _draw(self, translations: "list[Translation]") -> None:
        if self.picture is None:
            return
        from seq2seq_cli.plots.attention_files import save_attention

        sentences = [sentence for each in translations for sentence in each.sentences]
        for file in save_attention(sentences, self.picture, overwrite=self.overwrite):
            self.overwrite = True
            sys.stderr.write(f"s2s: attention written to {one_line(str(file))}\n")

    def _name(self, words: list[str]) -> None:
        if words:
            sys.stderr.write(f"s2s: not known: {one_line(' '.join(words))}\n")
            self._named.update(words)
