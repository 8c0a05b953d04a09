"""A run as events: the session that the plan names is opened, trained, saved on the way, and reported."""

import logging
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from seq2seq_cli.compute.device import denormals_as_zero, describe_device, deterministic_algorithms, threads_among
from seq2seq_cli.compute.process import SMALLER_TRAINING, memory_errors
from seq2seq_cli.compute.process_group import ProcessGroup, torchrun_group
from seq2seq_cli.compute.workers import beside
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import SplitName
from seq2seq_cli.counts import counted, place_in_words
from seq2seq_cli.errors import ExportError, Interrupted, PreparedFolderError, TrainingError, UsageError
from seq2seq_cli.learning.training_state import Tally
from seq2seq_cli.learning.update import NotFiniteError
from seq2seq_cli.runs.folder import RunFolder, resume_command
from seq2seq_cli.runs.layout import CARD, MEMBERS
from seq2seq_cli.runs.records import EndRecord, EpochRecord, InterruptRecord, Record, StepRecord
from seq2seq_cli.training.events import Event, Finished, Started, Step, Validated
from seq2seq_cli.training.loop import TrainingLoop
from seq2seq_cli.training.plan import Options, Plan, Planned, make_plan
from seq2seq_cli.training.report import finish, make_ready, model_card
from seq2seq_cli.training.session import Session, open_session, save_config

STEPS_PER_RECORD = 100

logger = logging.getLogger(__name__)


def run_events(options: Options, planned: Planned | None, locks: ExitStack) -> Generator[Event, None, None]:
    """The events of a run from its start, or from where it is resumed, to its report.

    `planned` is what a single process has decided; the processes of torchrun decide together, when they are connected,
    and the first of them alone has events. `locks` holds the lock of the run. The other models that translate together
    with the first one have one event each: their end.
    """
    with ExitStack() as of_all:
        of_all.enter_context(threads_among(planned[0].config.training.members if planned else 1))
        with torchrun_group() as group, denormals_as_zero():
            session = _open(options, planned, group, locks)
            ends = of_all.enter_context(_other_members(session))
            for event in train_session(session):
                if group.is_main:
                    yield event
        if not group.is_main:
            return
        session, chosen = make_ready(session)
    yield from ends
    session.run.write_members(session.config.training.members)
    yield finish(session, chosen)


@contextmanager
def _other_members(session: Session) -> Iterator[Sequence[Finished]]:
    """The other models of a run are trained beside the block, in a process each; their ends, which follow the block.

    Raises Interrupted when the user stops the wait for them: what is trained is kept.
    """
    member = partial(_train_member, session.plan, _reopening(session.corpus))
    try:
        with beside([partial(member, number) for number in range(2, session.config.training.members + 1)]) as ends:
            yield ends
    except KeyboardInterrupt:
        if not session.run.has_checkpoint:
            raise
        raise Interrupted(f"interrupted; {_how_to_resume(session)}") from None


def _train_member(first: Plan, reopen: Callable[[], PreparedCorpus], number: int) -> Finished:
    """The end of the training of another model, which is trained like the first one with a seed of its own."""
    training, run = first.config.training, RunFolder(first.path / MEMBERS / str(number))
    seed = int(np.random.SeedSequence([training.seed, number]).generate_state(1)[0])  # of no other run
    own = training.model_copy(update={"members": 1, "choose_decoding": False, "seed": seed})
    config, is_new = first.config.model_copy(update={"training": own}), not run.best_path.is_file()
    plan = replace(first, path=run.path, config=config, resumed=None, overwrite=is_new, changes=())
    with threads_among(training.members, number - 1), denormals_as_zero(), ExitStack() as locks:
        if run.has_checkpoint:
            locks.enter_context(run.lock())
            plan = replace(plan, resumed=run.provenance())
        session = open_session(plan, reopen(), locks=locks)
        [end] = [event for event in train_session(session) if isinstance(event, Finished)]
        make_ready(session)
    return replace(end, best=f"{end.best} (model {number})")


def _open(options: Options, planned: Planned | None, group: ProcessGroup, locks: ExitStack) -> Session:
    """Start or resume the run that the options name; `locks` takes its lock."""
    opened: list[PreparedCorpus] = []

    def decide() -> tuple[Plan, Callable[[], PreparedCorpus]]:
        plan, corpus = planned or make_plan(options, locks=locks)
        opened.append(corpus)
        return plan, _reopening(corpus)

    plan, reopen = group.on_main(decide)
    corpus = group.on_all(lambda: opened[0] if opened else reopen())
    return open_session(plan, corpus, locks=locks, group=group)


def _reopening(corpus: PreparedCorpus) -> Callable[[], PreparedCorpus]:
    """A call that opens the corpus in another process; each machine has it on its own disk."""
    return partial(_open_corpus, corpus.path, corpus.fingerprint, corpus.left_out, corpus.corrections)


def _open_corpus(
    path: Path, fingerprint: str, left_out: Mapping[SplitName, tuple[int, ...]], corrections: Mapping[str, str]
) -> PreparedCorpus:
    """The corpus of this fingerprint; UsageError for another one."""
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
        group.on_main(lambda: save_config(session.run, config, session.corpus))
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


