"""The first line of the prompt."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from seq2seq_cli.cli.translating.translators import Translators
from seq2seq_cli.errors import one_line

if TYPE_CHECKING:
    from seq2seq_cli.text.codec import Codec


def greeting(translators: Translators) -> str:
    """A line: the languages, the runs with their BLEU, and how to get help and to end."""
    directions = dict.fromkeys(
        f"{_language(each.src_codec)} -> {_language(each.tgt_codec)}" for each in translators.members
    )
    return f"{' and '.join(directions)}, {', '.join(_runs(translators))}; :help, Ctrl-D ends"


def _language(codec: "Codec") -> str:
    from seq2seq_cli.text.languages.names import name_of

    return one_line(name_of(codec.config.language))


def _runs(translators: Translators) -> Iterator[str]:
    from seq2seq_cli.cli.translating.recorded_bleu import recorded_bleu
    from seq2seq_cli.runs.archive import opened_run

    if len(translators.names) != len(translators.runs):  # they translate together: nobody has measured how well
        yield from translators.names
        return
    for name, path in zip(translators.names, translators.runs, strict=True):
        with opened_run(path) as run:
            bleu = None if run.chosen else recorded_bleu(run.path)
        yield name if bleu is None else f"{name}, {bleu:.1f} BLEU"
