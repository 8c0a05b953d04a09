"""PO, the catalogues of gettext: https://www.gnu.org/software/gettext/manual/html_node/PO-Files.html."""

import ast
import re
from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO

from seq2seq_cli.errors import PairFileError
from seq2seq_cli.pairs.archives import read_text
from seq2seq_cli.pairs.lines import decoded, split_lines
from seq2seq_cli.pairs.pair_files import Column, Reader, Record

_KEYWORD = re.compile(r'(msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?)?\s*"((?:[^"\\]|\\.)*+)"\s*$')


def is_po(head: str) -> bool:
    """Whether a text begins like a catalogue."""
    return {"msgid ", "msgstr"} <= {line[:6] for line in head.split("\n")}


class Po(Reader):
    """Reads the messages that are translated; those in doubt (fuzzy) are passed over."""

    kind = "PO"

    def records(self, file: BinaryIO, name: str, encoding: str) -> Iterator[Record]:
        """The messages of a file, with the columns ``msgid`` and ``msgstr``."""
        begun, cells, keyword, is_fuzzy = 1, dict[Column, str](), "", False
        lines = split_lines(decoded(read_text(file, name), name=name, encoding=encoding))
        for number, line in enumerate(chain(lines, [""]), start=1):
            if not (line or "").strip():
                if cells.get("msgid") and cells.get("msgstr") and not is_fuzzy:
                    yield Record(begun, {key: cells[key] for key in ("msgid", "msgstr")})
                cells, is_fuzzy = {}, False
            elif line and line.startswith("#"):
                is_fuzzy = is_fuzzy or (line.startswith("#,") and "fuzzy" in line)
            elif found := _KEYWORD.match(line or ""):
                keyword = (found[1] or keyword).replace("msgstr[0]", "msgstr")
                begun = number if keyword == "msgid" and found[1] else begun
                cells[keyword] = cells.get(keyword, "") + _unescaped(found[2], f"{name}:{number}")
            else:
                raise PairFileError(f"{name}:{number}: no line of a PO file: correct it, or export the file again")


def _unescaped(text: str, place: str) -> str:
    try:
        return str(ast.literal_eval(f'"{text}"'))
    except (SyntaxError, ValueError):
        raise PairFileError(f"{place}: a string that does not end, or a wrong \\ in it: correct it") from None
