"""PO, the catalogues of gettext: the texts of programs.

https://www.gnu.org/software/gettext/manual/html_node/PO-Files.html
"""

import ast
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain

from seq2seq_cli.documents.draft import Draft, Languages, PlainText, Slot
from seq2seq_cli.errors import PairFileError

_KEYWORD = re.compile(r'(msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?)?\s*"((?:[^"\\]|\\.)*+)"\s*$')


@dataclass
class Message:
    """A message of a catalogue."""

    texts: dict[str, str] = field(default_factory=dict)
    """By keyword; that of the first ``msgstr`` is without its number."""
    lines: dict[str, list[int]] = field(default_factory=dict)
    """The lines of each text, counted from 1."""
    is_fuzzy: bool = False


def messages(lines: Iterable[str | None], name: str) -> Iterator[Message]:
    """The messages of a catalogue, and blank ones between them; raises PairFileError for another line."""
    message, keyword = Message(), ""
    for number, line in enumerate(chain(lines, [""]), start=1):
        if not (line or "").strip():
            yield message
            message = Message()
        elif line and line.startswith("#"):
            message.is_fuzzy = message.is_fuzzy or (line.startswith("#,") and "fuzzy" in line)
        elif found := _KEYWORD.match(line or ""):
            keyword = (found[1] or keyword).replace("msgstr[0]", "msgstr")
            message.texts[keyword] = message.texts.get(keyword, "") + _unescaped(found[2], f"{name}:{number}")
            message.lines.setdefault(keyword, []).append(number)
        else:
            raise PairFileError(f"{name}:{number}: no line of a PO file: correct it, or export the file again")


def _unescaped(text: str, place: str) -> str:
    try:
        return str(ast.literal_eval(f'"{text}"'))
    except (SyntaxError, ValueError):
        raise PairFileError(f"{place}: a string that does not end, or a wrong \\ in it: correct it") from None


def read_po(content: bytes, name: str, _languages: Languages) -> Draft:
    """The messages of a catalogue that have no translation; those in doubt (fuzzy) have one."""
    file = PlainText(content, name)
    slots = []
    for message in messages(file.lines, name):
        for keyword, text in message.texts.items():
            source = message.texts.get("msgid" if keyword == "msgstr" else "msgid_plural")
            if keyword.startswith("msgstr") and source and not text:
                slots.append(Slot(source, partial(_fill, file, message.lines[keyword])))
    return Draft(slots, file.content)


def _fill(file: PlainText, lines: list[int], translation: str) -> None:
    """Write a translation as the text of these lines: in one line, or below the keyword in several."""
    first, parts = lines[0] - 1, translation.splitlines(keepends=True)
    quoted = [json.dumps(part, ensure_ascii=False) for part in (["", *parts] if parts[1:] else [translation])]
    file.replace_lines(first, len(lines), file.lines[first].partition('"')[0] + "\n".join(quoted))
