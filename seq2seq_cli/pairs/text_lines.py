"""The characters and the lines of a text from its bytes, read only as far as they are asked for."""

import codecs
import re
from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO

from seq2seq_cli.errors import ConfigError, PairFileError, one_line
from seq2seq_cli.pairs.archives import read_text

COLUMNS = 2
"""Columns of text that make a pair, each in one language."""
LONGEST_LINE = 100_000
"""Characters per line; a longer one is no sentence pair, and its text is not kept."""

# UTF-32 before UTF-16: the little-endian mark of UTF-32 begins with the mark of UTF-16.
_MARKS = [
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
]
_WITHOUT_MARK = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
"""The encodings of Python that expect a byte order mark, and those that read the same text without one."""
_NOT_OF_FILES = {"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape", "utf-7", "mbcs", "oem"}
_LINE_END = re.compile(r"\r\n?|\n")


def check_encoding(encoding: str) -> str:
    """Python's name for an encoding of text files; raises ConfigError when there is none of that name."""
    try:
        name = codecs.lookup(encoding).name.replace("_", "-")
        "\n".encode(name)  # some of Python's codecs turn bytes into bytes; only this call shows it
    except (LookupError, UnicodeError, ValueError):
        name = ""
    if not name or name in _NOT_OF_FILES:
        raise ConfigError(f"encoding: unknown encoding '{one_line(encoding)}': give one such as utf-8 or cp1252")
    return _WITHOUT_MARK.get(name, name)


def lines_of(file: BinaryIO, name: str, encoding: str) -> Iterator[str | None]:
    """The lines of an open file, by `read_text` and `decoded`; None for each of more than LONGEST_LINE characters."""
    rest = ""
    for text in chain(decoded(read_text(file, name), name=name, encoding=encoding), [None]):
        if text is None and not rest:
            return
        lines = (rest + ("\n" if text is None else text)).split("\n")
        # One character too many is kept: it shows, when the line ends, that the line was too long.
        rest = lines.pop()[: LONGEST_LINE + 1]
        for line in lines:
            yield line if len(line) <= LONGEST_LINE else None


def decoded(pieces: Iterator[bytes], *, name: str, encoding: str) -> Iterator[str]:
    """The characters of a text; a byte order mark overrides the encoding, and every line end becomes LF.

    A CR by itself becomes a space, as other programs count lines by LF, unless one ends the first line, as on old Macs.

    Raises PairFileError where the bytes end too early or cannot be decoded, after all characters before that place.
    """
    first = next(pieces, b"")
    mark, encoding = next(((mark, marked) for mark, marked in _MARKS if first.startswith(mark)), (b"", encoding))
    decoder = codecs.getincrementaldecoder(encoding)()
    line, lone, waiting = 1, "", ""
    for piece in chain([first[len(mark) :]], pieces, [None]):
        problem = ""
        try:
            text = waiting + decoder.decode(piece or b"", piece is None)
        except UnicodeDecodeError as error:
            text = waiting + error.object[: error.start].decode(encoding, "replace")
            byte = error.object[error.start]
            problem = f"byte 0x{byte:02x} is not {encoding}: name the encoding of a text, such as --encoding cp1252"
        waiting = "\r" if text.endswith("\r") and piece is not None and not problem else ""  # perhaps half of CRLF
        text = text.removesuffix(waiting)
        if not lone and (end := _LINE_END.search(text)):
            lone = "\n" if end[0] == "\r" else " "
        text, zero, _ = text.replace("\r\n", "\n").replace("\r", lone).partition("\0")
        line += text.count("\n")
        yield text
        if zero:
            problem = "a zero byte: no text, or UTF-16 without a byte order mark: try --encoding utf-16-le or utf-16-be"
        if problem:
            raise PairFileError(f"{name}:{line}: {problem}; unpack an archive, and save a document as text")
