"""Two processes against one: speed and loss of the same training, with as many threads and the same batches."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure, ratio
from benchmarks.models import DECODERS, measured_config, prepared
from seq2seq_cli.config.loader import dump_config
from seq2seq_cli.config.schema import Config

_UNIT = "target tokens/s"
_WAYS = {
    "one process": [sys.executable],
    "two processes": [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"],
}
_THREADS = 2
"""Of all processes of a training."""


def measure_together(pairs: Path, *, seconds: float, rounds: int) -> list[Figure]:
    """Target tokens a second of a training in one process and in two, in turns, and how far their losses are apart.

    Nothing is drawn, so that the losses differ by rounding alone. Raises RuntimeError when a training fails.
    """
    config = _certain(measured_config(DECODERS[0]))
    seen: dict[str, list[list[dict[str, Any]]]] = {name: [] for name in _WAYS}
    with prepared(pairs, config) as corpus:
        for number in range(rounds):
            for name in _WAYS:
                records = _train(name, corpus.path, config, seconds=seconds)
                seen[name].append(records)
                print(f"round {number + 1}: {name}: {_speed(records):,.0f} {_UNIT}", file=sys.stderr)
    one, two = (
        Figure(name=f"training, {name}", unit=_UNIT, values=[_speed(records) for records in seen[name]])
        for name in _WAYS
    )
    apart = [_apart(*both) for both in zip(*seen.values(), strict=True)]
    return [one, two, ratio("two over one", two, one), Figure(name="  losses apart", unit="of the loss", values=apart)]


def _certain(config: Config) -> Config:
    """The same without dropout."""
    model = config.model
    sides = {
        "encoder": model.encoder.model_copy(update={"dropout": 0.0}),
        "decoder": model.decoder.model_copy(update={"dropout": 0.0}),
    }
    return config.model_copy(update={"model": model.model_copy(update=sides)})


def _train(way: str, corpus: Path, config: Config, *, seconds: float) -> list[dict[str, Any]]:
    """Train for some seconds; the metrics."""
    launcher = _WAYS[way]
    environment = os.environ | {"OMP_NUM_THREADS": str(_THREADS if len(launcher) == 1 else 1)}
    with tempfile.TemporaryDirectory() as folder:
        file, run = Path(folder) / "config.yaml", Path(folder) / "run"
        file.write_text(dump_config(config), encoding="utf-8")
        arguments = ["--config", str(file), "--data", str(corpus), "--out", str(run)]
        done = subprocess.run(
            [*launcher, "-m", "seq2seq_cli", "train", *arguments, f"--set=training.max_minutes={seconds / 60}"],
            env=environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"training, {way}: {done.stderr.strip()}")
        return [json.loads(line) for line in (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]


def _speed(records: Sequence[dict[str, Any]]) -> float:
    """Over all of the training; nothing is validated."""
    (epoch,) = (record for record in records if record["kind"] == "epoch")
    return float(epoch["tokens"] / epoch["seconds"])


def _apart(one: Sequence[dict[str, Any]], other: Sequence[dict[str, Any]]) -> float:
    """The largest difference of the losses over the same hundred steps, as a share of them; nan before those."""
    losses = ([record["loss"] for record in records if record["kind"] == "step"] for records in (one, other))
    return max((abs(a - b) / a for a, b in zip(*losses, strict=False)), default=float("nan"))
