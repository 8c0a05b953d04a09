"""The sentences of a stream, one per line."""

from collections.abc import Iterable, Iterator

from seq2seq_cli.errors import InputError


def read_lines(stream: Iterable[bytes], place: str) -> Iterator[str]:
    """The lines of a stream in UTF-8, without their ends.

    Raises InputError for a line that is not UTF-8; the message names it by `place`, in which {} is its number.
    """
    for number, line in enumerate(stream, start=1):
        try:
            yield line.decode("utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            wrong = f"byte 0x{line[error.start]:02x} is not UTF-8"
            raise InputError(
                f"{place.format(number)}:{error.start + 1}: {wrong}: convert the text to UTF-8 first"
            ) from None
