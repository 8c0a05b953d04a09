"""Subtitles (SubRip and WebVTT): cues with times, whose texts in two languages have their times in common."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from seq2seq_cli.pairs.pair_files import KeyedTexts

_TIMES = re.compile(r"\s*((?:\d+:)?\d\d:\d\d)[,.]\d{1,3}\s+-->\s+[\d:,.]+")
_TAGS = re.compile(r"<[^<>]*>|\{\\[^{}]*\}")


def is_subtitles(head: str) -> bool:
    """Whether a text begins like subtitles."""
    return any(map(_TIMES.match, head.split("\n", 20)[:20]))


def cues(lines: Iterable[str | None]) -> Iterator[tuple[int, str, str]]:
    """The cues by the second in which they begin."""
    key, begun, parts = "", 1, list[str]()
    for number, line in enumerate(chain(lines, [""]), start=1):
        if found := _TIMES.match(line or ""):
            key, begun, parts = found[1], number, []
        elif key and not (line or "").strip():
            yield begun, key, _TAGS.sub("", " ".join(parts))
            key = ""
        else:
            parts.append(line or "")


SUBTITLES = KeyedTexts("subtitles", cues)
