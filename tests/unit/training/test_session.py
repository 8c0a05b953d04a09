"""Stopped and resumed equals never stopped; what was saved is never lost."""

import signal
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from seq2seq_cli.config.loader import dump_config
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.errors import Interrupted, TrainingError
from seq2seq_cli.runs.checkpoint import load_checkpoint
from seq2seq_cli.runs.folder import RunFolder, resume_command
from seq2seq_cli.runs.layout import CHECKPOINTS, CONFIG
from seq2seq_cli.runs.records import EpochRecord, read_history
from seq2seq_cli.training.events import Event, Finished, Started, Step, Validated, Validating
from seq2seq_cli.training.run import train_session
from tests.corpora import prepared
from tests.tiny import check_resumed, resumed, started, stop_after, tiny_config
from tests.unit.conftest import Whole

STEPS_PER_EPOCH = 11


def epochs(path: Path) -> list[EpochRecord]:
    """The records of the epochs, without the clock."""
    return [record.model_copy(update={"seconds": 0}) for record in read_history(path).validations]


@pytest.mark.parametrize("stops", [[5], [11, 14, 15, 30]], ids=lambda s: "-".join(map(str, s)))
def test_resumed_equals_never_stopped_bit_for_bit(
    whole: Whole, corpus: PreparedCorpus, config: Config, tmp_path: Path, stops: list[int]
) -> None:
    session = started(tmp_path / "parts", config, corpus)
    for stop in stops:
        stop_after(session, stop)
        torch.manual_seed(999)  # another process starts from anywhere
        session = resumed(RunFolder(tmp_path / "parts"), config, corpus)
    list(train_session(session))
    for name, parameter in whole.session.state.model.state_dict().items():
        assert torch.equal(parameter, session.state.model.state_dict()[name]), name
    assert epochs(session.run.path) == epochs(whole.session.run.path)
    assert session.run.best_path.read_bytes() == whole.session.run.best_path.read_bytes()


@pytest.mark.parametrize(
    "overrides",
    [
        [
            *("model.attention.scope=hard", "training.schedule=cosine"),
            "training.scheduled_sampling=10",
            *("training.optimiser=adamw", "training.weight_decay=0.01"),
        ],
        ["training.schedule=halving", "training.halving_after=0.5"],
    ],
    ids=["draws", "halvings"],
)
def test_random_draws_and_schedules_are_resumed_too(
    corpus: PreparedCorpus, tmp_path: Path, overrides: list[str]
) -> None:
    check_resumed(tmp_path, tiny_config(corpus, "training.epochs=2", *overrides), corpus, 14)


def test_a_model_that_does_not_fit_into_memory_is_told_and_leaves_nothing(
    corpus: PreparedCorpus, run_path: Path
) -> None:
    huge = [f"model.{side}.hidden_size=3000000" for side in ("encoder", "decoder")]
    with pytest.raises(TrainingError, match="out of memory on cpu: "):
        started(run_path, tiny_config(corpus, *huge), corpus)
    assert not run_path.exists()


def test_a_training_that_runs_out_of_memory_says_how_it_is_resumed(
    corpus: PreparedCorpus, config: Config, run_path: Path
) -> None:
    def exhaust(*_: object) -> None:
        raise torch.OutOfMemoryError("out of memory")

    session = started(run_path, config, corpus)
    session.state.model.encoder.register_forward_pre_hook(exhaust)
    with pytest.raises(TrainingError, match=r"out of memory on cpu: lower training\.batch_size") as ended:
        list(train_session(session))
    assert str(ended.value).endswith(
        f"{session.run.last_path} is kept. Resume with: {resume_command(run_path, 'training.batch_size=8')}"
    )


def test_another_seed_gives_another_run(whole: Whole, corpus: PreparedCorpus, run_path: Path) -> None:
    other = train_session(started(run_path, tiny_config(corpus, "training.seed=2"), corpus))
    ours, theirs = (next(event.loss for event in each if isinstance(event, Step)) for each in (whole.events, other))
    assert ours != theirs


def test_a_new_seed_changes_what_a_resumed_run_draws(corpus: PreparedCorpus, config: Config, tmp_path: Path) -> None:
    stop_after(started(tmp_path / "run", config, corpus), 5)

    def drawn(*overrides: str) -> list[float]:
        resumed(RunFolder(tmp_path / "run"), tiny_config(corpus, *overrides), corpus)
        return torch.rand(3).tolist()

    assert drawn() == drawn()
    assert drawn("training.seed=2") == drawn("training.seed=2") != drawn()


def test_events_come_in_order_and_the_best_epoch_is_kept(whole: Whole) -> None:
    kinds = [type(event) for event in whole.events]
    assert kinds == [Started] + ([Step] * STEPS_PER_EPOCH + [Validating, Validated]) * 3 + [Finished]
    validated = [event for event in whole.events if isinstance(event, Validated)]
    assert [event.step for event in validated] == [11, 22, 33]

    def rank(event: Validated) -> tuple[float, float]:
        assert event.scores
        return event.scores.chrf.value, -event.scores.loss  # of so few pairs

    best = max(validated, key=rank)
    assert whole.session.state.progress.best_epoch == best.epoch
    assert [event.epoch for event in validated if event.is_best][-1] == best.epoch


