"""One round of a training, in a process of its own.

    python -m benchmarks.speed.training_round CORPUS NAME --seconds S

NAME is one of the measured models, ``default`` (the default of every key) or ``tutorial`` (the
tutorials' loop with the sizes of the first model). Prints a `Round` as JSON. Peak memory and the precision of torch's
products belong to a whole process.
"""

import argparse
import json
import re
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.models import DECODERS, default_config, measured_config
from benchmarks.processes import BYTES_OF_MAXRSS
from seq2seq_cli.compute.process import prepare_environment
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.errors import S2SError

DEFAULT, TUTORIAL = "default", "tutorial"
WARM_UP = 3.0
"""Seconds of training before the measurement: the first batches fill caches."""


@dataclass(frozen=True, kw_only=True)
class Round:
    """The measurements of a round."""

    rate: float
    """Target tokens per second, EOS counted, padding not."""
    peak: float
    """Largest memory of the process, in MB."""
    precision: str
    """Precision of the products."""


def main() -> None:
    """Train for a while and print the measurements."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.training_round")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("name", choices=(*DECODERS, DEFAULT, TUTORIAL))
    parser.add_argument("--seconds", type=float, required=True)
    options = parser.parse_args()
    try:
        print(json.dumps(asdict(_measure(options.corpus, options.name, options.seconds))))
    except S2SError as error:
        sys.exit(str(error))


def _measure(corpus: Path, name: str, seconds: float) -> Round:
    if name == TUTORIAL:
        steps, precision = _tutorial(corpus)
        return measure(steps, seconds=seconds, precision=precision)
    config = default_config() if name == DEFAULT else measured_config(name)
    prepare_environment()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as locks:
        steps, precision = _s2s(corpus, config, Path(folder) / "run", locks)
        return measure(steps, seconds=seconds, precision=precision)


def measure(steps: Iterator[int], *, seconds: float, precision: str) -> Round:
    """Train for `seconds`, or one step if that is longer, after a warm-up of at most as long.

    `steps` yields the target tokens of each step. Raises StopIteration when the training ends too early.
    """
    begun = time.perf_counter()
    next(steps)
    while time.perf_counter() - begun < min(WARM_UP, seconds):
        next(steps)
    started = time.perf_counter()
    tokens, elapsed = 0, 0.0
    while elapsed < seconds:
        tokens += next(steps)
        elapsed = time.perf_counter() - started
    return Round(rate=tokens / elapsed, peak=peak_memory(), precision=precision)


def peak_memory(status: Path | None = None) -> float:
    """Largest memory of this process, or of the one with that status file of Linux, in MB."""
    # On Linux, ru_maxrss begins with the memory of the process that started this one.
    path = status or Path("/proc/self/status")
    if path.exists() and (highest := re.search(r"^VmHWM:\s+(\d+) kB$", path.read_text("ascii"), re.MULTILINE)):
        return int(highest[1]) * 1024 / 1e6
    if status:
        raise RuntimeError(f"{status}: tells no peak memory")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * BYTES_OF_MAXRSS / 1e6


def _s2s(path: Path, config: Config, run: Path, locks: ExitStack) -> tuple[Iterator[int], str]:
    from seq2seq_cli.corpus.prepared import PreparedCorpus
    from seq2seq_cli.training.events import Step
    from seq2seq_cli.training.plan import Plan
    from seq2seq_cli.training.run import train_session
    from seq2seq_cli.training.session import open_session

    corpus = PreparedCorpus.open(path)
    config = config.model_copy(update={"data": corpus.manifest.data, "text": corpus.manifest.text})
    session = open_session(Plan(path=run, config=config), corpus, locks=locks)
    steps = (event.tokens for event in train_session(session) if isinstance(event, Step))
    return steps, session.state.precision


def _tutorial(path: Path) -> tuple[Iterator[int], str]:
    from benchmarks.speed.tutorial_loop import tutorial_loop
    from seq2seq_cli.corpus.prepared import PreparedCorpus

    corpus = PreparedCorpus.open(path)
    sizes = {"src_size": len(corpus.codec("src").vocabulary), "tgt_size": len(corpus.codec("tgt").vocabulary)}
    return tutorial_loop(corpus.split("train"), measured_config(DECODERS[0]), **sizes), "fp32"


if __name__ == "__main__":
    main()
