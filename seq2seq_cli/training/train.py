"""``s2s train`` as a function: plan, train, report."""

from collections.abc import Generator
from contextlib import ExitStack
from functools import partial

import torch

from seq2seq_cli.compute.device import choose_device
from seq2seq_cli.compute.process_group import ProcessGroup, launch_name, torchrun_group
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.errors import UsageError
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.training.events import Event
from seq2seq_cli.training.plan import Options, Plan, make_plan
from seq2seq_cli.training.report import finish
from seq2seq_cli.training.session import Session


def train(options: Options) -> Generator[Event, None, None]:
    """Train a translator, and keep the best weights; the last event is the Report.

    Under torchrun the main process alone has events, and the others none. The run is locked from before its checkpoint
    is read until the report is written.

    Raises S2SError: UsageError and other InputErrors before anything is written, TrainingError when training cannot go
    on, Interrupted, with everything saved, when the user stops it.
    """
    with ExitStack() as held:
        with torchrun_group() as group:
            session = open_session(options, group, held)
            for event in session.train():
                if group.is_main:
                    yield event
        if group.is_main:
            yield finish(session)


def open_session(options: Options, group: ProcessGroup, held: ExitStack) -> Session:
    """Start or resume the run that the options name; `held` takes its lock."""
    corpora: list[PreparedCorpus] = []

    def decide() -> Plan:
        plan, corpus = make_plan(options, launch=launch_name(), held=held)
        corpora.append(corpus)
        return plan

    plan = group.on_main(decide)
    corpus, device = group.on_all(lambda: _open_here(plan, group, *corpora))
    if plan.resumes:
        return Session.resume(RunFolder(plan.path), plan.config, corpus, device, group=group, changes=plan.changes)
    origin = RunFolder(plan.init_from) if plan.init_from else None
    start = partial(Session.start, plan.path, plan.config, corpus, device)
    return start(held=held, overwrite=plan.overwrite, origin=origin, group=group)


def _open_here(
    plan: Plan, group: ProcessGroup, corpus: PreparedCorpus | None = None
) -> tuple[PreparedCorpus, torch.device]:
    """The corpus and the device of this process; each machine reads the corpus from its own disk."""
    if corpus is None:
        corpus = PreparedCorpus.open(plan.data)
        if corpus.fingerprint != plan.fingerprint:
            raise UsageError(f"{plan.data}: another corpus than process 0 has: prepare once, and copy the folder")
    return corpus, choose_device(plan.config.training.device, group)
