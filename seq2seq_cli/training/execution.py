"""The execution of a plan: the session that it names is opened, trained and reported."""

from collections.abc import Generator
from contextlib import ExitStack

from seq2seq_cli.compute.process_group import ProcessGroup, torchrun_group
from seq2seq_cli.compute.torchrun import launch_name
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.errors import UsageError
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.training.events import Event
from seq2seq_cli.training.plan import Options, Plan, Planned, make_plan
from seq2seq_cli.training.report import finish
from seq2seq_cli.training.session import Session


def execute(options: Options, planned: Planned | None, held: ExitStack) -> Generator[Event, None, None]:
    """The events of a training from its start, or from where it is resumed, to its report.

    `planned` is what a single process has decided; the processes of torchrun decide together, when they are connected,
    and the first of them alone has events. `held` holds the lock of the run.
    """
    with torchrun_group() as group:
        session = _open_session(options, planned, group, held)
        for event in session.train():
            if group.is_main:
                yield event
    if group.is_main:
        yield finish(session)


def _open_session(options: Options, planned: Planned | None, group: ProcessGroup, held: ExitStack) -> Session:
    """Start or resume the run that the options name; `held` takes its lock."""
    opened: list[PreparedCorpus] = []

    def decide() -> Plan:
        plan, corpus = planned or make_plan(options, launch=launch_name(), held=held)
        opened.append(corpus)
        return plan

    plan = group.on_main(decide)
    corpus = group.on_all(lambda: opened[0] if opened else _open_corpus(plan))
    if plan.resumes:
        return Session.resume(RunFolder(plan.path), plan.config, corpus, group=group, changes=plan.changes)
    origin = RunFolder(plan.init_from) if plan.init_from else None
    return Session.start(
        plan.path,
        plan.config,
        corpus,
        held=held,
        overwrite=plan.overwrite,
        origin=origin,
        group=group,
        changes=plan.changes,
    )


def _open_corpus(plan: Plan) -> PreparedCorpus:
    """The corpus of the plan; each machine has it on its own disk."""
    corpus = PreparedCorpus.open(plan.data)
    if corpus.fingerprint != plan.fingerprint:
        raise UsageError(f"{plan.data}: another corpus than process 0 has: prepare once, and copy the folder")
    return corpus.leaving_out(plan.left_out)
