"""Lines of metrics.jsonl, and run folders with them, as a training writes them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from seq2seq_cli.config.loader import dump_config, load_config

Record = Mapping[str, object]


def step(number: int, epoch: int, *, loss: float = 3.0, tokens: int = 1000, rate: float = 500.0) -> Record:
    return {
        "format": 1,
        "kind": "step",
        "step": number,
        "epoch": epoch,
        "loss": loss,
        "tokens": tokens,
        "tokens_per_second": rate,
        "lr": 1e-3,
        "gradient_norm": 1.0,
        "memory_mb": 800.0,
        "skipped": 0,
    }


def epoch(
    number: int,
    epoch: int,
    *,
    seconds: float | None = None,
    bleu: float | None = 10.0,
    chrf: float | None = 30.0,
    loss: float | None = 2.5,
    best: bool = True,
    signature: str = "nrefs:1",
) -> Record:
    """By default an update takes a second."""
    return {
        "format": 1,
        "kind": "epoch",
        "step": number,
        "epoch": epoch,
        "train_loss": 3.5,
        "valid_loss": loss,
        "bleu": bleu,
        "chrf": chrf,
        "signatures": {"bleu": signature},
        "best": best,
        "averaged": False,
        "seconds": number if seconds is None else seconds,
        "lr": 1e-3,
    }


def end(number: int, epoch: int, reason: str) -> Record:
    return {"format": 1, "kind": "end", "step": number, "epoch": epoch, "seconds": number + 1.0, "reason": reason}


def held_out(number: int, epoch: int, *, bleu: float) -> Record:
    return {
        "format": 1,
        "kind": "test",
        "step": number,
        "epoch": epoch,
        "bleu": bleu,
        "signatures": {"bleu": "nrefs:1"},
    }


def write(run: Path, records: Iterable[Record]) -> None:
    (run / "metrics.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def make_run(
    path: Path, records: Iterable[Record], overrides: Sequence[str] = (), *, fingerprint: str = "f", pairs: int = 1200
) -> Path:
    """A run folder with what ``s2s runs`` looks at."""
    path.mkdir(parents=True)
    (path / "config.yaml").write_text(dump_config(load_config(None, overrides)), encoding="utf-8")
    corpus = {"format": 1, "folder": "data/prepared", "fingerprint": fingerprint, "pairs": {"train": pairs}}
    (path / "corpus.json").write_text(json.dumps(corpus), encoding="utf-8")
    write(path, records)
    return path
