"""The errors that s2s raises on purpose; any other error that reaches the user is a bug.

    S2SError                  exit code
    ├── InputError                2      what the user gave cannot be used
    │   ├── UsageError            2      options or folders that contradict each other
    │   ├── PairFileError         2      a file of sentence pairs
    │   ├── ConfigError           2      a YAML config or a ``--set`` override; may hold many problems
    │   ├── PreparedFolderError   2      a folder made by ``s2s prepare``
    │   └── ModelFileError        2      a run folder or a file in it
    ├── TrainingError             1      training cannot continue
    ├── OtherProcessError      its own    another process of the same run failed, with that exit code
    ├── ExportError               1      a model cannot be exported
    ├── DownloadError             1      network, server or disk failed
    └── Interrupted    128 + signal      the user stopped the program; nothing saved is lost

A failure of the disk ends the program with 2 where the name of a file cannot be used, else with 1: see `exit_code_of`.

A message is one line: what is wrong, where (``file:line:column`` as far as known) and what to do.
"""

import errno
import re
import shlex
import sys

_UNUSABLE_NAME = (
    *(errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG, errno.ELOOP),
    *(errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENXIO),
)
"""Failures that the name of a file or folder explains: the user can give another one."""
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]")
"""Characters that steer a terminal or turn its text around: controls except tab and line feed, the separators of lines
and paragraphs, and the marks that embed, override or isolate a direction."""
_JOINER = re.compile("(?<=[\u0590-\U0010ffff])[\u200c\u200d]")
"""A joiner or non-joiner where words and emoji have one: Persian, Hindi."""


def escape_steering(text: str) -> str:
    r"""The text with ``\uXXXX`` for each character that would steer a terminal; all others are kept."""
    return _STEERING.sub(lambda character: f"\\u{ord(character[0]):04x}", text)


def one_line(text: str) -> str:
    """Escape the characters that would break a line or a terminal, or that nobody would see."""
    joiners = {match.start() for match in _JOINER.finditer(text)}
    return "".join(
        letter if letter.isprintable() or place in joiners else repr(letter)[1:-1] for place, letter in enumerate(text)
    )


class S2SError(Exception):
    """The root: each problem is shown as ``s2s: error: PROBLEM`` on stderr, without a traceback."""

    exit_code = 1

    def __init__(self, *problems: str, exit_code: int | None = None) -> None:
        super().__init__(*problems)
        if exit_code is not None:
            self.exit_code = exit_code

    def __str__(self) -> str:
        return "; ".join(self.args)


class InputError(S2SError):
    """An input of the user cannot be used."""

    exit_code = 2


RESTORE = "restore it, or train again"
"""What helps against a damaged file of a run."""


def unreadable(name: object, error: Exception) -> str:
    """The message about a file that cannot be read."""
    if isinstance(error, FileNotFoundError):
        return f"{name}: no such file: check the name and the folder"
    return f"{name}: cannot be read: {getattr(error, 'strerror', None) or error}"


def how_to_install(extra: str) -> str:
    """The advice to install an extra."""
    return f"install s2s again with the extra {extra} (README, Install)"


def command_line(*words: str) -> str:
    """A command as one types it: quoted for cmd.exe and PowerShell on Windows, else for a POSIX shell.

    A word with a quotation mark is written for cmd.exe, which has no common way with PowerShell.
    """
    if sys.platform != "win32":
        return shlex.join(words)
    return " ".join(map(_quoted_for_windows, words))


def _quoted_for_windows(word: str) -> str:
    """As list2cmdline quotes for the C runtime, and quoted as well where a shell would read more than text: & or '."""
    from subprocess import list2cmdline

    quoted = list2cmdline([word])
    if quoted != word or re.fullmatch(r"[\w./\\:=+-]*", word):
        return quoted
    doubled = "\\" * (len(word) - len(word.rstrip("\\")))  # before the quotation mark
    return f'"{word}{doubled}"'


def exit_code_of(error: OSError) -> int:
    """2 where another name of a file or folder helps, 1 for a disk that is full or fails."""
    return InputError.exit_code if error.errno in _UNUSABLE_NAME else S2SError.exit_code


def is_interruption(error: BaseException | None) -> bool:
    """Whether an error is Ctrl-C or comes from it: modules in C and hooks of classes raise another one in its place."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


class UsageError(InputError):
    """Options contradict each other, or an output would be overwritten unasked."""


class PairFileError(InputError):
    """A file of sentence pairs cannot be read: missing, empty, binary, not UTF-8, or without tabs."""


class ConfigError(InputError):
    """A config has problems; all of them are reported at once."""


class PreparedFolderError(InputError):
    """A prepared folder is missing, unfinished, damaged, or made with other options."""


class ModelFileError(InputError):
    """A run folder or one of its files is missing, damaged, foreign, or newer than this program."""


class TrainingError(S2SError):
    """Training cannot go on: the loss is not finite, or a checkpoint cannot be written."""


class OtherProcessError(S2SError):
    """Another process of the same run failed: its exit code, and the problems that no process has reported yet."""


class ExportError(S2SError):
    """A model cannot be exported: a part of it has no counterpart in ONNX, or the outcome differs from torch's."""


class DownloadError(S2SError):
    """A file cannot be downloaded: network, server or disk failed, or the content is not what was asked for."""


class Interrupted(S2SError):  # noqa: N818  # no error: the user wanted it
    """The user stopped the program, by SIGINT or another signal, which determines the exit code."""

    exit_code = 128 + 2  # SIGINT, on all systems
