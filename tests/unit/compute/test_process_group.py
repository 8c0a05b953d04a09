"""The part of each process in a training; several processes at once are in tests/integration."""

import numpy as np
import pytest
import torch

from seq2seq_cli.compute.process import launch_name
from seq2seq_cli.compute.process_group import SINGLE, ProcessGroup, torchrun_group
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.corpus.augmentation import Augmentation
from seq2seq_cli.corpus.batches import collate
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.errors import OtherProcessError, TrainingError, UsageError
from seq2seq_cli.learning.update import Objective
from tests.tiny import fresh_tiny, tiny_config


def groups(size: int) -> list[ProcessGroup]:
    return [ProcessGroup(rank=rank, size=size) for rank in range(size)]


@pytest.mark.parametrize("scope", ["global", "local_p", "hard"])
def test_a_process_without_pairs_adds_nothing_to_any_gradient(corpus: PreparedCorpus, scope: str) -> None:
    """Torch waits for the gradient of every weight, so there has to be one."""
    config = tiny_config(corpus, f"model.attention.scope={scope}")
    model = fresh_tiny(corpus, config).model
    batch = collate(corpus.split("train"), [])
    loss = Objective(model, config.training)(batch, 0.5, None)
    torch.autograd.backward(loss.objective)
    assert (loss.tokens, loss.nll.item()) == (0, 0.0)
    assert all(weight.grad is not None and not weight.grad.any() for weight in model.parameters())


@pytest.mark.parametrize("setting", ["attention.scope=hard", "attention.scope=local_p", "decoder.kind=bahdanau"])
def test_a_process_with_pairs_has_a_gradient_for_every_weight(corpus: PreparedCorpus, setting: str) -> None:
    """Each pair for itself: a share may be as small as that."""
    config = tiny_config(corpus, f"model.{setting}")
    model = fresh_tiny(corpus, config).model
    for row in range(6):
        model.zero_grad()
        loss = Objective(model, config.training)(collate(corpus.split("train"), np.array([row])), 0.5, None)
        torch.autograd.backward(loss.objective)
        assert all(weight.grad is not None for weight in model.parameters())


def test_a_single_process_needs_no_communication() -> None:
    assert SINGLE.is_main
    assert SINGLE.sum([1.5, 2.0]) == [1.5, 2.0]
    assert SINGLE.max(143) == 143
    assert SINGLE.gather("mine") == ["mine"]
    assert SINGLE.on_main(lambda: 3) == SINGLE.on_all(lambda: 3) == 3
    model = torch.nn.Linear(2, 2)
    assert SINGLE.wrap(model) is model
    for ask in (SINGLE.on_main, SINGLE.on_all):
        with pytest.raises(UsageError, match="as it is"):
            ask(_refuse)


def _refuse() -> None:
    raise UsageError("as it is")


def test_the_first_process_tells_an_error_of_all() -> None:
    first, second = groups(2)
    error = TrainingError("three in a row")
    assert first.agreed(error) is error
    told = second.agreed(error)
    assert isinstance(told, OtherProcessError)
    assert (told.args, told.exit_code) == ((), error.exit_code)


def test_without_torchrun_a_training_is_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "3")  # other programs have a use for this name
    with torchrun_group() as group:
        assert group == SINGLE
    assert launch_name() is None


def test_a_launch_has_a_name_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "job 7")
    assert launch_name() == "job 7"
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "none")  # as of every torchrun that was told who is master
    ours = launch_name()
    monkeypatch.setattr("os.getppid", lambda: 0)  # of no process
    assert ours != launch_name()


def test_each_process_has_draws_of_its_own_and_the_first_those_of_one_alone(corpus: PreparedCorpus) -> None:
    training = load_config(None, ["training.augmentation.kept=0.5"]).training
    changes = [Augmentation.of(training, corpus, **stream) for stream in ({}, {"stream": 0}, {"stream": 1})]
    drawn = [each and each.apply(corpus.split("train"), np.arange(60), epoch=0, window=3) for each in changes]
    alone, first, second = (pairs and pairs.src.pick(np.arange(len(pairs))).values.tolist() for pairs in drawn)
    assert alone == first != second


def test_a_checkpoint_has_the_random_state_of_every_process(corpus: PreparedCorpus, config: Config) -> None:
    states = [fresh_tiny(corpus, config) for _ in range(2)]
    random, drawn = [], []
    for seed, state in enumerate(states):
        torch.manual_seed(seed)
        random.append(state.random_state())
        drawn.append(torch.rand(3))
    checkpoint = states[0].checkpoint(random)
    for group, expected in zip(groups(2), drawn, strict=True):
        torch.manual_seed(99)
        states[1].restore(checkpoint, group)
        assert torch.equal(torch.rand(3), expected)

    torch.manual_seed(99)
    untouched = torch.rand(3)
    torch.manual_seed(99)
    states[1].restore(checkpoint)  # by one process: it has no state of two
    assert torch.equal(torch.rand(3), untouched)
