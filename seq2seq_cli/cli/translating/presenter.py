"""Translations as a command shows them: on stdout or in a file, with their attention, and with notices on stderr."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TextIO

from seq2seq_cli.cli.terminal import tell, warn
from seq2seq_cli.cli.translating.results import View, render
from seq2seq_cli.counts import counted
from seq2seq_cli.decoding.load import LoadedRun
from seq2seq_cli.decoding.problems import Check, problems
from seq2seq_cli.decoding.translation import Place, Translation, text_data
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.errors import InputError
from seq2seq_cli.files.output import check_output_path, write_output
from seq2seq_cli.pages.data import FilmData, TranslationsData

_PAGE = ".html"
_MOST_TEXTS = 1000
"""Texts that a page holds, about as many as a browser opens in a moment. A picture never holds as many."""


@dataclass(kw_only=True)
class Presenter:
    """Writes translations and their attention, and names the words that the model does not know."""

    run: LoadedRun
    name: str
    """The name of the run, or of all runs that translate together."""
    output: TextIO
    view: View
    drawing: "Drawing | None" = None
    _shown: int = 0
    _named: set[str] = field(default_factory=set)
    _told: set[Check] = field(default_factory=set)

    @property
    def translator(self) -> Translator:
        """The translator with what the owner of the run has corrected until now."""
        return self.run.translator

    def show(
        self, translations: Iterable[Translation], place: Place | None = None, *, name_unknown: bool = False
    ) -> None:
        """Write each translation as soon as it is there, then the drawing of the attention.

        With `name_unknown`, the new unknown words are named on stderr. Warnings there name a text by its `place`. An
        InputError of the translations is raised when all this is done for those before it.
        """
        unknown: dict[str, None] = {}
        problem: InputError | None = None
        try:
            for translation in translations:
                self._shown += 1
                self.output.write(render(translation, self.view, self.output))
                warn_once(self._told, place(self._shown) if place else "", self.translator, translation)
                if name_unknown:
                    unknown.update(dict.fromkeys(translation.unknown))
                if self.drawing:
                    self.drawing.add(translation)
        except InputError as error:
            problem = error
        self.output.flush()
        if self.drawing:
            self.drawing.write(self.name, self.translator)
        if new := [word for word in unknown if word not in self._named]:
            tell(f"words that the model does not know: {' '.join(new)}")
            self._named.update(new)
        if problem:
            raise problem


@dataclass(kw_only=True)
class Drawing:
    """The file of ``--draw``: collects translations, and writes their attention once, or again after each prompt.

    It is a picture or a page. Raises UsageError, before any work, unless it can be written.
    """

    path: Path
    overwrite: bool
    """Whether it may replace a file that is there. Later it replaces its own."""
    films: Sequence[FilmData] = ()
    """Of the run that translates, for a page."""
    _texts: list[Translation] = field(default_factory=list)
    _count: int = 0
    """All texts, those that are not kept included."""

    def __post_init__(self) -> None:
        endings = (".png", ".svg", ".pdf", _PAGE)
        check_output_path(self.path, content="attention", endings=endings, overwrite=self.overwrite)

    @property
    def is_page(self) -> bool:
        """Whether it shows the searches as well, so that they must be traced."""
        return self.path.suffix.lower() == _PAGE

    def add(self, translation: Translation) -> None:
        """Add a translation."""
        self._count += 1
        if len(self._texts) < _MOST_TEXTS:
            self._texts.append(translation)

    def write(self, name: str, translator: Translator) -> None:
        """Write what was added since the last time, and say so on stderr."""
        if not self._count:
            return
        worded, is_whole = [text for text in self._texts if text.sentences], len(self._texts) == self._count
        self._texts, self._count = [], 0
        if not worded:
            tell(f"no attention to draw: {self.path} is not written")
            return
        if self.is_page:
            self._write_page(worded, name, translator)
            shown = counted(len(worded), "text")
        else:
            from seq2seq_cli.plots.pictures import save_attention  # not above: few translations are drawn

            sentences = [sentence for text in worded for sentence in text.sentences]
            drawn = save_attention(sentences, self.path, overwrite=self.overwrite)
            shown, is_whole = counted(drawn, "sentence"), is_whole and drawn == len(sentences)
        self.overwrite = True
        tell(f"attention{'' if is_whole else f' of the first {shown}'} written to {self.path}")

    def _write_page(self, texts: Sequence[Translation], name: str, translator: Translator) -> None:
        from seq2seq_cli.pages.page import translations_page  # not above: few are shown on a page

        languages = translator.src_codec.config.language, translator.tgt_codec.config.language
        sentences = (tuple(each.with_steps(translator.steps(each)) for each in text.sentences) for text in texts)
        shown = [text_data(replace(text, sentences=each)) for text, each in zip(texts, sentences, strict=True)]
        title, films = f"s2s translate: {name}", list(self.films)
        data: TranslationsData = {"title": title, "languages": languages, "texts": shown, "films": films}
        write_output(self.path, translations_page(data), overwrite=self.overwrite)


def warn_once(told: set[Check], place: str, translator: Translator, translation: Translation) -> None:
    """Warn of the problems of a translation, at a place in the input, by the checks that have not `told` of one yet."""
    for check, problem in problems(translator, translation, told=told):
        told.add(check)
        warn(f"{place}: {problem}" if place else problem)
