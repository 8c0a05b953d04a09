"""Train every shipped model on one task and put what came out into docs/mechanisms.md: ``make gallery``.

Each model is trained as ``s2s train`` does it, scored on the test split, and asked for one sentence, whose attention is
drawn. At the end, all of them train for some seconds in turn, for their speeds. What is done is kept in --work, so that
a gallery can be stopped and gone on with; only --again trains anew. Other pairs or settings take another --work.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.pages import fill, fill_lines
from seq2seq_cli.compute.environment import prepare_environment
from seq2seq_cli.config.catalog import GROUPS, list_configs
from seq2seq_cli.errors import S2SError

if TYPE_CHECKING:
    from benchmarks.exhibits import Exhibit
    from seq2seq_cli.corpus.prepared import PreparedCorpus

PAGE = Path("docs/mechanisms.md")
SENTENCE = "She says that he has seen the old man."


def main() -> None:
    """Parse, train, draw, write the page."""
    options = _parse()
    prepare_environment()  # as s2s does, before anything here imports torch
    from benchmarks.exhibits import Exhibition

    names = [entry.name for entry in list_configs() if entry.group in GROUPS[1:]]
    names = [name for name in names if not options.only or name in options.only]
    pictures = None if options.no_pictures else options.page.with_suffix("")
    try:
        exhibition = Exhibition.open(
            options.work,
            options.pairs,
            options.set,
            sentence=options.sentence,
            pictures=pictures,
            again=options.again,
        )
        exhibits = [exhibition.exhibit(name) for name in names]
        speeds = exhibition.speeds(names, seconds=options.seconds)
    except S2SError as error:
        sys.exit(f"benchmarks.gallery: {error}")
    page = fill_lines(options.page.read_text(encoding="utf-8"))
    page = fill(page, f"gallery of {options.pairs.stem}", _told(exhibits, speeds, exhibition.corpus, options))
    options.page.write_text(page, encoding="utf-8")


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gallery", description="Fill docs/mechanisms.md.")
    parser.add_argument("--pairs", type=Path, default=Path("data/sample.txt"), metavar="FILE", help="pair file")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="for all models")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="configs to show; default all")
    parser.add_argument("--sentence", default=SENTENCE, help="whose attention is drawn")
    parser.add_argument("--work", type=Path, metavar="DIR", help="where the runs lie; default runs/gallery/FILE")
    parser.add_argument("--page", type=Path, default=PAGE, metavar="FILE", help="what to write into")
    parser.add_argument("--seconds", type=float, default=5.0, metavar="S", help="to measure a speed three times over")
    parser.add_argument("--no-pictures", action="store_true", help="make only the table")
    parser.add_argument("--again", action="store_true", help="train anew what is there")
    options = parser.parse_args()
    options.work = options.work or Path("runs/gallery") / options.pairs.stem
    return options


def _told(
    exhibits: "Sequence[Exhibit]", speeds: Mapping[str, float], corpus: "PreparedCorpus", options: argparse.Namespace
) -> str:
    """The part of the page that is made here."""
    import torch

    settings = "".join(f" --set {setting}" for setting in options.set)
    signature = exhibits[0].signature if exhibits else ""
    task = (
        f"{len(corpus.split('train')):,} training pairs of `{options.pairs.name}`, {torch.get_num_threads()} threads:"
        f" `python -m benchmarks.gallery --pairs {options.pairs}{settings}`. BLEU of the"
        f" {len(corpus.split('test')):,} pairs of the test split, greedy, and by the words of the source ({signature})."
    )
    lines = [task, "", *_table(exhibits, speeds)]
    if shown := [exhibit for exhibit in exhibits if exhibit.picture]:
        pictures = [f"| {exhibit.name} |\n|---|\n| ![{exhibit.name}]({exhibit.picture}) |\n" for exhibit in shown]
        lines += ["", f"Where each looks while it translates “{options.sentence}”:", "", *pictures]
    return "\n".join(lines).rstrip()


def _table(exhibits: "Sequence[Exhibit]", speeds: Mapping[str, float]) -> list[str]:
    head = ["config", "parameters", "tokens/s", "BLEU", *(exhibits[0].bleu_by_length if exhibits else ())]
    rows = [
        [
            f"`{shown.name}`",
            f"{shown.parameters:,}",
            f"{speeds[shown.name]:,.0f}",
            f"{shown.bleu:.1f}",
            *("" if value is None else f"{value:.1f}" for value in shown.bleu_by_length.values()),
        ]
        for shown in exhibits
    ]
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] + ["--:"] * (len(head) - 1), *rows)]


if __name__ == "__main__":
    main()