def test_a_longer_training_goes_on_where_the_shorter_ended(
    whole: Whole, corpus: PreparedCorpus, tmp_path: Path
) -> None:
    list(train_session(started(tmp_path / "short", tiny_config(corpus, "training.epochs=1"), corpus)))
    list(train_session(resumed(RunFolder(tmp_path / "short"), tiny_config(corpus), corpus)))
    assert epochs(tmp_path / "short") == epochs(whole.session.run.path)


def test_a_resumed_run_has_the_new_learning_rate(corpus: PreparedCorpus, config: Config, run_path: Path) -> None:
    stop_after(started(run_path, config, corpus), 5)
    session = resumed(RunFolder(run_path), tiny_config(corpus, "training.lr=0.5"), corpus)
    step = next(event for event in train_session(session) if isinstance(event, Step))
    assert (step.step, step.lr) == (6, 0.5)


@pytest.mark.parametrize(("old", "new"), [("adam", "adadelta"), ("adam", "muon"), ("muon", "sgd")])
def test_a_run_resumed_with_another_optimiser_begins_its_moments_anew(
    old: str, new: str, corpus: PreparedCorpus, run_path: Path
) -> None:
    stop_after(started(run_path, tiny_config(corpus, f"training.optimiser={old}"), corpus), 5)
    session = resumed(RunFolder(run_path), tiny_config(corpus, f"training.optimiser={new}"), corpus)
    assert not any(session.state.optimiser.state_dict()["parts"])
    list(train_session(session))
    assert session.state.progress.step == 33


def test_another_batch_size_starts_the_epoch_over_after_an_older_checkpoint_too(
    corpus: PreparedCorpus, config: Config, run_path: Path
) -> None:
    stop_after(started(run_path, config, corpus), 14)
    run, other = RunFolder(run_path), tiny_config(corpus, "training.batch_size=32")
    session = resumed(run, other, corpus)
    progress = session.state.progress
    assert (progress.epoch, progress.position, progress.of_epoch.tokens) == (1, 0, 0)
    session.run.write(CONFIG, dump_config(other).encode())
    session.run.save_last(session.state.checkpoint())
    run.last_path.write_bytes(b"damaged")
    progress = resumed(run, other, corpus).state.progress  # from the checkpoint before it
    assert (progress.step, progress.epoch, progress.position) == (14, 1, 0)


def test_a_checkpoint_is_saved_as_often_as_the_config_says(corpus: PreparedCorpus, run_path: Path) -> None:
    config = tiny_config(corpus, "training.epochs=1", "training.save_minutes=1e-9")
    session = started(run_path, config, corpus)
    saved = [
        load_checkpoint(session.run.path / CHECKPOINTS[0])["progress"]["step"]
        for event in train_session(session)
        if isinstance(event, Step)
    ]
    assert saved == list(range(STEPS_PER_EPOCH))  # each is saved after its event
    # A resumed run takes the time until its checkpoint from the records.
    assert [record.step for record in read_history(run_path).steps] == list(range(1, STEPS_PER_EPOCH + 1))


@pytest.mark.parametrize("stopped", [Step, Validated])
def test_a_stop_keeps_the_checkpoint_before_it(
    corpus: PreparedCorpus, config: Config, run_path: Path, stopped: type[Event]
) -> None:
    def stop(event: Event) -> None:
        if isinstance(event, stopped):
            signal.raise_signal(signal.SIGTERM)

    session = started(run_path, config, corpus)
    with pytest.raises(Interrupted):
        deque(map(stop, train_session(session)))
    last, previous = (load_checkpoint(session.run.path / name)["progress"]["step"] for name in CHECKPOINTS)
    assert (last, previous) == (session.state.progress.step, 0)


def test_a_training_may_run_in_any_thread(corpus: PreparedCorpus, run_path: Path) -> None:
    session = started(run_path, tiny_config(corpus, "training.epochs=1"), corpus)
    with ThreadPoolExecutor(1) as thread:
        assert any(isinstance(event, Finished) for event in thread.submit(list, train_session(session)).result())


def test_without_held_out_sentences_the_newest_model_is_kept(corpus: PreparedCorpus, tmp_path: Path) -> None:
    pairs = corpus.sentences("train")[:40]
    everything = prepared(tmp_path, pairs, ["data.valid_sources=0", "data.test_sources=0"])
    session = started(tmp_path / "run", tiny_config(everything), everything)
    validated = [event for event in train_session(session) if isinstance(event, Validated)]
    assert [(event.scores, event.is_best) for event in validated] == [(None, True)] * 3
    assert session.state.progress.best_epoch == 3


def test_a_training_whose_loss_is_not_finite_says_how_it_is_resumed(
    corpus: PreparedCorpus, config: Config, run_path: Path
) -> None:
    session = started(run_path, config, corpus)
    with torch.no_grad():
        session.state.model.output.bias[5] = float("inf")
    with pytest.raises(TrainingError, match=r"step 3: the loss \(nan\).*3 steps in a row") as ended:
        list(train_session(session))
    assert str(ended.value).endswith(
        f"{session.run.last_path} is kept. Resume with: {resume_command(run_path, 'training.lr=0.0005')}"
    )
