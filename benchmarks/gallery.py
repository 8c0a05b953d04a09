"""Train every shipped model on one task and write the results into docs/mechanisms.md: ``make gallery``.

Each model is trained as by ``s2s train``, scored on the test split, and translates one sentence, whose attention is
drawn. At the end, all models train for some seconds in turn, for their speeds. Results are kept in --work, so that a
gallery can be stopped and continued; --again trains anew. Other pairs or settings need another --work.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.pages import fill, fill_lines
from seq2seq_cli.compute.environment import prepare_environment
from seq2seq_cli.config.catalog import MODEL_GROUPS, list_configs
from seq2seq_cli.errors import S2SError

if TYPE_CHECKING:
    from benchmarks.gallery_runs import Result
    from seq2seq_cli.corpus.prepared import PreparedCorpus

PAGE = Path("docs/mechanisms.md")
SENTENCE = "She says that he has seen the old man."


def main() -> None:
    """Parse, train, draw, write the page."""
    options = _parse()
    prepare_environment()  # as s2s does, before anything here imports torch
    from benchmarks.gallery_runs import GalleryRuns

    names = [entry.name for entry in list_configs() if entry.group in MODEL_GROUPS]
    names = [name for name in names if not options.only or name in options.only]
    pictures = None if options.no_pictures else options.page.with_suffix("")
    try:
        runs = GalleryRuns.open(
            options.work,
            options.pairs,
            options.set,
            sentence=options.sentence,
            pictures=pictures,
            again=options.again,
        )
        results = [runs.result(name) for name in names]
        speeds = runs.speeds(names, seconds=options.seconds)
    except S2SError as error:
        sys.exit(f"benchmarks.gallery: {error}")
    page = fill_lines(options.page.read_text(encoding="utf-8"))
    page = fill(page, f"gallery of {options.pairs.stem}", _section(results, speeds, runs.corpus, options))
    options.page.write_text(page, encoding="utf-8")


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gallery", description="Fill docs/mechanisms.md.")
    parser.add_argument("--pairs", type=Path, default=Path("data/sample.txt"), metavar="FILE", help="pair file")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="override for all models")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="configs to show; default all")
    parser.add_argument("--sentence", default=SENTENCE, help="sentence whose attention is drawn")
    parser.add_argument("--work", type=Path, metavar="DIR", help="folder of the runs; default runs/gallery/FILE")
    parser.add_argument("--page", type=Path, default=PAGE, metavar="FILE", help="page to write the results into")
    parser.add_argument("--seconds", type=float, default=5.0, metavar="S", help="length of a round of speed; default 5")
    parser.add_argument("--no-pictures", action="store_true", help="write only the table")
    parser.add_argument("--again", action="store_true", help="repeat trainings that are done")
    options = parser.parse_args()
    options.work = options.work or Path("runs/gallery") / options.pairs.stem
    return options


def _section(
    results: "Sequence[Result]", speeds: Mapping[str, float], corpus: "PreparedCorpus", options: argparse.Namespace
) -> str:
    """The generated part of the page."""
    import torch

    settings = "".join(f" --set {setting}" for setting in options.set)
    signature = results[0].signature if results else ""
    task = (
        f"{len(corpus.split('train')):,} training pairs of `{options.pairs.name}`, {torch.get_num_threads()} threads:"
        f" `python -m benchmarks.gallery --pairs {options.pairs}{settings}`. BLEU of the"
        f" {len(corpus.split('test')):,} pairs of the test split, greedy, and by the number of source words"
        f" ({signature})."
    )
    lines = [task, "", *_table(results, speeds)]
    if shown := [result for result in results if result.picture]:
        pictures = [f"| {one.name} |\n|---|\n| ![{one.name}]({one.picture}) |\n" for one in shown]
        lines += ["", f"The attention of each model while it translates “{options.sentence}”:", "", *pictures]
    return "\n".join(lines).rstrip()


def _table(results: "Sequence[Result]", speeds: Mapping[str, float]) -> list[str]:
    head = ["config", "parameters", "tokens/s", "BLEU", *(results[0].bleu_by_length if results else ())]
    rows = [
        [
            f"`{shown.name}`",
            f"{shown.parameters:,}",
            f"{speeds[shown.name]:,.0f}",
            f"{shown.bleu:.1f}",
            *("" if value is None else f"{value:.1f}" for value in shown.bleu_by_length.values()),
        ]
        for shown in results
    ]
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] + ["--:"] * (len(head) - 1), *rows)]


if __name__ == "__main__":
    main()
