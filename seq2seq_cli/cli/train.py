"""``s2s train``: a translator from a prepared folder."""

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from seq2seq_cli.errors import UsageError

if TYPE_CHECKING:
    from seq2seq_cli.compute.process_group import ProcessGroup
    from seq2seq_cli.config.schema import Config
    from seq2seq_cli.corpus.prepared import PreparedCorpus
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
    from seq2seq_cli.compute.process_group import torchrun_group
    from seq2seq_cli.training.report import model_card, report, test_record

    wishes = _Wishes(
        config=config,
        data=data,
        out=out,
        resume=resume,
        overwrite=overwrite,
        init_from=init_from,
        overrides=[*(set_ or []), *_shorthand("device", device), *_shorthand("seed", seed)],
    )
    with torchrun_group() as group:
        group.on_main(wishes.check)
        session = _resume(wishes, group) if group.on_main(wishes.goes_on) else _start(wishes, group)
        _train(session)
    if group.is_main:
        result = report(session)
        if result.test:
            session.run.append_metrics(test_record(session, result.test))
        session.run.write_card(model_card(session, result))
        _print_result(session, result)


@dataclass(frozen=True, kw_only=True)
class _Wishes:
    """The options of the command."""

    config: str | None
    data: Path | None
    out: Path | None
    resume: bool
    overwrite: bool
    init_from: Path | None
    overrides: list[str]

    def check(self) -> None:
        """Raise UsageError for options that do not go together."""
        if self.resume and self.overwrite:
            raise UsageError("--resume goes on with a run and --overwrite replaces it: give one of them")
        if self.resume and self.init_from:
            raise UsageError("--resume goes on with a run and --init-from begins a new one: give one of them")

    def goes_on(self) -> bool:
        """Whether to go on with a run: asked to, or started again by torchrun after that run was saved."""
        from seq2seq_cli.runs.folder import RunFolder

        return self.resume or (self._is_started_again() and RunFolder(self.new_folder()).last_path.is_file())

    def replaces(self) -> bool:
        """Whether a new run may replace another: asked to, or lost by this torchrun before it was saved."""
        return self.overwrite or self._is_started_again()

    def _is_started_again(self) -> bool:
        from seq2seq_cli.compute.process_group import launch_name
        from seq2seq_cli.runs.folder import RunFolder
        from seq2seq_cli.runs.layout import CORPUS

        launch = launch_name()
        run = RunFolder(self.new_folder())
        return launch is not None and (run.path / CORPUS).is_file() and run.provenance().launch == launch

    def new_folder(self) -> Path:
        """Where a new run goes."""
        from seq2seq_cli.runs.folder import RunFolder
        from seq2seq_cli.runs.layout import RUNS

        if self.init_from and not self.out:
            return RUNS / f"{RunFolder.find(self.init_from).path.resolve().name}_continued"
        return self.out or _default_folder(self.config)


def _train(session: "Session") -> None:
    """Train to the end; the main process shows how it goes."""
    from seq2seq_cli.cli.training_bar import TrainingBar

    bar = TrainingBar()
    try:
        for event in session.train():
            if session.group.is_main:
                bar.show(event)
    finally:
        bar.close()


def _start(wishes: _Wishes, group: "ProcessGroup") -> "Session":
    from seq2seq_cli.compute.device import choose_device
    from seq2seq_cli.config.loader import load_config, load_saved_config
    from seq2seq_cli.corpus.prepared import DEFAULT_FOLDER
    from seq2seq_cli.runs.folder import RunFolder
    from seq2seq_cli.training.resolve import resolve_config
    from seq2seq_cli.training.session import Session

    def load() -> "tuple[Config, RunFolder | None]":
        origin = RunFolder.find(wishes.init_from) if wishes.init_from else None
        if origin and wishes.config is None:
            # The new data has its own `data` and `text`.
            saved = origin.path / "config.yaml"
            return load_saved_config(saved, wishes.overrides, without=("data", "text")), origin
        return load_config(wishes.config, wishes.overrides), origin

    loaded, origin = group.on_main(load)
    corpus = _open_corpus(wishes.data or DEFAULT_FOLDER, group)
    config = group.on_main(lambda: resolve_config(loaded, corpus))
    device = group.on_all(lambda: choose_device(config.training.device, group))
    path = group.on_main(wishes.new_folder)
    overwrite = group.on_main(wishes.replaces)
    session = Session.start(path, config, corpus, device, overwrite=overwrite, origin=origin, group=group)
    _announce(session)
    return session


def _resume(wishes: _Wishes, group: "ProcessGroup") -> "Session":
    from seq2seq_cli.compute.device import choose_device
    from seq2seq_cli.config.loader import load_config, load_saved_config
    from seq2seq_cli.runs.folder import RunFolder
    from seq2seq_cli.training.resolve import resolve_config, resumed_changes
    from seq2seq_cli.training.session import Session

    def find() -> RunFolder:
        if wishes.resume and not wishes.out and not wishes.config:
            return RunFolder.find_saved_last()
        return RunFolder.find(wishes.new_folder())

    def load() -> "Config":
        if wishes.config:
            return load_config(wishes.config, wishes.overrides)
        return load_saved_config(run.path / "config.yaml", wishes.overrides)

    def resolve() -> "Config":
        changes = resumed_changes(run.config(), loaded, run.path)
        config = resolve_config(loaded, corpus)
        for change in changes:
            sys.stderr.write(f"{change}\n")
        return config

    run = group.on_main(find)
    corpus = _open_corpus(wishes.data or group.on_main(lambda: Path(run.provenance().folder)), group)
    loaded = group.on_main(load)
    config = group.on_main(resolve)
    device = group.on_all(lambda: choose_device(config.training.device, group))
    session = Session.resume(run, config, corpus, device, group)
    _announce(session)
    return session


def _open_corpus(path: Path, group: "ProcessGroup") -> "PreparedCorpus":
    """The corpus at `path`; on each machine it is read from its own disk."""
    from seq2seq_cli.corpus.prepared import PreparedCorpus

    def check() -> None:
        if corpus.fingerprint != fingerprint:
            raise UsageError(f"{path}: another corpus than process 0 has: prepare once, and copy the folder")

    corpus = group.on_all(lambda: PreparedCorpus.open(path))
    fingerprint = group.on_main(lambda: corpus.fingerprint)
    group.on_all(check)
    return corpus


def _default_folder(name: str | None) -> Path:
    from seq2seq_cli.runs.layout import RUNS

    return RUNS / (Path(name).stem if name else "default")


def _shorthand(key: str, value: object) -> list[str]:
    return [] if value is None else [f"training.{key}={value}"]


def _announce(session: "Session") -> None:
    from seq2seq_cli.compute.device import describe_device

    if not session.group.is_main:
        return
    corpus, progress, processes = session.corpus, session.state.progress, session.group.size
    parameters = sum(p.numel() for p in session.state.model.parameters())
    origin = session.run.provenance().init_from
    sys.stderr.write(
        f"training {session.run.path} on {describe_device(session.device)}"
        + (f" in each of {processes} processes" if processes > 1 else "")
        + f", {session.state.precision}:"
        f" {len(corpus.split('train')):,} pairs, {parameters:,} parameters"
        + (f", begun with the weights of {origin}" if origin else "")
        + (f", from step {progress.step} in epoch {progress.epoch + 1}\n" if progress.step else "\n")
    )
    if session.has_new_streams:
        sys.stderr.write("another number of processes than before: dropout and teacher forcing are drawn anew\n")


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
