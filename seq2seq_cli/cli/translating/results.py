"""Translations as lines of text or JSON lines, and the stream that takes them: a terminal, a pipe, or a file."""

import codecs
import contextlib
import io
import json
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TextIO

from seq2seq_cli.cli.terminal import for_terminal
from seq2seq_cli.decoding.translation import SentenceTranslation, Translation
from seq2seq_cli.files.json_files import json_number
from seq2seq_cli.files.output import output_file

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""C0 and C1 but for tab and line feed: no translation holds them, not even in a word that was copied."""
_SEPARATORS = re.compile("[\x0b-\x0d\x1c-\x1f\x85]++(?!\n)")
"""Controls that part words as white space does; before a line feed they are left out."""


@contextlib.contextmanager
def open_output(path: Path | None, *, overwrite: bool) -> Iterator[TextIO]:
    """Standard output, or a file that is there, whole, when the block has ended without an error.

    Raises UsageError for a file that exists, unless `overwrite` is set, and for a path where none can be. A device or
    a named pipe is written to directly.
    """
    if path is None:
        yield sys.stdout
        return
    try:
        with output_file(path, overwrite=overwrite) as file:
            stream = io.TextIOWrapper(file, encoding="utf-8", newline="\n", line_buffering=file.isatty())
            try:
                yield for_terminal(stream)
            finally:
                stream.detach()  # writes the rest, and leaves the file open
    except OSError as error:
        error.filename = error.filename or str(path)  # errors of other files name them
        raise


@dataclass(frozen=True, kw_only=True)
class View:
    """The parts of a translation that are shown, and their format."""

    format: Literal["text", "json"] = "text"
    score: bool = False
    align: bool = False
    attention: bool = False
    """The weights are shown."""
    nbest: int = 1
    """Translations per text."""


def render(translation: Translation, view: View, output: TextIO) -> str:
    """The lines of a text, each with its end."""
    ranked = translation.alternatives[: view.nbest] or (translation,)
    if view.format == "text":
        return _text(ranked, view, output)
    content = {"source": translation.source, **_outcome(translation, view)}
    if view.nbest > 1:
        content["alternatives"] = [_outcome(each, view) for each in ranked]
    return json_line(content, output)


def _text(ranked: tuple[Translation, ...], view: View, output: TextIO) -> str:
    """A line with what was asked for in tab-separated columns, then the tables of attention.

    With several translations per text, each text has as many lines; those that the search did not find are blank.
    """
    lines = [_line(each, view) for each in ranked] + [""] * (view.nbest - len(ranked))
    tables = (_attention_table(sentence, output) for sentence in ranked[0].sentences if view.attention)
    return "\n".join(lines) + "\n" + "".join(f"\n{table}\n\n" for table in tables)


def _line(translation: Translation, view: View) -> str:
    text = _without_controls(translation.text)
    columns = []
    if view.score and translation.sentences:
        columns += [decimal(translation.score), decimal(translation.total.confidence)]
    if view.align and translation.sentences:
        columns.append(" ".join(f"{source}-{target}" for source, target in translation.alignment))
    return "\t".join([text.replace("\t", " "), *columns]) if columns else text


def _attention_table(sentence: SentenceTranslation, output: TextIO) -> str:
    """The attention of a sentence: shades no wider than a terminal, or numbers."""
    from seq2seq_cli.plots.attention_text import attention_table  # not above: rich, which most translations do without

    if output.isatty() and _is_utf8(output):
        return attention_table(sentence, style="shades", width=shutil.get_terminal_size().columns)
    return attention_table(sentence, style="numbers")


def _outcome(translation: Translation, view: View) -> dict[str, Any]:
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
    if view.attention:
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


def json_line(content: Mapping[str, Any], output: TextIO) -> str:
    """An object of strict JSON on one line, in the characters that the stream has."""
    return json.dumps(content, ensure_ascii=not _is_utf8(output), allow_nan=False) + "\n"


def _is_utf8(output: TextIO) -> bool:
    return codecs.lookup(output.encoding).name == "utf-8"


def decimal(value: float) -> str:
    """A score for the eye: four decimals."""
    return f"{round(value, 4) + 0.0:.4f}"  # + 0.0 turns -0.0 into 0.0


def _without_controls(text: str) -> str:
    """The text without control characters, a space in place of those that part words."""
    return _CONTROLS.sub("", _SEPARATORS.sub(" ", text))
