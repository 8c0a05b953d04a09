"""On a pretended GPU every config learns, resumes and translates as on the CPU, and seldom waits for the GPU."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch

from seq2seq_cli.config.catalog import list_configs
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.corpus.batches import Batch
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.decoding.engines.torch_engine import TorchEngine
from seq2seq_cli.decoding.load import load
from seq2seq_cli.errors import TrainingError
from seq2seq_cli.training.events import Report, Step
from seq2seq_cli.training.report import finish, make_ready
from seq2seq_cli.training.resolve import resolve_config
from seq2seq_cli.training.run import train_session
from seq2seq_cli.training.session import Session
from tests.corpora import prepared, reversed_words, symbol_sequences
from tests.pretend_device import PRETEND, PretendedTensor, pretended_gpu
from tests.tiny import EXACT, check_resumed, started, tiny_model, tiny_sizes

QUICK = {
    *("luong_dot", "luong_feed", "bahdanau", "hard", "luong_local_p", "best", "state_free", "no_attention_cho"),
    *("tutorial_location", "papers/bahdanau2015"),
}
"""Configs of all mechanisms; the others are tried by ``make test-all``."""
CONFIGS = [
    pytest.param(entry.name, [], marks=() if entry.name in QUICK else pytest.mark.slow) for entry in list_configs()
]
SETTINGS = [
    *(*EXACT, "model.encoder.word_dropout=0", "model.encoder.state_dropout=0", "model.decoder.word_dropout=0"),
    *("model.decoder.readout_dropout=0", "training.scheduled_sampling=null", "training.bpe_dropout=0"),
    *("training.epochs=2", "training.batch_size=16", "training.batch_unit=sentence", "training.precision=fp32"),
    *("training.max_minutes=null", "training.deterministic=true", "decoding.max_length_extra=2"),
]
"""No dropout: a GPU has random numbers of its own, and draws other ones."""


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> PreparedCorpus:
    sequences = symbol_sequences(36, shortest=3, longest=6)
    reversals = [(sequence, reversed_words(sequence)) for sequence in sequences]
    splits = ["data.valid_sources=4", "data.test_sources=4"]
    return prepared(tmp_path_factory.mktemp("pretended"), reversals, splits)


def config_of(corpus: PreparedCorpus, name: str, device: str, settings: Sequence[str] = ()) -> Config:
    overrides = [*tiny_sizes(name), *SETTINGS, f"training.device={device}", *settings]
    return resolve_config(load_config(name, overrides), corpus)


def opened(path: Path, corpus: PreparedCorpus, name: str, device: str, settings: Sequence[str] = ()) -> Session:
    return started(path, config_of(corpus, name, device, settings), corpus)


def finished(session: Session, waits: Counter[str] | None = None) -> Report:
    """Train to the end; an update may wait for the GPU once."""
    of_update = Counter[str]()
    for event in train_session(session):
        if isinstance(event, Step) and waits is not None:
            assert waits - of_update == {"tolist": 1}  # whether the gradient is finite decides about the step
        of_update = Counter(waits)
    return finish(*make_ready(session))


def assert_same_training(here: Session, there: Session) -> None:
    """Both learned the same, up to the roundings of sums in another order."""
    assert {weight.device for weight in there.state.model.parameters()} == {PRETEND}
    assert there.state.model.parameter_count == here.state.model.parameter_count
    learned, rounding = there.run.read_best(), 1e-4 if here.state.precision == "fp32" else 2e-3
    for name, weights in here.run.read_best().items():
        np.testing.assert_allclose(learned[name], weights, atol=rounding, err_msg=name)
    assert there.state.progress.best_scores == pytest.approx(here.state.progress.best_scores, rel=1e-3)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        *CONFIGS,
        ("luong_general", ["training.sampled_words=5"]),
        ("luong_general", ["training.sampled_words=null"]),
        ("luong_feed", ["training.teacher_forcing=0.5"]),
        ("luong_feed", ["training.scheduled_sampling=3"]),
        ("hard", ["training.teacher_forcing=0.5"]),
        ("luong_dot", ["training.precision=bf16-mixed"]),
        ("luong_feed", ["training.precision=bf16-mixed"]),
        ("bahdanau", ["training.precision=bf16-mixed"]),
        ("luong_dot", ["training.doubly_stochastic=0.1", "training.label_smoothing=0.1"]),
        ("luong_dot", ["training.optimiser=sgd", "training.weight_decay=0"]),
        ("luong_dot", ["training.optimiser=adam", "training.weight_decay=0"]),
        ("luong_dot", ["training.augmentation.enabled=true"]),
        ("luong_dot", ["decoding.similar_pairs=2"]),
        ("best", ["model.tied_embeddings=target"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "".join(value[:1]).removeprefix("training."),
)
def test_a_config_learns_there_what_it_learns_on_the_cpu(
    name: str, settings: list[str], pairs: PreparedCorpus, tmp_path: Path
) -> None:
    here = opened(tmp_path / "here", pairs, name, "cpu", settings)
    expected = finished(here)
    with pretended_gpu() as waits:
        there = opened(tmp_path / "there", pairs, name, "cuda", settings)
        report = finished(there, waits)
    assert_same_training(here, there)
    assert report.samples == expected.samples
    assert report.test is not None
    assert expected.test is not None
    assert report.test.loss == pytest.approx(expected.test.loss, rel=1e-2)


@pytest.mark.parametrize("name", ["luong_feed", "best", "hard", "papers/bahdanau2015"])
def test_a_resumed_training_equals_one_that_was_not_stopped(name: str, pairs: PreparedCorpus, tmp_path: Path) -> None:
    dropout = ["model.decoder.dropout=0.2", "training.teacher_forcing=0.5"]
    with pretended_gpu():
        check_resumed(tmp_path, config_of(pairs, name, "cuda", dropout), pairs, 3)


@pytest.fixture(scope="module")
def runs(pairs: PreparedCorpus, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two runs of the CPU."""
    folder = tmp_path_factory.mktemp("runs")
    seeds = {folder / f"seed{seed}": f"training.seed={seed}" for seed in (1, 2)}
    for path, seed in seeds.items():
        finished(opened(path, pairs, "luong_feed", "cpu", [seed, "decoding.similar_pairs=2"]))
    return list(seeds)


