"""What only a GPU shows, in five minutes: whether it learns, resumes and translates as the CPU does, and how fast.

    python -m benchmarks.gpu --pairs deu.txt

Prints a table per question. Exits with code 1 where losses or resumed weights differ; translations are counted alone.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

import torch

from benchmarks.figures import markdown_table
from seq2seq_cli.compute.device import choose_device, describe_device
from seq2seq_cli.config.choices import DeviceName
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.decoding.load import ensure_exported, load
from seq2seq_cli.errors import S2SError
from seq2seq_cli.preparation.pipeline import prepare
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.training.events import Step
from seq2seq_cli.training.plan import Plan
from seq2seq_cli.training.resolve import resolve_config
from seq2seq_cli.training.run import train_session
from seq2seq_cli.training.session import Session, open_session

CONFIGS = ("luong_dot", "luong_feed", "bahdanau", "rnnsearch", "best")
UPDATES = 20
"""Updates of a training that is compared with another one."""
_WITHOUT_DROPOUT = tuple(
    f"model.{key}=0"
    for key in (
        *("encoder.dropout", "encoder.word_dropout", "encoder.state_dropout"),
        *("decoder.dropout", "decoder.word_dropout", "decoder.readout_dropout"),
    )
)
"""A GPU draws other random numbers than a CPU."""
_ALIKE = 1e-3
"""The largest difference of two losses that rounding explains, in nats per token."""
_SENTENCES = 500


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare the devices; returns 1 where losses or resumed weights differ."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--pairs", type=Path, required=True, help="file of sentence pairs, such as deu.txt")
    parser.add_argument("--seconds", type=float, default=10.0, help="seconds per training; default 10")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        try:
            print(f"torch {torch.__version__}, {describe_device(choose_device('cuda'))}\n", flush=True)
            prepare(options.pairs, out=Path(folder, "prepared"))
        except S2SError as error:
            sys.exit(str(error))
        runs = _Runs(Path(folder), options.seconds)
        for table in (runs.same_training, runs.same_resumed, runs.training_rates, runs.translation_rates):
            print("\n".join([*table(), ""]), flush=True)
    return int(runs.differs)


class _Runs:
    """Trainings on both devices, in one folder."""

    def __init__(self, folder: Path, seconds: float) -> None:
        self._folder, self._seconds = folder, seconds
        self._corpus = PreparedCorpus.open(folder / "prepared")
        self._locks = ExitStack()
        self._trained: dict[str, Path] = {}
        self.differs = False

    def same_training(self) -> list[str]:
        """The losses of the first updates on both devices, in fp32 and without dropout."""
        rows = []
        for name in CONFIGS:
            losses = [
                self._losses(self._session(name, device, *_WITHOUT_DROPOUT, "training.precision=fp32"))
                for device in ("cpu", "cuda")
            ]
            difference = max(abs(here - there) for here, there in zip(*losses, strict=True))
            rows.append([name, f"{losses[0][-1]:.4f}", f"{losses[1][-1]:.4f}", self._verdict(difference < _ALIKE)])
        return markdown_table([f"loss of update {UPDATES}", "CPU", "GPU", "all updates"], rows)

    def same_resumed(self) -> list[str]:
        """Whether a training that was stopped and resumed has the weights of one that was not, to the last bit."""
        rows = []
        for name in CONFIGS:
            whole = self._session(name, "cuda", "training.deterministic=true")
            self._losses(whole)
            parts = self._session(name, "cuda", "training.deterministic=true")  # which sets the random numbers back
            self._losses(parts, UPDATES // 2)
            parts.run.save_last(parts.state.checkpoint())
            plan = Plan(path=parts.run.path, config=parts.config, resumed=parts.run.provenance())
            parts = open_session(plan, self._corpus, locks=self._locks)
            self._losses(parts, UPDATES - UPDATES // 2)
            weights = zip(whole.state.model.parameters(), parts.state.model.parameters(), strict=True)
            rows.append([name, self._verdict(all(torch.equal(*pair) for pair in weights))])
        return markdown_table(["stopped and resumed on the GPU", "weights"], rows, texts=2)

    def training_rates(self) -> list[str]:
        """Target tokens per second, in the precision that each device chooses, and the GPU's memory."""
        rows = []
        for name in CONFIGS:
            rates, precisions = [], []
            for device in ("cpu", "cuda"):
                session = self._session(name, device)
                if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]  # not on the pretended GPU of the tests
                    torch.cuda.reset_peak_memory_stats()
                rates.append(self._rate(session))
                precisions.append(session.state.precision)
                session.run.save_best(session.state.model.weights())
                self._trained[name] = session.run.path
            ensure_exported(RunFolder(self._trained[name]))
            times, memory = f"{rates[1] / rates[0]:.1f}", f"{torch.cuda.max_memory_allocated() / 1e6:,.0f}"
            rows.append([name, *map("{:,.0f}".format, rates), times, *precisions, memory])
        titles = ["target tokens per second", "CPU", "GPU", "times", "CPU in", "GPU in", "GPU memory, MB"]
        return markdown_table(titles, rows)

    def translation_rates(self) -> list[str]:
        """Sentences per second of each run of the GPU, and how many come out alike on both devices."""
        sources = [src for src, _ in self._corpus.sentences("valid")][:_SENTENCES]
        rows = []
        for name in CONFIGS:
            for beam_size in (1, 5):
                texts, rates = [], []
                for device in ("cpu", "cuda"):
                    run = load(self._trained[name], device=device, overrides=[f"decoding.beam_size={beam_size}"])
                    run.translate(sources[:2])
                    begun = time.perf_counter()
                    texts.append(run.translate(sources))
                    rates.append(len(sources) / (time.perf_counter() - begun))
                alike = sum(here == there for here, there in zip(*texts, strict=True))
                shown = [f"{rate:,.0f}" for rate in rates]
                rows.append([f"{name}, beam {beam_size}", *shown, f"{alike} of {len(sources)}"])
        return markdown_table(["sentences per second", "CPU", "GPU", "alike"], rows)

    def _session(self, name: str, device: DeviceName, *settings: str) -> Session:
        """A new training with a shipped config."""
        overrides = [f"training.device={device}", "training.max_minutes=null", "training.epochs=1000", *settings]
        config = resolve_config(load_config(name, overrides), self._corpus)
        path = Path(tempfile.mkdtemp(dir=self._folder), "run")
        return open_session(Plan(path=path, config=config), self._corpus, locks=self._locks)

    def _losses(self, session: Session, updates: int | None = None) -> list[float]:
        """The loss of each of the next updates, in nats per token."""
        return [step.loss for step in islice(_steps(session), updates or UPDATES)]

    def _rate(self, session: Session) -> float:
        """Target tokens per second of so many seconds, after as many updates as are compared."""
        tokens = seconds = 0.0
        for number, step in enumerate(_steps(session)):
            if number >= UPDATES:
                tokens, seconds = tokens + step.tokens, seconds + step.seconds
            if seconds >= self._seconds:
                break
        return tokens / seconds

    def _verdict(self, is_same: bool) -> str:
        self.differs = self.differs or not is_same
        return "the same" if is_same else "DIFFERENT"


def _steps(session: Session) -> Iterator[Step]:
    return (event for event in train_session(session) if isinstance(event, Step))


if __name__ == "__main__":
    sys.exit(main())
