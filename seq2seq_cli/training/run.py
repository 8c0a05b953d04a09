"""A run as events: the session that the plan names is opened, trained, saved on the way, and reported."""

import signal
import threading
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from types import FrameType

from seq2seq_cli.compute.device import describe_device, deterministic_algorithms
from seq2seq_cli.compute.memory import memory_errors
from seq2seq_cli.compute.out_of_memory import SMALLER_TRAINING
from seq2seq_cli.compute.process_group import ProcessGroup, torchrun_group
from seq2seq_cli.compute.torchrun import launch_name
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.errors import (
    Interrupted,
    OtherProcessError,
    PreparedFolderError,
    TrainingError,
    UsageError,
    exit_code_of_signal,
)
from seq2seq_cli.learning.update import NotFiniteError
from seq2seq_cli.runs.folder import RunFolder, resume_command
from seq2seq_cli.runs.in_words import place_in_words
from seq2seq_cli.runs.writer import RunWriter
from seq2seq_cli.training.events import Event, Started
from seq2seq_cli.training.loop import PositionError, TrainingLoop
from seq2seq_cli.training.plan import Options, Plan, Planned, make_plan
from seq2seq_cli.training.recorder import Recorder
from seq2seq_cli.training.report import finish
from seq2seq_cli.training.session import Session, not_a_checkpoint


def run_events(options: Options, planned: Planned | None, held: ExitStack) -> Generator[Event, None, None]:
    """The events of a run from its start, or from where it is resumed, to its report.

    `planned` is what a single process has decided; the processes of torchrun decide together, when they are connected,
    and the first of them alone has events. `held` holds the lock of the run.
    """
    with torchrun_group() as group:
        session = _open_session(options, planned, group, held)
        for event in train_session(session):
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
    if plan.resumed:
        saved, provenance = plan.resumed
        return Session.resume(
            RunWriter(plan.path),
            plan.config,
            corpus,
            saved=saved,
            provenance=provenance,
            group=group,
            changes=plan.changes,
        )
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


def train_session(session: Session) -> Iterator[Event]:
    """Train to the end that the config sets, and save checkpoints, weights and metrics on the way.

    Raises Interrupted, after saving, when the user asks to stop; TrainingError when training cannot continue;
    PreparedFolderError when the corpus was written to; ModelFileError when the checkpoint resumed is damaged.
    """
    yield _started(session)
    smaller_batches = f"training.batch_size={max(1, session.config.training.batch_size // 2)}"
    # On a CPU all algorithms are deterministic.
    deterministic = session.config.training.deterministic and session.state.device.type != "cpu"
    with (
        memory_errors(session.state.device, f"{SMALLER_TRAINING}; {_how_to_resume(session, smaller_batches)}"),
        _completed_errors(session),
        deterministic_algorithms() if deterministic else nullcontext(),
        StopRequest() as stop,
    ):
        recorder = Recorder(session)
        yield recorder.save()
        # After the checkpoint, whose position counts batches in the order that the old config sets.
        session.group.on_main(lambda: session.run.write_config(session.config))
        for event in TrainingLoop(session.state, session.corpus, session.config, session.group):
            recorder.record(event)
            yield event
            if is_saved := recorder.is_save_due(event):
                yield recorder.save()
            if exit_code := session.group.max(stop.exit_code or 0):
                if not is_saved:
                    recorder.save()
                recorder.interrupt()
                raise session.group.agreed(Interrupted(_how_to_go_on(session), exit_code=exit_code))


def _started(session: Session) -> Started:
    progress = session.state.progress
    return Started(
        run=session.run.path,
        device=describe_device(session.state.device),
        processes=session.group.size,
        precision=session.state.precision,
        pairs=len(session.corpus.split("train")),
        parameters=session.state.model.parameter_count,
        init_from=str(session.init_from) if session.init_from else None,
        training=session.config.training,
        epoch=progress.epoch + 1,
        step=progress.step,
        changes=session.changes,
        redraws=session.redraws,
    )


@contextmanager
def _completed_errors(session: Session) -> Iterator[None]:
    """Add to an error what is saved and how to go on; one process per machine raises one of the corpus."""
    try:
        yield
    except PreparedFolderError as error:
        if session.group.local_rank:
            raise OtherProcessError(exit_code=error.exit_code) from error
        raise PreparedFolderError(f"{error}; {_how_to_resume(session)}") from error
    except NotFiniteError as error:
        slower = f"training.lr={session.config.training.lr / 2:g}"
        raise TrainingError(f"{error}; {_how_to_resume(session, slower)}") from error
    except PositionError as error:
        raise session.group.agreed(not_a_checkpoint(session.run, f" ({error})")) from error


def _how_to_resume(session: Session, *overrides: str) -> str:
    return f"{session.run.last_path} is kept. Resume with: {_resume_command(session, *overrides)}"


def _how_to_go_on(session: Session) -> str:
    progress = session.state.progress
    return (
        f"interrupted {place_in_words(progress.epochs, session.config.training.epochs)}, at step {progress.step};"
        f" saved in {session.run.last_path}. Resume with: {_resume_command(session)}"
    )


def _resume_command(session: Session, *overrides: str) -> str:
    command = resume_command(session.run.path, *overrides)
    if session.group.size == 1:
        return command
    return f"torchrun [its options] -m seq2seq_cli {command.removeprefix('s2s ')}"


EXIT_CODES = {number: exit_code_of_signal(number) for number in (signal.SIGINT, signal.SIGTERM)}


class StopRequest:
    """Inside the ``with`` block the first signal only sets `exit_code`, which the block checks."""

    def __init__(self) -> None:
        self.exit_code: int | None = None
        """The exit code of the program; None before any signal."""

    def __enter__(self) -> "StopRequest":
        # Python allows handlers in the main thread alone, which is also the one that signals interrupt.
        is_main = threading.current_thread() is threading.main_thread()
        self._before = {number: signal.signal(number, self._on_signal) for number in EXIT_CODES} if is_main else {}
        return self

    def __exit__(self, *_: object) -> None:
        self._put_back()

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        self.exit_code = EXIT_CODES[signal.Signals(number)]
        self._put_back()

    def _put_back(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
