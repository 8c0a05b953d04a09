"""``s2s train``: a translator from a prepared folder."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from seq2seq_cli.errors import UsageError

if TYPE_CHECKING:
    from seq2seq_cli.training.report import Report
    from seq2seq_cli.training.session import Session


def train(
    config: Annotated[
        str | None,
        typer.Option("--config", "-c", metavar="NAME", help="A config by name or path; s2s configs lists them."),
    ] = None,
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The folder made by s2s prepare; data/prepared by default.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The run folder; runs/NAME of the config by default, or runs/RUN_continued."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run where it was saved last.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a run that is there already.")] = False,
    init_from: Annotated[
        Path | None,
        typer.Option("--init-from", metavar="RUN", help="Begin a new run with the best weights of this one."),
    ] = None,
    device: Annotated[
        str | None, typer.Option(metavar="NAME", help="auto, cpu, cuda or mps; short for --set training.device=NAME.")
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Short for --set training.seed=N.")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Override one key of the config.")
    ] = None,
) -> None:
    """Train a translator on a prepared folder and keep the best."""
    if resume and overwrite:
        raise UsageError("--resume goes on with a run and --overwrite replaces it: give one of them")
    if resume and init_from:
        raise UsageError("--resume goes on with a run and --init-from begins a new one: give one of them")
    from seq2seq_cli.cli.training_bar import TrainingBar
    from seq2seq_cli.training.report import model_card, report, test_record

    overrides = [*(set_ or []), *_shorthand("device", device), *_shorthand("seed", seed)]
    if resume:
        session = _resume(config, out, data, overrides)
    else:
        session = _start(config, out, data, overrides, overwrite=overwrite, init_from=init_from)
    bar = TrainingBar()
    try:
        for event in session.train():
            bar.show(event)
    finally:
        bar.close()
    result = report(session)
    if result.test:
        session.run.append_metrics(test_record(session, result.test))
    session.run.write_card(model_card(session, result))
    _print_result(session, result)


def _start(
    name: str | None,
    out: Path | None,
    data: Path | None,
    overrides: list[str],
    *,
    overwrite: bool,
    init_from: Path | None,
) -> "Session":
    from seq2seq_cli.config.loader import load_config, load_saved_config
    from seq2seq_cli.corpus.prepared import DEFAULT_FOLDER, PreparedCorpus
    from seq2seq_cli.training.device import choose_device
    from seq2seq_cli.training.places import RUNS
    from seq2seq_cli.training.resolve import resolve_config
    from seq2seq_cli.training.run_folder import RunFolder
    from seq2seq_cli.training.session import Session

    origin = RunFolder.find(init_from) if init_from else None
    if origin and name is None:
        # The new data has its own `data` and `text`.
        config = load_saved_config(origin.path / "config.yaml", overrides, without=("data", "text"))
    else:
        config = load_config(name, overrides)
    corpus = PreparedCorpus.open(data or DEFAULT_FOLDER)
    config = resolve_config(config, corpus)
    device = choose_device(config.training.device)
    path = out or (RUNS / f"{origin.path.resolve().name}_continued" if origin else _default_folder(name))
    session = Session.start(path, config, corpus, device, overwrite=overwrite, origin=origin)
    _announce(session)
    return session


def _resume(name: str | None, out: Path | None, data: Path | None, overrides: list[str]) -> "Session":
    from seq2seq_cli.config.loader import load_config, load_saved_config
    from seq2seq_cli.corpus.prepared import PreparedCorpus
    from seq2seq_cli.training.device import choose_device
    from seq2seq_cli.training.resolve import resolve_config, resumed_changes
    from seq2seq_cli.training.run_folder import RunFolder
    from seq2seq_cli.training.session import Session

    path = out or (_default_folder(name) if name else None)
    run = RunFolder.find(path) if path else RunFolder.find_saved_last()
    corpus = PreparedCorpus.open(data or run.corpus_folder())
    config = load_config(name, overrides) if name else load_saved_config(run.path / "config.yaml", overrides)
    changes = resumed_changes(run.config(), config, run.path)
    config = resolve_config(config, corpus)
    for change in changes:
        sys.stderr.write(f"{change}\n")
    session = Session.resume(run, config, corpus, choose_device(config.training.device))
    _announce(session)
    return session


def _default_folder(name: str | None) -> Path:
    from seq2seq_cli.training.places import RUNS

    return RUNS / (Path(name).stem if name else "default")


def _shorthand(key: str, value: object) -> list[str]:
    return [] if value is None else [f"training.{key}={value}"]


def _announce(session: "Session") -> None:
    from seq2seq_cli.training.device import describe_device

    corpus, progress = session.corpus, session.state.progress
    parameters = sum(p.numel() for p in session.state.model.parameters())
    origin = session.run.origin()
    sys.stderr.write(
        f"training {session.run.path} on {describe_device(session.device)}, {session.state.precision}:"
        f" {len(corpus.split('train')):,} pairs, {parameters:,} parameters"
        + (f", begun with the weights of {origin}" if origin else "")
        + (f", from step {progress.step} in epoch {progress.epoch + 1}\n" if progress.step else "\n")
    )


def _print_result(session: "Session", result: "Report") -> None:
    from seq2seq_cli.training.report import duration

    progress = session.state.progress
    epochs = "1 epoch" if progress.epoch == 1 else f"{progress.epoch} epochs"
    lines = [f"{epochs} in {duration(progress.seconds)}; best: epoch {progress.best_epoch}"]
    if progress.skipped:
        lines.append(f"{progress.skipped} of {progress.step} steps were skipped: their gradient was not finite")
    if result.test:
        bleu, chrf = result.test.bleu, result.test.chrf
        lines.append(f"BLEU on the test split: {bleu.value:.1f}  ({bleu.signature}); chrF {chrf.value:.1f}")
    held_out = "held-out" if result.examples_split != "train" else "training (nothing was held out)"
    lines.append(f"\n{len(result.examples)} {held_out} sentences:")
    for example in result.examples:
        lines += [f"  {example.source}", f"    {example.translation}", f"    (reference: {example.reference})"]
    model, sentence = shlex.quote(str(session.run.path)), shlex.quote(result.examples[0].source)
    lines.append(f"\nTo translate: s2s translate --model {model} {sentence}")
    sys.stdout.write("\n".join(lines) + "\n")
