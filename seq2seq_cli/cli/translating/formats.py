r"""Translations as lines of text, as JSON lines, and as tab-separated columns.

The columns of ``tsv``, one row per translation: number of the text, rank among its translations (1 is the best),
source, translation, score, confidence, alignment, unknown words, copied words, forced units, and 1 where the score is
below ``--min-score``, else 0; the name of the run where several are compared. Words are joined by spaces; a tab, a line
feed, a carriage return and a backslash in a text are written ``\t``, ``\n``, ``\r`` and ``\\``.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from seq2seq_cli.cli.translating.output import Output
from seq2seq_cli.files.json_files import json_number
from seq2seq_cli.text.vocabulary import EOS_UNIT

if TYPE_CHECKING:
    from seq2seq_cli.decoding.translation import SentenceTranslation, Translation

FormatName: TypeAlias = Literal["text", "json", "tsv"]

DOUBTFUL = "?? "
"""The beginning of a line of text whose score is below ``--min-score``."""

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""C0 and C1 but for tab and line feed: no translation holds them, not even in a word that was copied."""
_SEPARATORS = re.compile("[\x0b-\x0d\x1c-\x1f\x85]++(?!\n)")
"""Controls that part words as white space does; before a line feed they are left out."""
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


@dataclass(frozen=True, kw_only=True)
class View:
    """The parts of a translation that are shown, and their format."""

    format: FormatName = "text"
    tokens: bool = False
    """Units stand in place of the text."""
    score: bool = False
    align: bool = False
    attention: bool = False
    """The weights are shown."""
    min_score: float = -math.inf
    """The score below which a translation is marked."""
    nbest: int = 1
    """Translations per text."""
    model: str = ""
    """The name of the run, where several are compared."""

    def text(self, translation: "Translation") -> str:
        """The translation as plain text, or its tokens with spaces between; a text without sentences has none."""
        if not (self.tokens and translation.sentences):
            return _without_controls(translation.text)
        units = (unit for sentence in translation.sentences for unit in sentence.tgt_tokens)
        # An unknown word for which there was nothing to copy is an empty unit.
        return " ".join(unit for unit in units if unit not in {"", EOS_UNIT})

    def is_doubtful(self, translation: "Translation") -> bool:
        """Whether the score is below the least one; a blank text has no score."""
        return bool(translation.sentences) and translation.score < self.min_score

    def ranked(self, translation: "Translation") -> "tuple[Translation, ...]":
        """The translations to show, the best first."""
        return translation.alternatives[: self.nbest] or (translation,)


def render(number: int, translation: "Translation", view: View, output: Output) -> str:
    """The lines of a text, each with its end; `number` counts the texts from 1."""
    return _RENDERERS[view.format](number, translation, view, output)


def _text(_number: int, translation: "Translation", view: View, output: Output) -> str:
    """A line with what was asked for in tab-separated columns, then the tables of attention.

    With several translations per text, each text has as many lines; those that the search did not find are blank.
    """
    ranked = view.ranked(translation)
    lines = [_line(each, view) for each in ranked] + [""] * (view.nbest - len(ranked))
    if view.model:
        lines = [f"{view.model}\t{part}" for line in lines for part in line.split("\n")]
    tables = map(output.table, translation.sentences) if view.attention else ()
    return "\n".join(lines) + "\n" + "".join(f"\n{table}\n\n" for table in tables)


def _line(translation: "Translation", view: View) -> str:
    text = DOUBTFUL * view.is_doubtful(translation) + view.text(translation)
    is_scored, is_aligned = (bool(translation.sentences) and wanted for wanted in (view.score, view.align))
    if not (view.model or is_scored or is_aligned):
        return text
    scores = _scores(translation) if is_scored else []
    alignment = [_pharaoh(translation)] if is_aligned else []
    return "\t".join([text.replace("\t", " "), *scores, *alignment])


def _tsv(number: int, translation: "Translation", view: View, _output: Output) -> str:
    rows = (
        [
            str(number),
            str(rank),
            each.source,
            view.text(each),
            *_scores(each),
            _pharaoh(each),
            *map(" ".join, (each.unknown, each.copied, each.forced)),
            str(int(view.is_doubtful(each))),
            *([view.model] if view.model else []),
        ]
        for rank, each in enumerate(view.ranked(translation), start=1)
    )
    return tsv_rows(rows)


def _json(_number: int, translation: "Translation", view: View, output: Output) -> str:
    model = {"model": view.model} if view.model else {}
    content = {"source": translation.source, **model, **_outcome(translation, view)}
    if view.nbest > 1:
        content["alternatives"] = [_outcome(each, view) for each in view.ranked(translation)]
    return json_line(content, output)


def _outcome(translation: "Translation", view: View) -> dict[str, Any]:
    outcome: dict[str, Any] = {
        "translation": _without_controls(translation.text),
        "score": json_number(translation.score),
        "confidence": json_number(translation.confidence),
        "log_probability": json_number(translation.total.log_probability),
        "alignment": translation.alignment,
        "unknown": translation.unknown,
        "copied": translation.copied,
        "forced": translation.forced,
    }
    if view.min_score > -math.inf:
        outcome["below_min_score"] = view.is_doubtful(translation)
    if view.tokens or view.attention:
        outcome["sentences"] = [_sentence(sentence, view) for sentence in translation.sentences]
    return outcome


def _sentence(sentence: "SentenceTranslation", view: View) -> dict[str, Any]:
    content: dict[str, Any] = {
        "source": sentence.source,
        "translation": sentence.text,
        "src_tokens": sentence.src_tokens,
        "tgt_tokens": sentence.tgt_tokens,
    }
    if view.attention:
        content["weights"] = [list(map(json_number, row)) for row in sentence.weights.tolist()]
    return content


_RENDERERS: Mapping[FormatName, Callable[[int, "Translation", View, Output], str]] = {
    "text": _text,
    "json": _json,
    "tsv": _tsv,
}


def json_line(content: Mapping[str, Any], output: Output) -> str:
    """An object of strict JSON on one line, in the characters that the stream has."""
    return json.dumps(content, ensure_ascii=not output.is_utf8, allow_nan=False) + "\n"


def tsv_rows(rows: Iterable[Iterable[str]]) -> str:
    """Rows of columns; tabs, line breaks and backslashes in a column are escaped, other control characters dropped."""
    return "".join("\t".join(_CONTROLS.sub("", cell.translate(_ESCAPES)) for cell in row) + "\n" for row in rows)


def decimal(value: float) -> str:
    """A score for the eye: four decimals."""
    return f"{round(value, 4) + 0.0:.4f}"  # + 0.0 turns -0.0 into 0.0


def _without_controls(text: str) -> str:
    """The text without control characters, a space in place of those that part words."""
    return _CONTROLS.sub("", _SEPARATORS.sub(" ", text))


def _scores(translation: "Translation") -> list[str]:
    return [decimal(translation.score), decimal(translation.confidence)]


def _pharaoh(translation: "Translation") -> str:
    return " ".join(f"{source}-{target}" for source, target in translation.alignment)
