"""Training speed: the loop of ``s2s train`` and the tutorials' loop, in turn, on the same data and sizes."""

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import torch

from benchmarks.figures import Figure
from benchmarks.tutorial_loop import tutorial_loop
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.config.schema import Config
from seq2seq_cli.corpus.prepare import prepare
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.sources import Source
from seq2seq_cli.model.build import build_model
from seq2seq_cli.training.events import Step
from seq2seq_cli.training.loop import train
from seq2seq_cli.training.precision import choose_precision
from seq2seq_cli.training.state import fresh_state

# Nothing is held out, so that the loop does not stop to validate; and there is always one more epoch.
_OVERRIDES = ("data.valid_sources=0", "data.test_sources=0", "training.epochs=1000000000", "training.device=cpu")

Contender = Iterator[int]
"""A training without end that yields the number of target tokens of each step."""


def measure_training(pairs: Path, name: str, *, seconds: float, rounds: int) -> list[Figure]:
    """Target tokens a second of both loops on the CPU, and the ratio of their medians.

    Tokens are counted without padding and with the end of the sentence.
    """
    config = load_config(name, _OVERRIDES)
    with tempfile.TemporaryDirectory() as folder:
        prepare([Source.of(pairs)], Path(folder) / "prepared", config)
        corpus = PreparedCorpus.open(Path(folder) / "prepared")
        _announce(corpus, config)
        ours, theirs = _compare(_contenders(corpus, config, name), seconds=seconds, rounds=rounds)
    return [ours, theirs, Figure(name="  ratio", unit="times", values=[ours.median / theirs.median])]


def _announce(corpus: PreparedCorpus, config: Config) -> None:
    precision = choose_precision(config.training.precision, torch.device("cpu"))
    print(
        f"training on {len(corpus.split('train')):,} pairs, vocabularies of {len(corpus.src_codec.vocabulary):,} and"
        f" {len(corpus.tgt_codec.vocabulary):,}, {torch.get_num_threads()} threads;"
        f" ours in {precision}, the tutorials' in fp32",
        file=sys.stderr,
    )


def _contenders(corpus: PreparedCorpus, config: Config, name: str) -> dict[str, Contender]:
    sizes = {"src_size": len(corpus.src_codec.vocabulary), "tgt_size": len(corpus.tgt_codec.vocabulary)}
    return {
        f"training, {Path(name).stem}": _training_loop(corpus, config, sizes),
        "training, the tutorials' loop": tutorial_loop(corpus.split("train"), config, **sizes),
    }


def _training_loop(corpus: PreparedCorpus, config: Config, sizes: dict[str, int]) -> Contender:
    device = torch.device("cpu")
    torch.manual_seed(config.training.seed)
    state = fresh_state(build_model(config.model, **sizes).to(device), lr=config.training.lr)
    for event in train(state, corpus, config, device):
        if isinstance(event, Step):
            yield event.tokens


def _compare(contenders: dict[str, Contender], *, seconds: float, rounds: int) -> list[Figure]:
    """The contenders take turns, so that whatever else the machine does meets all of them."""
    for contender in contenders.values():
        next(contender)  # the first step sets up what later ones find
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    for number in range(rounds):
        for name, contender in contenders.items():
            rates[name].append(_rate(contender, seconds))
            print(f"round {number + 1}: {name}: {rates[name][-1]:,.0f} target tokens/s", file=sys.stderr)
    return [Figure(name=name, unit="target tokens/s", values=values) for name, values in rates.items()]


def _rate(contender: Contender, seconds: float) -> float:
    started = time.perf_counter()
    tokens = 0
    while (elapsed := time.perf_counter() - started) < seconds:
        tokens += next(contender)
    return tokens / elapsed
