"""Translations as a command shows them: as text or JSON, on stdout or in a file, with attention and with notices."""

import contextlib
import io
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TextIO

from seq2seq_cli.cli.terminal import for_terminal, is_utf8, json_line, tell, warn
from seq2seq_cli.counts import counted
from seq2seq_cli.decoding.load import LoadedRun
from seq2seq_cli.decoding.problems import Check, problems
from seq2seq_cli.decoding.translation import Place, Translation, text_data
from seq2seq_cli.errors import InputError, ModelFileError, one_line
from seq2seq_cli.files.writing import json_number, output_file, write_output
from seq2seq_cli.pages.data import FilmData

_MOST_TEXTS = 1000
"""Texts that a page holds, about as many as a browser opens in a moment. A picture never holds as many."""
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""C0 and C1 but for tab and line feed: no translation holds them, not even in a word that was copied."""
_SEPARATORS = re.compile("[\x0b-\x0d\x1c-\x1f\x85]++(?!\n)")
"""Controls that part words as white space does; before a line feed they are left out."""


@contextlib.contextmanager
def open_output(path: Path | None, *, overwrite: bool) -> Iterator[TextIO]:
    """Standard output, or a file for text, which is there and fails as `output_file` says."""
    if path is None:
        yield sys.stdout
        return
    with output_file(path, overwrite=overwrite) as file:
        stream = io.TextIOWrapper(file, encoding="utf-8", newline="\n", line_buffering=file.isatty())
        try:
            yield for_terminal(stream)
        finally:
            stream.detach()  # writes the rest, and leaves the file open


@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """The parts of a translation that are shown, and their format."""

    format: Literal["text", "json"] = "text"
    score: bool = False
    align: bool = False
    attention: bool = False
    nbest: int = 1


def render(translation: Translation, options: OutputOptions, output: TextIO) -> str:
    """The lines of a text, each with its end."""
    ranked = translation.alternatives[: options.nbest] or (translation,)
    if options.format == "text":
        return _text(ranked, options, output)
    content = {"source": translation.source, **_outcome(translation, options)}
    if options.nbest > 1:
        content["alternatives"] = [_outcome(each, options) for each in ranked]
    return json_line(content, output)


def _text(ranked: tuple[Translation, ...], options: OutputOptions, output: TextIO) -> str:
    """A line with what was asked for in tab-separated columns, then the tables of attention.

    With several translations per text, each text has as many lines; those that the search did not find are blank.
    """
    lines = [_line(each, options) for each in ranked] + [""] * (options.nbest - len(ranked))
    text = "\n".join(lines) + "\n"
    if options.attention:
        from seq2seq_cli.plots.attention_text import attention_table  # not above: few ask for it

        width = shutil.get_terminal_size().columns if output.isatty() and is_utf8(output) else None
        for sentence in ranked[0].sentences:
            text += f"\n{attention_table(sentence, style='shades' if width else 'numbers', width=width)}\n\n"
    return text


def _line(translation: Translation, options: OutputOptions) -> str:
    text = _without_controls(translation.text)
    columns = []
    if options.score and translation.sentences:
        columns += [f"{translation.score:z.4f}", f"{translation.total.confidence:.4f}"]
    if options.align and translation.sentences:
        columns.append(" ".join(f"{source}-{target}" for source, target in translation.alignment))
    return "\t".join([text.replace("\t", " "), *columns]) if columns else text


def _outcome(translation: Translation, options: OutputOptions) -> dict[str, Any]:
    outcome: dict[str, Any] = {
        "translation": _without_controls(translation.text),
        "score": json_number(translation.score),
        "confidence": json_number(translation.total.confidence),
        "log_probability": json_number(translation.total.log_probability),
        "alignment": translation.alignment,
        "unknown": translation.unknown,
        "copied": translation.copied,
        "forced": translation.forced,
    }
    if options.attention:
        outcome["sentences"] = [
            {
                "source": sentence.source,
                "translation": sentence.text,
                "src_tokens": sentence.src_tokens,
                "tgt_tokens": sentence.tgt_tokens,
                "weights": [list(map(json_number, row)) for row in sentence.weights.tolist()],
            }
            for sentence in translation.sentences
        ]
    return outcome


def _without_controls(text: str) -> str:
    """The text without control characters, a space in place of those that part words."""
    return _CONTROLS.sub("", _SEPARATORS.sub(" ", text))


@dataclass(kw_only=True)
class Presenter:
    """Writes translations and their attention, and names the words that the model does not know."""

    run: LoadedRun
    name: str
    """The name of the run, or of all runs that translate together."""
    output: TextIO
    options: OutputOptions
    draw: Path | None
    """The file of ``--draw``, which is written once, or again after each prompt."""
    overwrite: bool
    """Whether it may replace a file that is there. Later it replaces its own."""
    films: list[FilmData] = field(default_factory=list, init=False)
    """Of the run that translates, for a page."""
    _named: set[str] = field(default_factory=set)
    _told: set[Check] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Trace the searches, and read the films, where a page shows them."""
        if self._is_page:
            from seq2seq_cli.runs.records import films_of, read_history  # not above: pydantic

            self.run = replace(self.run, uncorrected=self.run.uncorrected.with_traces())
            with contextlib.suppress(ModelFileError):  # no film, where the records are damaged or by a newer s2s
                self.films = films_of({one_line(self.run.path.resolve().name): read_history(self.run.path)})

    @property
    def _is_page(self) -> bool:
        """Whether the drawing is a page, which shows the searches as well."""
        return self.draw is not None and self.draw.suffix.lower() == ".html"

    def show(
        self, translations: Iterable[Translation], place: Place | None = None, *, name_unknown: bool = False
    ) -> None:
        """Write each translation as soon as it is there, then the drawing of the attention.

        With `name_unknown`, the new unknown words are named on stderr. Warnings there name a text by its `place`. An
        InputError of the translations is raised when all this is done for those before it.
        """
        unknown: dict[str, None] = {}
        texts: list[Translation] = []
        problem: InputError | None = None
        try:
            for number, translation in enumerate(translations, start=1):
                self.output.write(render(translation, self.options, self.output))
                self.warn_once(place(number) if place else "", translation)
                if name_unknown:
                    unknown.update(dict.fromkeys(translation.unknown))
                if self.draw and len(texts) <= _MOST_TEXTS:  # one more tells that not all are drawn
                    texts.append(translation)
        except InputError as error:
            problem = error
        self.output.flush()
        if self.draw and (texts or not problem):
            self._write_attention(texts, self.draw)
        if new := [word for word in unknown if word not in self._named]:
            tell(f"words that the model does not know: {' '.join(new)}")
            self._named.update(new)
        if problem:
            raise problem

    def warn_once(self, place: str, translation: Translation) -> None:
        """Warn of the problems of a translation, at a place in the input, by the checks that have told of none yet."""
        for check, problem in problems(self.run.translator, translation, told=self._told):
            self._told.add(check)
            warn(f"{place}: {problem}" if place else problem)

    def _write_attention(self, texts: Sequence[Translation], path: Path) -> None:
        """Write the attention of the texts, of the first ones where there are many, and say so on stderr."""
        worded, is_whole = [text for text in texts[:_MOST_TEXTS] if text.sentences], len(texts) <= _MOST_TEXTS
        if not worded:
            tell(f"no attention to draw: {path} is not written")
            return
        if self._is_page:
            write_output(path, self._page(worded), overwrite=self.overwrite)
            shown = counted(len(worded), "text")
        else:
            from seq2seq_cli.plots.pictures import save_attention  # not above: few translations are drawn

            sentences = [sentence for text in worded for sentence in text.sentences]
            drawn = save_attention(sentences, path, overwrite=self.overwrite)
            shown, is_whole = counted(drawn, "sentence"), is_whole and drawn == len(sentences)
        self.overwrite = True
        tell(f"attention{'' if is_whole else f' of the first {shown}'} written to {path}")

    def _page(self, texts: Sequence[Translation]) -> bytes:
        from seq2seq_cli.pages.page import translations_page  # not above: few are shown on a page

        translator = self.run.translator
        languages = translator.src_codec.config.language, translator.tgt_codec.config.language
        sentences = (tuple(each.with_steps(translator.steps(each)) for each in text.sentences) for text in texts)
        shown = [text_data(replace(text, sentences=each)) for text, each in zip(texts, sentences, strict=True)]
        return translations_page(f"s2s translate: {self.name}", languages, shown, self.films)
