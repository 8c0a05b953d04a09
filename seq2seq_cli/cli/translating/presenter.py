"""Translations as a command shows them."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from seq2seq_cli.cli.terminal.notices import tell
from seq2seq_cli.cli.translating.formats import View, render
from seq2seq_cli.cli.translating.output import Output
from seq2seq_cli.cli.translating.translators import Translators
from seq2seq_cli.cli.translating.warner import Warner
from seq2seq_cli.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from seq2seq_cli.cli.translating.attention_file import AttentionFile
    from seq2seq_cli.decoding.translation import Place, Translation


@dataclass(kw_only=True)
class Presenter:
    """Writes translations and their attention, and names the words that a model does not know."""

    translators: Translators
    output: Output
    view: View
    attention_file: "AttentionFile | None" = None
    _shown: int = 0
    _named: set[tuple[str, str]] = field(default_factory=set)
    _warner: Warner = field(default_factory=Warner)

    def show(
        self,
        translations: "Iterable[tuple[Translation, ...]]",
        place: "Place | None" = None,
        *,
        name_unknown: bool = False,
    ) -> None:
        """Write the translations of each text as soon as they are there, one per run; then the file of the attention.

        With `name_unknown`, the new unknown words are named on stderr. Warnings there name a text by its `place`. An
        InputError of the translations is raised when all this is done for those before it.
        """
        views = [replace(self.view, model=model) for model in self.translators.labels or ("",)]
        unknown: dict[tuple[str, str], None] = {}
        problem: InputError | None = None
        shown_before = self._shown
        try:
            for of_text in translations:
                self._shown += 1
                for view, translator, translation in zip(views, self.translators.members, of_text, strict=True):
                    self.output.write(render(self._shown, translation, view, self.output))
                    self._warner.look(self._shown, view.model, translator, translation)
                    if name_unknown:
                        unknown.update(dict.fromkeys((view.model, word) for word in translation.unknown))
                if self.attention_file:
                    self.attention_file.add(of_text)
        except InputError as error:
            problem = error
        self.output.flush()
        if self.attention_file and (problem is None or self._shown > shown_before):
            self.attention_file.write(self.translators)
        self._name(unknown)
        self._warner.tell(place)
        if problem:
            raise problem

    def _name(self, unknown: "Iterable[tuple[str, str]]") -> None:
        for model in self.translators.labels or ("",):
            words = [word for of_model, word in unknown if of_model == model and (model, word) not in self._named]
            if words:
                unknown_words = f"words that {model or 'the model'} does not know"
                tell(f"{unknown_words}: {' '.join(words)}")
        self._named.update(unknown)
