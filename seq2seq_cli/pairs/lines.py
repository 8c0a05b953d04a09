"""The lines of a text from its bytes, a few thousand at a time."""

import codecs
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate, chain, islice

from seq2seq_cli.errors import ConfigError, PairFileError, one_line
from seq2seq_cli.pairs.archives import EMPTY, PLAIN_TEXT

COLUMNS = 2
"""Columns of text that make a pair, each in one language."""
LONGEST_LINE = 100_000
"""Characters per line; a longer one is no sentence pair, and its text is not kept."""
BLOCK_CHARACTERS = 1_000_000
"""Characters per block at most; the longest line fits into one."""

_FIRST = 100_000
"""Characters in which the line ends of a text are counted."""
_SAMPLE = 4096
_LETTERS = 0.9
"""Fraction of printable characters and white space above which decoded bytes look like a text."""

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


def check_encoding(encoding: str, where: str = "data.encoding") -> str:
    """Python's name for an encoding of text files; raises ConfigError when there is none of that name.

    `where` is the key or the option that names it.
    """
    try:
        name = codecs.lookup(encoding).name.replace("_", "-")
        "\n".encode(name)  # some of Python's codecs turn bytes into bytes; only this call shows it
    except (LookupError, UnicodeError, ValueError):
        name = ""
    if not name or name in _NOT_OF_FILES:
        raise ConfigError(
            f"{where}: unknown encoding '{one_line(encoding)}': give one such as utf-8, latin-1 or cp1252"
        )
    return _WITHOUT_MARK.get(name, name)


class LineEnds:
    """Turns LF and CRLF into LF, and a CR by itself into a space, as programs do that count lines by LF.

    Where a CR ends the first line, and is more frequent than LF and CRLF in the beginning of the text, as on old Macs,
    each ends a line.
    """

    def __init__(self) -> None:
        self._lone = ""
        """What stands in place of a CR by itself; empty until that is known."""
        self._waiting = ""
        """Characters that are not given out yet: the first ones, or a CR that may be the first half of CRLF."""

    def decode(self, text: str, *, final: bool = False) -> str:
        """The next part of the text; `final`: the last part."""
        text = self._waiting + text
        if not self._lone:
            sample = text[:_FIRST].replace("\r\n", "\n")
            is_lf_first = "\n" in sample and "\r" not in sample.partition("\n")[0]
            if len(text) <= _FIRST and not (final or is_lf_first):
                self._waiting = text
                return ""
            self._lone = "\n" if sample.count("\r") > sample.count("\n") and not is_lf_first else " "
        self._waiting = "\r" if text.endswith("\r") and not final else ""
        return text.removesuffix(self._waiting).replace("\r\n", "\n").replace("\r", self._lone)


class Characters:
    """Decodes a text piece by piece, turns every line end into LF, and counts lines and columns.

    A byte order mark overrides the encoding that was asked for. At the first place that cannot be decoded, ``problem``
    is set, and decoding ends.
    """

    def __init__(self, head: bytes, *, name: str, encoding: str) -> None:
        marks = ((mark, marked) for mark, marked in _MARKS if head.startswith(mark))
        self._mark, self._encoding = next(marks, (b"", encoding))
        self._name = name
        self._sample = head[:_SAMPLE]
        self._decoder = codecs.getincrementaldecoder(self._encoding)()
        self._line_ends = LineEnds()
        self._is_ascii = True
        """Whether all characters so far are: such a text may be in nearly any encoding."""
        self._line = 1
        self._column = 1
        self._skip = len(self._mark)
        self.problem: PairFileError | None = None

    def decode(self, piece: bytes, *, final: bool = False) -> str:
        """The characters of the next bytes; an incomplete last one waits for the next piece."""
        piece, self._skip = piece[self._skip :], 0
        failure = None
        try:
            text = self._line_ends.decode(self._decoder.decode(piece, final), final=final)
        except UnicodeDecodeError as error:
            failure = error
            text = self._line_ends.decode(error.object[: error.start].decode(self._encoding, "replace"), final=True)
        self._is_ascii = self._is_ascii and text.isascii()
        text, zero, _ = text.partition("\0")
        newline = text.rfind("\n")
        if newline >= 0:
            self._line += text.count("\n")
            self._column = 1
        self._column += len(text[newline + 1 :].encode(self._encoding, "replace"))
        if zero:
            self.problem = self._problem(f"a zero byte: {self._no_text()}")
        elif failure:
            encoding = self._encoding.upper() if self._encoding.startswith("utf") else self._encoding
            byte = f"byte 0x{failure.object[failure.start]:02x} is not {encoding}"
            self.problem = self._problem(f"{byte}: {self._advice(failure.object)}")
        return text

    def _advice(self, content: bytes) -> str:
        if self._mark:
            return "the file is damaged: get it again"
        if b"\0" in self._sample and not self._encoding.startswith(("utf-16", "utf-32")):
            return self._no_text()
        if self._encoding != "utf-8":
            return "name the file's encoding with --encoding"
        if not self._is_ascii:
            return "correct or delete this line; the text before it is UTF-8"
        return f"name the file's encoding, such as --encoding {_one_byte_encoding(content)}"

    def _no_text(self) -> str:
        for encoding in () if self._mark else ("utf-16-le", "utf-16-be"):
            if encoding != self._encoding and _looks_like_text(self._sample, encoding):
                return f"the text looks like UTF-16 without a byte order mark: try --encoding {encoding}"
        return f"no text file: {PLAIN_TEXT}"

    def _problem(self, message: str) -> PairFileError:
        return PairFileError(f"{self._name}:{self._line}:{self._column}: {message}")


