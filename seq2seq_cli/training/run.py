"""A run as events: the session that the plan names is opened, trained, saved on the way, and reported."""

import signal
import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

from seq2seq_cli.compute.device import denormals_as_zero, describe_device, deterministic_algorithms
from seq2seq_cli.compute.environment import launch_name
from seq2seq_cli.compute.memory import SMALLER_TRAINING, memory_errors
from seq2seq_cli.compute.process_group import ProcessGroup, torchrun_group
from seq2seq_cli.config.loader import dump_config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import SplitName
from seq2seq_cli.counts import counted, place_in_words
from seq2seq_cli.errors import Interrupted, PreparedFolderError, TrainingError, UsageError
from seq2seq_cli.learning.update import NotFiniteError
from seq2seq_cli.runs.folder import resume_command
from seq2seq_cli.runs.layout import CONFIG
from seq2seq_cli.training.events import Event, Started
from seq2seq_cli.training.loop import TrainingLoop
from seq2seq_cli.training.plan import Options, Plan, Planned, make_plan
from seq2seq_cli.training.recorder import Recorder
from seq2seq_cli.training.report import finish
from seq2seq_cli.training.session import Session, open_session


def run_events(options: Options, planned: Planned | None, locks: ExitStack) -> Generator[Event, None, None]:
    """The events of a run from its start, or from where it is resumed, to its report.

    `planned` is what a single process has decided; the processes of torchrun decide together, when they are connected,
    and the first of them alone has events. `locks` holds the lock of the run.
    """
    with torchrun_group() as group, denormals_as_zero():
        session = _open(options, planned, group, locks)
        for event in train_session(session):
            if group.is_main:
                yield event
    if group.is_main:
        yield finish(session)


def _open(options: Options, planned: Planned | None, group: ProcessGroup, locks: ExitStack) -> Session:
    """Start or resume the run that the options name; `locks` takes its lock."""
    opened: list[PreparedCorpus] = []

    def decide() -> tuple[Plan, Sequence[Any]]:
        plan, corpus = planned or make_plan(options, launch=launch_name(), locks=locks)
        opened.append(corpus)
        return plan, (corpus.path, corpus.fingerprint, corpus.left_out, corpus.corrections)

    plan, of_main = group.on_main(decide)
    corpus = group.on_all(lambda: opened[0] if opened else _open_corpus(*of_main))
    return open_session(plan, corpus, locks=locks, group=group)


def _open_corpus(
    path: Path, fingerprint: str, left_out: Mapping[SplitName, tuple[int, ...]], corrections: Mapping[str, str]
) -> PreparedCorpus:
    """The corpus that process 0 has; each machine has it on its own disk."""
    corpus = PreparedCorpus.open(path)
    if corpus.fingerprint != fingerprint:
        raise UsageError(f"{path}: another corpus than process 0 has: prepare once, and copy the folder")
    return replace(corpus.leaving_out(left_out), corrections=corrections)


def train_session(session: Session) -> Iterator[Event]:
    """Train to the end that the config sets, and save checkpoints, weights and metrics on the way.

    Raises Interrupted, after saving, when the user asks to stop; TrainingError when training cannot continue;
    PreparedFolderError when the corpus was written to.
    """
    group, config, progress = session.group, session.config, session.state.progress
    yield Started(lines=(*session.plan.changes, _start_in_words(session)), training=config.training)
    # On a CPU all algorithms are deterministic.
    deterministic = config.training.deterministic and session.state.device.type != "cpu"
    with (
        _completed_errors(session),
        deterministic_algorithms() if deterministic else nullcontext(),
        _stop_request() as asked,
    ):
        recorder = Recorder(session)
        recorder.save()
        # After the checkpoint, whose position counts batches in the order that the old config sets.
        group.on_main(lambda: session.run.write_text(CONFIG, dump_config(config)))
        for event in TrainingLoop(session.state, session.corpus, config, group):
            recorder.record(event)
            yield event
            exit_code = group.max(*asked, 0)
            if exit_code or recorder.is_save_due(event):
                recorder.save()
            if exit_code:
                recorder.interrupt()
                place = f"{place_in_words(progress.epochs, config.training.epochs)}, at step {progress.step}"
                message = f"interrupted {place}; {_how_to_resume(session)}"
                raise group.agreed(Interrupted(message, exit_code=exit_code))


def _start_in_words(session: Session) -> str:
    state, origin, processes = session.state, session.plan.init_from, session.group.size
    step, epoch = state.progress.step, state.progress.epoch + 1
    return (
        f"training {session.run.path} on {describe_device(state.device)}"
        + (f" in each of {processes} processes" if processes > 1 else "")
        + f", {state.precision}: {counted(len(session.corpus.split('train')), 'pair')}"
        + f"{session.corpus.manifest.help_in_words(session.config.training.help.least_covered)}"
        + (f" and {counted(len(session.corpus.corrections), 'correction')}," if session.corpus.corrections else ",")
        + f" {state.model.parameter_count:,} parameters"
        + (f", begun with the weights of {origin}" if origin else "")
        + (f", {session.shared_units}" if session.shared_units else "")
        + (f", from step {step} in epoch {epoch}" if step else "")
    )


@contextmanager
def _completed_errors(session: Session) -> Iterator[None]:
    """Add to an error what is saved and how to go on."""
    training = session.config.training
    smaller = f"training.batch_size={max(1, training.batch_size // 2)}"
    try:
        with memory_errors(session.state.device.type, f"{SMALLER_TRAINING}; {_how_to_resume(session, smaller)}"):
            yield
    except PreparedFolderError as error:
        raise PreparedFolderError(f"{error}; {_how_to_resume(session)}") from error
    except NotFiniteError as error:
        slower = f"training.lr={training.lr / 2:g}"
        raise TrainingError(f"{error}; {_how_to_resume(session, slower)}") from error


def _how_to_resume(session: Session, *overrides: str) -> str:
    command = resume_command(session.run.path, *overrides)
    if session.group.size > 1:
        command = f"torchrun [its options] -m seq2seq_cli {command.removeprefix('s2s ')}"
    return f"{session.run.last_path} is kept. Resume with: {command}"


@contextmanager
def _stop_request() -> Iterator[list[int]]:
    """A list that gets the exit code of the first signal to stop; a second signal acts as it would elsewhere."""
    asked: list[int] = []
    with ExitStack() as put_back:

        def ask(number: int, _frame: FrameType | None) -> None:
            asked.append(128 + number)
            put_back.close()

        # Python allows handlers in the main thread alone, which is also the one that signals interrupt.
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                put_back.callback(signal.signal, number, signal.signal(number, ask))
        yield asked
