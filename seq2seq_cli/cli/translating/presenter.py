"""Translations as a command shows them: on stdout or in a file, with their attention, and with notices on stderr."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path

from seq2seq_cli.cli.terminal import tell
from seq2seq_cli.cli.translating.results import Output, View, render
from seq2seq_cli.cli.translating.warner import Warner
from seq2seq_cli.counts import counted
from seq2seq_cli.decoding.translation import Place, Translation, text_data
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.errors import InputError
from seq2seq_cli.files.output import check_output_path, write_output

_PAGE = ".html"
ATTENTION_FILES = (".png", ".svg", ".pdf", _PAGE)
"""The endings of the files of attention."""
_MOST_TEXTS = 1000
"""Texts that a page holds, about as many as a browser opens in a moment. A picture never holds as many."""


@dataclass(frozen=True, kw_only=True)
class Translators:
    """The translator of a command, or several that are compared: each translates every text by itself."""

    members: tuple[Translator, ...]
    names: tuple[str, ...]
    """The names of their runs; several runs that translate together have one."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The names where they are needed to tell the translations of several runs apart."""
        return self.names if len(self.names) > 1 else ()

    @property
    def have_attention(self) -> bool:
        """Whether any of them has."""
        return any(member.engine.has_attention for member in self.members)

    def changed(self, change: Callable[[Translator], Translator]) -> "Translators":
        """The same with each of them changed; where there are several, an InputError names the run that raised it."""
        members = []
        for name, member in zip(self.names, self.members, strict=True):
            try:
                members.append(change(member))
            except InputError as error:
                if not self.labels:
                    raise
                raise type(error)(*(f"{name}: {problem}" for problem in error.lines())) from None
        return replace(self, members=tuple(members))

    def translate_stream(self, texts: Collection[str]) -> Iterator[tuple[Translation, ...]]:
        """The translations of each text, one per translator; see `Translator.translate_stream`."""
        return zip(*(member.translate_stream(texts) for member in self.members), strict=True)


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
        translations: Iterable[tuple[Translation, ...]],
        place: Place | None = None,
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
                    self.output.write(render(translation, view, self.output))
                    self._warner.look(place(self._shown) if place else "", view.model, translator, translation)
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
        if problem:
            raise problem

    def _name(self, unknown: Iterable[tuple[str, str]]) -> None:
        for model in self.translators.labels or ("",):
            words = [word for of_model, word in unknown if of_model == model and (model, word) not in self._named]
            if words:
                tell(f"words that {model or 'the model'} does not know: {' '.join(words)}")
        self._named.update(unknown)


@dataclass(kw_only=True)
class AttentionFile:
    """The file of ``--attention FILE``: collects translations, and writes their attention once or again and again.

    It is a picture or a page. Raises UsageError, before any work, unless it can be written.
    """

    path: Path
    overwrite: bool = False
    """Whether it may replace a file that is there. Later it replaces its own."""
    _texts: list[Sequence[Translation]] = field(default_factory=list)
    _count: int = 0
    """All texts, those that are not kept included."""

    def __post_init__(self) -> None:
        check_output_path(self.path, content="attention", endings=ATTENTION_FILES, overwrite=self.overwrite)

    @property
    def is_page(self) -> bool:
        """Whether it shows the searches as well, so that they must be traced."""
        return self.path.suffix.lower() == _PAGE

    def add(self, translations: Sequence[Translation]) -> None:
        """Add the translations of a text, one per run."""
        self._count += 1
        if len(self._texts) < _MOST_TEXTS:
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
        if not drawn:
            tell(f"no attention to draw: {self.path} is not written")
            return
        self.overwrite = True
        some = "" if is_whole else f" of the first {shown}"
        tell(f"attention{some} written to {self.path}")

    def _write_page(self, texts: Iterable[Sequence[Translation]], translators: Translators) -> int:
        """Write the page, unless no text has words; returns the number of those that do."""
        from seq2seq_cli.pages.page import translations_page  # not above: few are shown on a page

        if not (worded := [text for text in texts if any(each.sentences for each in text)]):
            return 0
        content = translations_page(
            {
                "title": f"s2s translate: {', '.join(translators.names)}",
                "runs": [
                    {"name": name, "languages": (each.src_codec.config.language, each.tgt_codec.config.language)}
                    for name, each in zip(translators.names, translators.members, strict=True)
                ],
                "texts": list(map(text_data, worded)),
            }
        )
        write_output(self.path, content, overwrite=self.overwrite)
        return len(worded)

    def _write_sentences(self, texts: Iterable[Sequence[Translation]], runs: Sequence[str]) -> tuple[int, int]:
        """Write a picture; returns the number of sentences that it shows, and of those there are."""
        from seq2seq_cli.plots.pictures import save_attention  # not above: few translations are drawn

        rows = [row for text in texts for row in zip_longest(*(each.sentences for each in text))]
        return save_attention(rows, self.path, runs=runs, overwrite=self.overwrite), len(rows)