def decoded(pieces: Iterator[bytes], *, name: str, encoding: str) -> Iterator[str]:
    """The characters of a text, every line end as LF (see `LineEnds`).

    Raises PairFileError where the bytes end too early or cannot be decoded, after all characters before that place.
    """
    characters = None
    for piece in chain(pieces, [b""]):
        characters = characters or Characters(piece, name=name, encoding=encoding)
        yield characters.decode(piece, final=not piece)
        if characters.problem is not None:
            raise characters.problem


class Lines:
    """The lines of a text with LF at their ends, read only as far as they are asked for.

    The last line needs no end. A line of more than LONGEST_LINE characters is replaced by an empty one.
    """

    def __init__(self, texts: Iterator[str], *, name: str) -> None:
        self.name = name
        self.taken = 0
        self._texts = texts
        self._waiting: list[str] = []
        self._size = 0
        self._rest = ""
        self._overlong: list[int] = []
        self._ended = False
        self._problem: PairFileError | None = None

    def ready(self, most: int) -> int:
        """The number of lines of the next block, at most ``most``; 0 at the end of the text.

        Raises PairFileError when the text is empty, and where it cannot be read any further, once the lines before
        that place are taken.
        """
        while not self._ended and len(self._waiting) < most and self._size < BLOCK_CHARACTERS:
            self._read()
        if not self._waiting:
            if self._problem is not None:
                raise self._problem
            if not self.taken:
                raise PairFileError(f"{self.name}: {EMPTY}")
        sizes = accumulate(map(len, islice(self._waiting, most)))
        return bisect_right(list(sizes), BLOCK_CHARACTERS)

    def take(self, count: int) -> tuple[str, list[int]]:
        """The next ``count`` lines, joined by LF, and the numbers of those that were too long; they must be ready."""
        text = "\n".join(self._waiting[:count])
        del self._waiting[:count]
        self._size -= len(text) - (count - 1)
        self.taken += count
        inside = bisect_right(self._overlong, self.taken)
        overlong = self._overlong[:inside]
        del self._overlong[:inside]
        return text, overlong

    def numbered(self, most: int) -> Iterator[tuple[int, str, bool]]:
        """Each line with its number, and whether it was too long to be kept; `most` lines are read ahead."""
        while count := self.ready(most):
            first = self.taken + 1
            text, overlong = self.take(count)
            for number, line in enumerate(text.split("\n"), start=first):
                yield number, line, number in overlong

    def _read(self) -> None:
        try:
            text = next(self._texts, None)
        except PairFileError as problem:
            self._ended, self._problem = True, problem
            return
        if text is not None:
            self._add(text)
            return
        self._ended = True
        if self._rest:
            self._add("\n")

    def _add(self, text: str) -> None:
        lines = (self._rest + text).split("\n")
        # One character too many is kept: it shows, when the line ends, that the line was too long.
        self._rest = lines.pop()[: LONGEST_LINE + 1]
        if lines and max(map(len, lines)) > LONGEST_LINE:
            first = self.taken + len(self._waiting) + 1
            self._overlong += [first + index for index, line in enumerate(lines) if len(line) > LONGEST_LINE]
            lines = ["" if len(line) > LONGEST_LINE else line for line in lines]
        self._waiting += lines
        self._size += sum(map(len, lines))


def _looks_like_text(sample: bytes, encoding: str) -> bool:
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(sample)
    except UnicodeDecodeError:
        return False
    good = sum(letter.isprintable() or letter.isspace() for letter in text)
    # Random bytes decode to many letters, but hardly ever to a tab or a newline.
    return not {"\t", "\n"}.isdisjoint(text) and "\0" not in text and good >= _LETTERS * len(text)


def _one_byte_encoding(content: bytes) -> str:
    try:
        content.decode("cp1252")
    except UnicodeDecodeError:
        return "latin-1"
    return "cp1252"