@pytest.mark.parametrize("search", [["decoding.beam_size=1"], ["decoding.beam_size=3"], ["decoding.similar_pairs=2"]])
def test_models_of_the_cpu_translate_the_same_there(search: list[str], runs: list[Path]) -> None:
    sources = ["a b c", "d a", "f e d c b a", ""]
    for models in (runs[:1], runs):
        here = load(models, device="cpu", overrides=["decoding.engine=torch", *search]).translator.translate(sources)
        with pretended_gpu():
            there = load(models, device="cuda", overrides=search).translator.translate(sources)
        for left, right in zip(here, there, strict=True):
            assert right.text == left.text
            assert right.score == pytest.approx(left.score, abs=1e-4)


def test_a_step_of_the_search_waits_once_for_the_gpu() -> None:
    with pretended_gpu() as waits:
        engine = TorchEngine(tiny_model().to(PRETEND).eval())
        state = engine.start([[4, 5], [6]])
        assert not waits
        for _ in range(3):
            tokens = np.array([4, 5])
            _, state = engine.step(tokens, state, k=2, asked=np.array([[3], [3]]))
            state = state.select(np.array([1, 0]))
        assert waits == {"_to_copy": 3}


def test_a_tensor_on_the_wrong_device_is_found(
    pairs: PreparedCorpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Batch, "to", lambda batch, _: batch)
    with pretended_gpu():
        session = opened(tmp_path / "run", pairs, "luong_dot", "cuda")
        with pytest.raises(RuntimeError, match=r"pretend:0 and cpu"):
            finished(session)


def test_a_lack_of_its_memory_is_told_with_the_way_out(pairs: PreparedCorpus, tmp_path: Path) -> None:
    huge = ["model.encoder.embedding_size=30000", "model.tied_embeddings=none"]
    with pretended_gpu(largest=2**20):
        with pytest.raises(TrainingError, match="out of memory on pretend: lower"):
            opened(tmp_path / "huge", pairs, "luong_dot", "cuda", huge)
        session = opened(tmp_path / "run", pairs, "luong_dot", "cuda")
        session.state.model.encoder.register_forward_pre_hook(lambda *_: torch.zeros(2**19, device=PRETEND))
        with pytest.raises(TrainingError, match=r"out of memory on pretend: lower training\.batch_size.*Resume with"):
            finished(session)


def test_its_tensors_are_no_tensors_of_the_cpu() -> None:
    with pretended_gpu():
        there = torch.ones(2, device=PRETEND)
        assert isinstance(there, PretendedTensor)
        with pytest.raises(RuntimeError, match="same device"):
            there + torch.ones(2)
        with pytest.raises(TypeError, match="copy it to the CPU"):
            np.asarray(there)
        assert (there + 1).cpu().tolist() == [2.0, 2.0]
