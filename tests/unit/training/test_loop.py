"""When a training ends, how its updates add up, and what the clock and the scores decide."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from seq2seq_cli.config.schema.training import TrainingConfig
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.decoding.load import load_model
from seq2seq_cli.learning.training_state import Progress
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.text.vocabulary import EOS
from seq2seq_cli.training.events import Event, Finished, Step, Validated
from seq2seq_cli.training.loop import (
    TrainingLoop,
    end_reason,
    fraction_done,
    is_ended_by_time,
    is_validation_due,
    validate,
)
from seq2seq_cli.training.run import train_session
from tests.tiny import fresh_tiny, resumed, started, tiny_config


def events(corpus: PreparedCorpus, *overrides: str) -> Iterator[Event]:
    config = tiny_config(corpus, *overrides)
    return iter(TrainingLoop(fresh_tiny(corpus, config), corpus, config))


def finished(all_events: list[Event]) -> str:
    assert isinstance(all_events[-1], Finished)
    return all_events[-1].reason


def test_patience_counts_validations_that_bring_nothing_better(corpus: PreparedCorpus) -> None:
    # With so small a step, BLEU stays at 0 and the loss falls; so the metric is one that cannot improve.
    all_events = list(
        events(corpus, "training.epochs=50", "training.patience=2", "training.lr=1e-30", "training.best_metric=chrf")
    )
    validated = [event for event in all_events if isinstance(event, Validated)]
    assert [event.is_best for event in validated] == [True, False, False]
    assert finished(all_events) == "no better chrF in 2 validations"


def test_the_loss_decides_where_bleu_is_0_after_every_epoch(corpus: PreparedCorpus, tmp_path: Path) -> None:
    one_token = ("decoding.max_length_factor=0", "decoding.max_length_extra=1", "decoding.min_length=0")
    config = tiny_config(corpus, "training.epochs=2", "training.best_metric=bleu", "training.lr=1e-5", *one_token)
    session = started(tmp_path / "run", config, corpus)
    with torch.no_grad():
        session.state.model.output.bias[EOS] = 100.0  # it writes nothing at all
    validated = [event for event in train_session(session) if isinstance(event, Validated)]
    assert [event.scores and event.scores.bleu.value for event in validated] == [0, 0]
    progress = session.state.progress
    losses = [event.scores.loss for event in validated if event.scores]
    assert progress.best_epoch == 1 + losses.index(min(losses))
    best = f"epoch {progress.best_epoch} with loss {min(losses):.3f}"
    assert progress.best_in_words("bleu") == best
    assert f"best: {best}" in (tmp_path / "run" / "README.md").read_text(encoding="utf-8")


def test_max_minutes_ends_within_an_epoch_with_a_validation(corpus: PreparedCorpus) -> None:
    all_events = list(events(corpus, "training.epochs=100000", "training.max_minutes=0.02"))
    assert finished(all_events) == "0.02-minute limit reached"
    assert isinstance(all_events[-2], Validated)
    # Less is left than a validation takes: a step may have been begun before that was so.
    steps = [event for event in all_events if isinstance(event, Step)]
    assert sum(event.seconds for event in steps[:-1]) < 0.02 * 60


def test_a_slow_validation_is_left_out_after_all_epochs_but_the_first_and_the_last(corpus: PreparedCorpus) -> None:
    config = tiny_config(corpus, "training.epochs=4", "training.max_minutes=100")
    state = fresh_tiny(corpus, config)
    validated = []
    for event in TrainingLoop(state, corpus, config):
        if isinstance(event, Validated):
            validated.append(event)
            state.progress.validation_seconds = 100.0
    assert [event.epoch for event in validated] == [1, 4]
    assert validated[-1].step == state.progress.step
    assert state.progress.validated_step == state.progress.step


def test_a_run_resumed_with_an_earlier_end_has_a_validation_of_its_newest_weights(
    corpus: PreparedCorpus, tmp_path: Path
) -> None:
    config = tiny_config(corpus, "training.epochs=100", "training.max_minutes=100")
    session = started(tmp_path / "run", config, corpus)
    for event in train_session(session):
        if isinstance(event, Validated):
            session.state.progress.validation_seconds = 100.0
        elif isinstance(event, Step) and event.epoch == 3:
            session.run.save_last(session.state.checkpoint())
            break
    session = resumed(RunFolder(tmp_path / "run"), tiny_config(corpus, "training.epochs=2"), corpus)
    all_events = list(train_session(session))
    assert finished(all_events) == "all 2 epochs are done"
    (validated,) = (event for event in all_events if isinstance(event, Validated))
    assert (validated.epoch, validated.step) == (3, session.state.progress.step)
    assert validated.scores
    again = train_session(resumed(session.run, session.config, corpus))
    assert not any(isinstance(event, Validated) for event in again)


def test_more_minutes_go_on_within_the_epoch(corpus: PreparedCorpus, tmp_path: Path) -> None:
    config = tiny_config(corpus, "training.epochs=100000", "training.max_minutes=0.01")
    list(train_session(started(tmp_path / "run", config, corpus)))
    session = resumed(RunFolder(tmp_path / "run"), config, corpus)
    before = (session.state.progress.epoch, session.state.progress.position)
    assert not [event for event in train_session(session) if isinstance(event, Step)]
    more = tiny_config(corpus, "training.epochs=100000", "training.max_minutes=100")
    session = resumed(RunFolder(tmp_path / "run"), more, corpus)
    first = next(event for event in train_session(session) if isinstance(event, Step))
    assert (first.epoch - 1, session.state.progress.position - 1) == before


def test_the_end_reason_follows_from_the_progress_alone() -> None:
    assert end_reason(Progress(), TrainingConfig(epochs=1)) is None
    assert end_reason(Progress(epoch=1), TrainingConfig(epochs=1)) == "the only epoch is done"
    assert (
        end_reason(Progress(validations_since_best=1), TrainingConfig(patience=1)) == "no better BLEU in 1 validation"
    )
    # 50 s are gone, and the last validation needs 11.
    progress = Progress(seconds=50.0, validation_seconds=11.0)
    assert end_reason(progress, TrainingConfig(max_minutes=1.0)) == "1-minute limit reached"
    assert end_reason(progress, TrainingConfig(max_minutes=2.0)) is None
    # Updates that no validation has followed yet are to have one.
    progress.step = 1
    assert end_reason(progress, TrainingConfig(max_minutes=1.0)) is None


def test_a_training_whose_epochs_are_done_is_not_ended_by_its_time() -> None:
    training = TrainingConfig(epochs=3, max_minutes=10)
    late = Progress(epoch=2, seconds=604, step=9, validated_step=9)
    assert is_ended_by_time(late, training)
    assert not is_ended_by_time(late.model_copy(update={"epoch": 3}), training)
    assert not is_ended_by_time(late.model_copy(update={"seconds": 500}), training)


def test_validations_take_a_twentieth_of_a_limited_time_at_most() -> None:
    training = TrainingConfig(epochs=100, max_minutes=6)
    assert is_validation_due(Progress(seconds=7.0), training)  # the first, whose duration is not known
    short = Progress(epoch=1, seconds=87.0, validated_seconds=12.0, validation_seconds=4.0)
    assert not is_validation_due(short, training)
    assert is_validation_due(short.model_copy(update={"seconds": 12.0 + 19 * 4.0}), training)
    # The weights at the end have a validation in any case.
    assert is_validation_due(short.model_copy(update={"epoch": 99}), training)
    assert is_validation_due(short.model_copy(update={"seconds": 356.0, "validated_seconds": 340.0}), training)
    # Without a limit, the clock decides nothing.
    assert is_validation_due(short, TrainingConfig(epochs=100))


def test_the_fraction_done_is_that_of_epochs_or_of_time_whichever_is_more() -> None:
    progress = Progress(epoch=1, position=5, batches=10, seconds=30.0, validation_seconds=20.0)
    assert fraction_done(progress, TrainingConfig(epochs=4)) == pytest.approx(1.5 / 4)
    # 30 of the 100 seconds that the validation leaves.
    assert fraction_done(progress, TrainingConfig(epochs=4, max_minutes=2.0)) == pytest.approx(1.5 / 4)
    assert fraction_done(progress, TrainingConfig(epochs=10, max_minutes=2.0)) == pytest.approx(0.3)
    assert fraction_done(progress, TrainingConfig(epochs=10, max_minutes=0.5)) == 1.0


def test_the_learning_rate_follows_the_schedule(corpus: PreparedCorpus) -> None:
    settings = ("training.epochs=2", "training.schedule=cosine", "training.warmup_steps=4", "training.lr=0.01")
    steps = [event for event in events(corpus, *settings) if isinstance(event, Step)]
    assert [step.lr for step in steps[:4]] == pytest.approx([0.0025, 0.005, 0.0075, 0.01])
    # The last of the 18 updates after the warm-up.
    assert len(steps) == 22
    assert steps[-1].lr == pytest.approx(0.01 * (1 + math.cos(math.pi * 17 / 18)) / 2)


def test_a_validation_is_greedy_where_the_config_draws(corpus: PreparedCorpus) -> None:
    config = tiny_config(corpus)
    drawing = tiny_config(corpus, "decoding.sampling=true", "decoding.temperature=5")
    state = fresh_tiny(corpus, config)
    assert validate(state, corpus, drawing) == validate(state, corpus, config)
    assert (config.decoding.in_words, drawing.decoding.in_words) == ("beam 5", "sampling")


def test_the_weights_that_scored_best_are_kept(corpus: PreparedCorpus, tmp_path: Path) -> None:
    config = tiny_config(corpus, "training.best_metric=loss", "training.lr=0.03")
    session = started(tmp_path / "run", config, corpus)
    for event in train_session(session):
        if isinstance(event, Validated) and event.is_best:
            best = {name: weight.clone() for name, weight in session.state.model.state_dict().items()}
    for name, weight in load_model(session.run, session.run.read_best()).state_dict().items():
        assert torch.equal(weight, best[name]), name
