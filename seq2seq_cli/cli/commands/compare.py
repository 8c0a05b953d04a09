"""``s2s compare``: several configs, trained alike."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from statistics import fmean, stdev
from typing import Annotated

import typer

import seq2seq_cli as s2s
from seq2seq_cli.cli.parsing import option, set_option
from seq2seq_cli.cli.terminal import table_lines, tell, write_lines
from seq2seq_cli.cli.training_bar import TrainingBar
from seq2seq_cli.runs.listing import Run, results

_FOLDER = Path("comparison")
_DIGITS = {"test bleu": ".1f", "test chrf": ".1f", "loss": ".3f", "minutes": ".1f", "parameters": ",.0f"}
"""The figures, each with its digits; `loss` is that of the validation split."""


def compare(
    configs: Annotated[list[str], typer.Argument(metavar="CONFIG", help="Configs by name or path.")],
    pairs: Annotated[Path, option("FILE", "The pair file; it is prepared as the first config says.")],
    seeds: Annotated[int, option("N", "Seeds that each config is trained with.", min=1)] = 3,
    out: Annotated[Path, option("DIR", "The folder of the comparison; runs that it has are resumed.")] = _FOLDER,
    set_: Annotated[list[str] | None, set_option("one key of all configs")] = None,
) -> None:
    """Train several configs on the same pairs, and print their scores side by side.

    All compute in fp32, unless --set training.precision says otherwise. Where the first config holds out no pairs, 500
    sources are held out to validate and 500 to test. A figure is the mean over the seeds, with the standard deviation.
    """
    with closing(TrainingBar()) as bar:
        runs = s2s.compare(*configs, pairs=pairs, out=out, seeds=seeds, overrides=set_ or [], on_event=bar.show)
    rows = [[name, *_cells(each)] for name, each in runs.items()]
    write_lines(table_lines(["config", *_DIGITS], rows, numbers=True))
    tell(f"learning curves written to {out / 'curves.png'}, with the attention that is recorded to {out / 'film.html'}")


def _cells(runs: list[Run]) -> Iterator[str]:
    """The figures of a config."""
    found = dict(results(runs))
    for key, digits in _DIGITS.items():
        values = [value for value in found.get(key, ()) if isinstance(value, int | float)]
        spread = f" \u00b1 {stdev(values):{digits}}" if len({*values}) > 1 else ""
        yield f"{fmean(values):{digits}}{spread}" if values else "-"
