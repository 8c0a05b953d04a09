"""Minutes of training until a BLEU is reached.

    python -m benchmarks.quality.minutes --pairs deu.txt --config luong_dot

The splits share no sentence. Each validation prints the minutes so far and the BLEU of the validation split: sacreBLEU,
13a, cased, one reference per pair, greedy. At the end come the minutes to each goal and the BLEU of the test split.
Minutes count training with its validations, from the first step; not preparation, nor the scoring of ``--every``.
Ctrl-C ends it at any time, with the results so far.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import parser_of
from seq2seq_cli.compute.process import prepare_environment
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.errors import Interrupted, S2SError
from seq2seq_cli.preparation.pipeline import prepare

if TYPE_CHECKING:
    from seq2seq_cli.learning.training_state import Progress
    from seq2seq_cli.training.events import Event
    from seq2seq_cli.training.session import Session

GOALS = {30.0: 1.5, 35.0: 3.0, 40.0: 6.0}
"""Minutes in which each BLEU is to be reached on the whole of deu.txt with two cores."""


@dataclass(frozen=True, kw_only=True)
class Point:
    """The BLEU of the model after some minutes."""

    minutes: float
    step: int
    epoch: int
    bleu: float


def main() -> None:
    """Parse, prepare, train, print."""
    options = _parse()
    prepare_environment()  # as s2s does, before anything here imports torch
    try:
        with tempfile.TemporaryDirectory() as folder:
            _train(options, Path(folder))
    except S2SError as error:
        sys.exit(f"benchmarks.quality.minutes: {error}")


def _parse() -> argparse.Namespace:
    parser = parser_of("quality.minutes", "Measure the minutes of training until a BLEU is reached.")
    parser.add_argument("--pairs", type=Path, required=True, metavar="FILE", help="pair file")
    parser.add_argument("--config", default="quick", metavar="NAME", help="config to train; default quick")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="override one key")
    parser.add_argument("--every", type=float, metavar="MINUTES", help="score between validations as well; not counted")
    parser.add_argument("--json", type=Path, metavar="FILE", help="new file for all results, one per line")
    options = parser.parse_args()
    if options.json and not options.json.parent.is_dir():
        parser.error(f"{options.json.parent}: no such folder")
    if options.json and options.json.exists():
        parser.error(f"{options.json}: is there already; two runs in one file could not be told apart")
    return options


def _train(options: argparse.Namespace, folder: Path) -> None:
    from seq2seq_cli.training.report import report
    from seq2seq_cli.training.run import train_session

    held = ExitStack()  # to the end of the process
    session = _session(options, folder, held)

    def log(kind: str, **values: object) -> None:
        """Add a line to the file of --json, which is whole whenever the run ends."""
        if options.json:
            with options.json.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"kind": kind} | values) + "\n")

    reached: list[Point] = []
    try:
        for point in points(
            train_session(session), session.state.progress, partial(_bleu, session), every=options.every
        ):
            reached.append(point)
            log("validation", **asdict(point))
            print(f"{point.minutes:6.2f} minutes  epoch {point.epoch}  step {point.step}  BLEU {point.bleu:.2f}")
    except Interrupted:
        print("stopped")
    for wanted, goal in GOALS.items():
        minutes = next((point.minutes for point in reached if point.bleu >= wanted), None)
        log("goal", bleu=wanted, minutes=minutes, goal=goal)
        print(f"to {wanted:.0f} BLEU: {'not reached' if minutes is None else f'{minutes:.2f} minutes'} (goal {goal:g})")
    if session.state.progress.best_epoch and (found := report(session)).test:
        bleu = found.test.bleu
        log("test", bleu=bleu.value, signature=bleu.signature)
        print(f"test split, the best weights, {found.search}: BLEU {bleu.value:.2f}  ({bleu.signature})")


def _session(options: argparse.Namespace, folder: Path, locks: ExitStack) -> "Session":
    from seq2seq_cli.training.plan import Plan
    from seq2seq_cli.training.resolve import resolve_config
    from seq2seq_cli.training.session import open_session

    prepare(options.pairs, out=folder / "prepared", config=options.config, overrides=options.set)
    corpus = PreparedCorpus.open(folder / "prepared")
    config = resolve_config(load_config(options.config, options.set), corpus)
    return open_session(Plan(path=folder / "run", config=config), corpus, locks=locks)


def _bleu(session: "Session") -> float:
    """The BLEU of the validation split."""
    from seq2seq_cli.training.loop import validate

    scores = validate(session.state, session.corpus, session.config)
    return scores.bleu.value if scores else 0.0


def points(
    events: Iterator["Event"], progress: "Progress", score: Callable[[], float], *, every: float | None
) -> Iterator[Point]:
    """The BLEU of each validation, and that of `score` every `every` minutes.

    `progress` is that of the training; the time of `score` is taken out of it.
    """
    from seq2seq_cli.training.events import Step, Validated

    due = every
    for event in events:
        minutes = progress.seconds / 60
        if isinstance(event, Step):
            if due is not None and every is not None and minutes >= due:
                begun = time.monotonic()
                yield Point(minutes=minutes, step=event.step, epoch=event.epoch, bleu=score())
                progress.seconds -= time.monotonic() - begun
                due = (minutes // every + 1) * every
        elif isinstance(event, Validated) and event.scores:
            yield Point(minutes=minutes, step=event.step, epoch=event.epoch, bleu=event.scores.bleu.value)


if __name__ == "__main__":
    main()
