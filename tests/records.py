"""Records of metrics.jsonl, and run folders that hold them, as a training writes them."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from seq2seq_cli.config.loader import dump_config, load_config
from seq2seq_cli.runs.records import EndRecord, EpochRecord, InterruptRecord, Record, StepRecord, TestRecord


def step(
    number: int,
    epoch: int,
    *,
    epochs: float | None = None,
    seconds: float | None = None,
    tokens: int | None = None,
    loss: float = 3.0,
    rate: float = 500.0,
) -> StepRecord:
    """By default, an epoch has 200 updates, and an update takes a second and has 10 target tokens."""
    return StepRecord(
        step=number,
        epoch=epoch,
        epochs=number / 200 if epochs is None else epochs,
        seconds=number if seconds is None else seconds,
        tokens=number * 10 if tokens is None else tokens,
        train_loss=loss,
        tokens_per_second=rate,
        lr=1e-3,
        gradient_norm=1.0,
        skipped=0,
    )


def epoch(
    number: int,
    epoch: int,
    *,
    epochs: float | None = None,
    bleu: float | None = 10.0,
    chrf: float | None = 30.0,
    loss: float | None = 2.5,
    entropy: float | None = None,
    best: bool = True,
    signature: str = "nrefs:1",
) -> EpochRecord:
    """By default, the whole epoch is done, and an update takes a second and has 10 target tokens."""
    return EpochRecord(
        step=number,
        epoch=epoch,
        epochs=epoch if epochs is None else epochs,
        seconds=number,
        tokens=number * 10,
        train_loss=3.5,
        loss=loss,
        bleu=bleu,
        chrf=chrf,
        attention_entropy=entropy,
        signatures={"bleu": signature},
        best=best,
        lr=1e-3,
    )


def end(number: int, epoch: int, reason: str, *, epochs: float | None = None) -> EndRecord:
    """By default, the whole epoch is done."""
    done = epoch if epochs is None else epochs
    return EndRecord(step=number, epoch=epoch, epochs=done, seconds=number + 1.0, tokens=number * 10, reason=reason)


def interrupted(number: int, epoch: int, *, epochs: float) -> InterruptRecord:
    return InterruptRecord(step=number, epoch=epoch, epochs=epochs, seconds=number, tokens=number * 10)


def held_out(number: int, epoch: int, *, bleu: float) -> TestRecord:
    return TestRecord(step=number, epoch=epoch, loss=2.5, bleu=bleu, chrf=30.0, signatures={"bleu": "nrefs:1"})


def write(run: Path, records: Iterable[Record]) -> None:
    (run / "metrics.jsonl").write_text("".join(f"{record.model_dump_json()}\n" for record in records), encoding="utf-8")


def make_run(
    path: Path, records: Iterable[Record], overrides: Sequence[str] = (), *, fingerprint: str = "f", pairs: int = 1200
) -> Path:
    """A run folder with the files that ``s2s runs`` reads."""
    path.mkdir(parents=True)
    (path / "config.yaml").write_text(dump_config(load_config(None, overrides)), encoding="utf-8")
    corpus = {"format": 1, "folder": "data/prepared", "fingerprint": fingerprint, "pairs": {"train": pairs}}
    (path / "corpus.json").write_text(json.dumps(corpus), encoding="utf-8")
    write(path, records)
    return path
