"""The translators of a command: that of one run, or those of several that are compared."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from seq2seq_cli.errors import InputError, one_line

if TYPE_CHECKING:
    from seq2seq_cli.decoding.translation import Translation
    from seq2seq_cli.decoding.translator import Translator


@dataclass(frozen=True, kw_only=True)
class Translators:
    """Translators side by side: each translates every text by itself."""

    members: "tuple[Translator, ...]"
    names: tuple[str, ...]
    """Those of their runs; several runs that translate together have one."""
    runs: tuple[Path, ...]
    """The runs as they were named."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The names where they are needed to tell the translations of several runs apart."""
        return self.names if len(self.names) > 1 else ()

    @property
    def have_attention(self) -> bool:
        """Whether any of them has."""
        return any(member.engine.has_attention for member in self.members)

    def changed(self, change: "Callable[[Translator], Translator]") -> "Translators":
        """The same with each of them changed; where there are several, an InputError names the run that raised it."""
        members = []
        for name, member in zip(self.names, self.members, strict=True):
            try:
                members.append(change(member))
            except InputError as error:
                if not self.labels:
                    raise
                raise type(error)(*(f"{name}: {problem}" for problem in error.lines())) from None
        return replace(self, members=tuple(members))

    def translate_stream(self, texts: Collection[str]) -> "Iterator[tuple[Translation, ...]]":
        """The translations of each text, one per translator; see `Translator.translate_stream`."""
        return zip(*(member.translate_stream(texts) for member in self.members), strict=True)


def names_of_runs(paths: Sequence[Path]) -> tuple[str, ...]:
    """A name for each run: that of its folder, or its path where two would have the same or a file is named."""
    folders = [path.resolve().name for path in paths]
    are_clear = len({*folders}) == len(folders) and not any(path.is_file() for path in paths)
    return tuple(map(one_line, folders if are_clear else map(str, paths)))