class Recorder:
    """Writes what a session must not lose: the main process writes, and the others learn whether it could."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._run, self._state, self._group = session.run, session.state, session.group
        self._training = session.config.training
        self._saved_at = session.state.progress.seconds
        self._tried_export = False

    def record(self, event: Event) -> None:
        """Write the metrics of an event and, after a validation, the weights."""
        progress = self._state.progress
        match event:
            case Step() if event.step % STEPS_PER_RECORD == 0 or self.is_save_due(event):
                tally, progress.of_record = progress.of_record, Tally()
                self._write(
                    StepRecord,
                    train_loss=tally.mean_loss,
                    lr=event.lr,
                    gradient_norm=event.gradient_norm,
                    tokens_per_second=round(tally.tokens / tally.seconds) if tally.seconds else None,
                    skipped=progress.skipped,
                )
            case Validated(scores=scores):
                self._group.on_main(lambda: self._keep_weights(event))
                attention = scores.attention if scores else None
                self._write(
                    EpochRecord,
                    lr=progress.lr,
                    train_loss=event.train_loss,
                    attention_entropy=attention.entropy if attention else None,
                    words_on_marks=attention.words_on_marks if attention else None,
                    attention=event.attention,
                    best=event.is_best,
                    **(scores.recorded() if scores else {}),
                )
            case Finished():
                self._write(EndRecord, reason=event.reason)

    def is_save_due(self, event: Event) -> bool:
        """Whether a checkpoint is to be saved after an event."""
        seconds = self._state.progress.seconds - self._saved_at
        is_late = isinstance(event, Step) and seconds >= self._training.save_minutes * 60
        return is_late or isinstance(event, Validated)

    def save(self) -> None:
        """Write the checkpoint to resume from."""
        random = self._group.gather(self._state.random_state())
        self._group.on_main(lambda: self._run.save_last(self._state.checkpoint(random)))
        self._saved_at = self._state.progress.seconds

    def interrupt(self) -> None:
        """Record an interruption, after the checkpoint: a resumed run has the records up to its checkpoint alone."""
        self._write(InterruptRecord)
        if self._state.progress.best_epoch:
            self._group.on_main(lambda: self._run.write(CARD, model_card(self._session).encode()))

    def _write(self, kind: Callable[..., Record], **values: Any) -> None:
        """Append a record of a kind, with the position of the run, to the metrics."""
        progress = self._state.progress
        record = kind(
            step=progress.step,
            epoch=progress.last_epoch,
            epochs=progress.epochs,
            seconds=round(progress.seconds, 1),
            tokens=progress.tokens,
            **values,
        )
        self._group.on_main(lambda: self._run.append_metrics(record))

    def _keep_weights(self, event: Validated) -> None:
        """Save the weights, and the card as far as it is known: the best weights have one whatever comes later."""
        model, run = self._state.model, self._run
        if event.is_best:
            run.save_best(model.weights())
            if not self._tried_export:  # the graphs of the first best weights serve all that follow
                self._tried_export = True
                from seq2seq_cli.decoding.engines.graphs import export_best  # not above: ONNX takes time to load

                try:
                    export_best(run.path, model, self._session.config)
                except (ExportError, OSError) as error:
                    logger.warning("%s: the run translates with torch alone", error)
        run.save_epoch(model.weights(), event.epoch, self._training.keep)
        run.write(CARD, model_card(self._session).encode())


def _start_in_words(session: Session) -> str:
    state, origin, processes = session.state, session.plan.init_from, session.group.size
    others = session.config.training.members - 1
    step, place = state.progress.step, place_in_words(state.progress.epochs, session.config.training.epochs)
    return (
        f"training {session.run.path} on {describe_device(state.device)}"
        + (f" in each of {processes} processes" if processes > 1 else "")
        + (f" and {counted(others, 'other model')} beside it" if others else "")
        + f", {state.precision}: {counted(len(session.corpus.split('train')), 'pair')}"
        + session.corpus.manifest.help_in_words(session.config.training.help.least_covered)
        + (f" and {counted(len(session.corpus.corrections), 'correction')}," if session.corpus.corrections else ",")
        + f" {state.model.parameter_count:,} parameters"
        + (f", begun with the weights of {origin}" if origin else "")
        + (f", {session.shared_units}" if session.shared_units else "")
        + (f", from step {step} {place}" if step else "")
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
    """A list that gets the exit codes of signals to stop; a second interrupt acts as it would elsewhere."""
    asked: list[int] = []
    with ExitStack() as put_back, ExitStack() as put_back_interrupt:

        def ask(number: int, _frame: FrameType | None) -> None:
            asked.append(128 + number)
            put_back_interrupt.close()

        # Python allows handlers in the main thread alone, which is also the one that signals interrupt.
        if threading.current_thread() is threading.main_thread():
            put_back.callback(signal.signal, signal.SIGTERM, signal.signal(signal.SIGTERM, ask))
            put_back_interrupt.callback(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, ask))
        yield asked
