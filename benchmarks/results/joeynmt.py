"""JoeyNMT's RNN and Transformer, trained for some minutes on the same pairs, and their translations."""

import os
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from benchmarks.joeynmt import JoeyNMT
from seq2seq_cli.corpus.prepared import PreparedCorpus

_ENVIRONMENT = dict(os.environ)
"""For JoeyNMT: s2s sets variables for itself."""
_VALIDATION_PAIRS = 500
"""Pairs that JoeyNMT chooses its best weights by; more would take minutes from training."""
_UPDATES_BETWEEN_VALIDATIONS = 300
_FEW_PAIRS = 30_000
"""Training pairs below which it validates six times as often: it has less time, and reaches its best sooner."""
_TRANSFORMER = {
    "type": "transformer",
    "num_layers": 3,
    "num_heads": 4,
    "hidden_size": 256,
    "ff_size": 1024,
    "dropout": 0.1,
    "layer_norm": "pre",
    "embeddings": {"embedding_dim": 256, "scale": True, "dropout": 0.1},
}


def train_and_translate(
    home: Path, corpus: PreparedCorpus, folder: Path, *, kind: str, minutes: float, seed: int, sources: Sequence[str]
) -> list[str]:
    """The translations of sources, beam 5, by an ``rnn`` or ``transformer`` that was trained for so many minutes.

    `home` holds the ``venv`` of JoeyNMT, `folder` is made anew. Raises RuntimeError when JoeyNMT fails, or has not
    validated in that time.
    """
    peer = JoeyNMT.set_up(home, corpus, folder)
    for side, name in enumerate(("src", "tgt")):
        lines = [pair[side] + "\n" for pair in corpus.sentences("valid")[:_VALIDATION_PAIRS]]
        (folder / f"valid.{name}").write_text("".join(lines), encoding="utf-8")
    path = folder / "config.yaml"
    config = timed_config(yaml.safe_load(path.read_text(encoding="utf-8")), kind=kind, seed=seed)
    if len(corpus.split("train")) < _FEW_PAIRS:
        config["training"] |= dict.fromkeys(("validation_freq", "logging_freq"), _UPDATES_BETWEEN_VALIDATIONS // 6)
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    _train(peer, minutes)
    best = folder / "run" / "best.ckpt"
    if not best.exists():
        raise RuntimeError(f"JoeyNMT has saved no weights in {minutes} minutes: give it more")
    command = peer.command("translate")  # with the best weights
    text = "".join(f"{source}\n" for source in sources)
    done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", check=False, env=_ENVIRONMENT)
    lines = done.stdout.splitlines()
    if done.returncode or len(lines) != len(sources):
        raise RuntimeError(f"JoeyNMT: {len(lines)} lines for {len(sources)}: {done.stderr.strip()[-500:]}")
    return lines


def timed_config(config: dict[str, Any], *, kind: str, seed: int) -> dict[str, Any]:
    """The config of a peer of that kind, from one that never validates."""
    training = config["training"] | {"validation_freq": _UPDATES_BETWEEN_VALIDATIONS, "logging_freq": 100}
    model = config["model"]
    if kind == "transformer":
        training |= {
            "batch_size": 2048,
            "batch_type": "token",
            "learning_rate": 1e-3,
            "scheduling": "warmupinversesquareroot",
            "learning_rate_warmup": 1000,
        }
        model = {key: model[key] for key in ("initializer", "bias_initializer", "tied_embeddings", "tied_softmax")}
        model |= {"embed_initializer": "xavier_uniform", "encoder": _TRANSFORMER, "decoder": _TRANSFORMER}
    testing = config["testing"] | {"beam_size": 5, "beam_alpha": 1.0}
    return config | {"random_seed": seed, "training": training, "testing": testing, "model": model}


def _train(peer: JoeyNMT, minutes: float) -> None:
    """Train until the time is over; raises RuntimeError when the training ends by itself."""
    command = peer.command("train", "--skip-test")
    started = time.monotonic()
    with (peer.folder / "log.txt").open("w", encoding="utf-8") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=_ENVIRONMENT)
        try:
            process.wait(minutes * 60 - (time.monotonic() - started))
        except subprocess.TimeoutExpired:
            return
        finally:
            process.kill()
            process.wait()
    raise RuntimeError(f"JoeyNMT ended by itself: see {peer.folder / 'log.txt'}")
