"""``s2s download``: fetch a published pair file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from seq2seq_cli.cli.parsing import Overwrite, option
from seq2seq_cli.cli.terminal import progress_bar, write_lines
from seq2seq_cli.errors import UsageError, command_line
from seq2seq_cli.pairs import published
from seq2seq_cli.text.languages import PUBLISHED, name_of, short_code
from seq2seq_cli.text.spacy_tokenizers import has_tokenizer


def download(
    language: Annotated[
        str | None, typer.Argument(metavar="LANGUAGE", help="A code or a name: deu, de or German.")
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="Print the languages and exit.")] = False,
    out: Annotated[Path, option("DIR", "Where to put the files.")] = Path(),
    overwrite: Overwrite = False,
    site: Annotated[str, option("URL", "Another site with the same archives.")] = published.SITE,
) -> None:
    """Fetch sentence pairs of English and another language, from https://www.manythings.org/anki/.

    LANGUAGE.txt holds the pairs, LANGUAGE_about.txt says who wrote them and under which licence.
    """
    if list_:
        write_lines(_languages())
        return
    if language is None:
        raise UsageError("no language: give one such as 's2s download deu'; 's2s download --list' shows all")
    with progress_bar("download", "B") as progress:
        downloaded = published.download(language, out, site=site, overwrite=overwrite, progress=progress)
    lines = [f"{downloaded.pair_file}: {downloaded.lines:,} sentence pairs"]
    if downloaded.about:
        lines.append(f"{downloaded.about}: authors and licence")
    write_lines([*lines, f"next: {command_line('s2s', 'prepare', str(downloaded.pair_file))}"])


def _languages() -> Iterator[str]:
    codes = {code3: short_code(code3) for code3 in PUBLISHED}
    width = max(len(name_of(code)) for code in codes.values())
    yield f"{'file':<6}{'code':<6}{'language':<{width}}  tokenizer"
    for code3, code in codes.items():
        yield f"{code3:<6}{code:<6}{name_of(code):<{width}}  {'spaCy' if has_tokenizer(code) else 'general'}"
