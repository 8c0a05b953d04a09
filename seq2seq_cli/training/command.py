"""``s2s train`` as a function: plan, train, report."""

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

from seq2seq_cli.compute.process_group import ProcessGroup, launch_name, torchrun_group
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.errors import UsageError
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.training.events import Event, Report
from seq2seq_cli.training.plan import Options, Plan, make_plan
from seq2seq_cli.training.report import finish
from seq2seq_cli.training.session import Session


def train(
    config: str | None = None,
    *,
    data: Path | str | None = None,
    out: Path | str | None = None,
    overrides: Sequence[str] = (),
    resume: bool = False,
    overwrite: bool = False,
    init_from: Path | str | None = None,
    on_event: Callable[[Event], None] = lambda _: None,
) -> Report | None:
    """Train a translator on a prepared folder, and keep the best weights in a run folder.

    `config` is a config by name or path; without it, the defaults are taken, or the config of the run to go on from.
    `overrides` are keys of it with other values (``"training.lr=3e-4"``). `data` is the prepared folder, by default the
    one of the run to go on from, or ``data/prepared``; `out` is the run folder, by default one in ``runs/`` with the
    name of the config. With `resume` a run is resumed from its last checkpoint; with `overwrite` a new one replaces it;
    with `init_from` a new one begins with the best weights of another. `on_event` is called with each event.

    Returns the report, which is the last event too; None in the processes of torchrun other than the first.

    Raises S2SError: UsageError and other InputErrors before anything is written, TrainingError when training cannot
    continue, Interrupted, with everything saved, when the user stops it.
    """
    options = Options(
        config=config,
        overrides=overrides,
        data=_path(data),
        out=_path(out),
        resume=resume,
        overwrite=overwrite,
        init_from=_path(init_from),
    )
    report = None
    with closing(sitting(options)) as events:
        for event in events:
            on_event(event)
            if isinstance(event, Report):
                report = event
    return report


def sitting(options: Options) -> Generator[Event, None, None]:
    """The events of a training from its start, or from where it is resumed, to its report.

    Under torchrun the first process alone has events. The run is locked from before its checkpoint is read until the
    report is written.
    """
    with ExitStack() as held:
        with torchrun_group() as group:
            session = _open_session(options, group, held)
            for event in session.train():
                if group.is_main:
                    yield event
        if group.is_main:
            yield finish(session)


def _open_session(options: Options, group: ProcessGroup, held: ExitStack) -> Session:
    """Start or resume the run that the options name; `held` takes its lock."""
    opened: list[PreparedCorpus] = []

    def decide() -> Plan:
        plan, corpus = make_plan(options, launch=launch_name(), held=held)
        opened.append(corpus)
        return plan

    plan = group.on_main(decide)
    corpus = group.on_all(lambda: opened[0] if opened else _open_corpus(plan))
    if plan.resumes:
        return Session.resume(RunFolder(plan.path), plan.config, corpus, group=group, changes=plan.changes)
    origin = RunFolder(plan.init_from) if plan.init_from else None
    return Session.start(
        plan.path, plan.config, corpus, held=held, overwrite=plan.overwrite, origin=origin, group=group
    )


def _open_corpus(plan: Plan) -> PreparedCorpus:
    """The corpus of the plan; each machine has it on its own disk."""
    corpus = PreparedCorpus.open(plan.data)
    if corpus.fingerprint != plan.fingerprint:
        raise UsageError(f"{plan.data}: another corpus than process 0 has: prepare once, and copy the folder")
    return corpus


def _path(path: Path | str | None) -> Path | None:
    return None if path is None else Path(path)
