"""Train every shipped model on one task and write the results into docs/gallery.md: ``make gallery``.

Each model is trained as by ``s2s train``, once per seed, and scored on the test split. The attention is drawn for one
sentence, of the seed in the middle. Results are kept in --work, so that a gallery can be stopped and continued, and so
that two processes can share one with --only; --no-training writes the page from those there are. Other pairs or
settings need another --work.
"""

import argparse
import sys
from pathlib import Path

from benchmarks.pages import fill
from seq2seq_cli.compute.process import prepare_environment
from seq2seq_cli.config.catalog import GROUPS, list_configs
from seq2seq_cli.errors import S2SError, UsageError

PAGE = Path("docs/gallery.md")
SENTENCE = "She says that he has seen the old man."


def main() -> None:
    """Parse, train, draw, write the page."""
    options = _parse()
    prepare_environment()  # as s2s does, before anything here imports torch
    from benchmarks.gallery.runs import GalleryRuns
    from benchmarks.gallery.tables import claim_table, in_the_middle, model_table, task_in_words

    names = [name for name in _models() if not options.only or name in options.only]
    seeds = range(1, options.seeds + 1)
    try:
        runs = GalleryRuns.open(options.work, options.pairs, options.set, alignment=options.alignment)
        find = runs.known if options.no_training else runs.result
        found = {name: [result for seed in seeds if (result := find(name, seed))] for name in names}
        results = {name: several for name, several in found.items() if several}
        if not options.page:
            return
        if not results:
            raise UsageError(f"{options.work}: no results of these models: leave out --no-training to train them")
        if not options.no_pictures:
            runs.draw(map(in_the_middle, results.values()), options.sentence, options.page.with_suffix(""))
    except S2SError as error:
        sys.exit(f"benchmarks.gallery: {error}")
    task = task_in_words(runs, results, options)
    section = "\n".join([task, "", *model_table(results), "", *claim_table(results)]).rstrip()
    page = fill(options.page.read_text(encoding="utf-8"), f"gallery of {options.pairs.stem}", section)
    options.page.write_text(page, encoding="utf-8")


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gallery", description="Fill docs/gallery.md.")
    parser.add_argument("--pairs", type=Path, default=Path("data/sample.txt"), metavar="FILE", help="pair file")
    parser.add_argument("--alignment", type=Path, metavar="FILE", help="gold links of the pairs")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="override for all models")
    parser.add_argument("--seeds", type=int, default=1, metavar="N", help="runs of each model; default 1")
    parser.add_argument("--only", nargs="+", choices=_models(), metavar="NAME", help="configs to show; default all")
    parser.add_argument("--sentence", default=SENTENCE, help="sentence whose attention is drawn")
    parser.add_argument("--work", type=Path, metavar="DIR", help="folder of the runs; default runs/gallery/FILE")
    parser.add_argument("--page", type=Path, default=PAGE, metavar="FILE", help="page to write the results into")
    parser.add_argument("--no-page", dest="page", action="store_const", const=None, help="train and score alone")
    parser.add_argument("--no-training", action="store_true", help="show the results that are there")
    parser.add_argument("--no-pictures", action="store_true", help="write only the tables")
    options = parser.parse_args()
    options.work = options.work or Path("runs/gallery") / options.pairs.stem
    return options


def _models() -> list[str]:
    """The names of the shipped models."""
    return [entry.name for entry in list_configs() if entry.group in GROUPS[1:5]]


if __name__ == "__main__":
    main()
