"""The features that are kept of all pairs: as far apart as those that are computed, and for their weights alone."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seq2seq_cli.compute.ragged import Ragged
from seq2seq_cli.decoding.engines.ensemble import Ensemble
from seq2seq_cli.decoding.similar import features
from seq2seq_cli.decoding.similar.engine import ConsultingEngine
from seq2seq_cli.decoding.similar.features import MOST_STEPS, JoinedFeatures, KeptFeatures, features_of
from seq2seq_cli.decoding.similar.pairs import SimilarPairs
from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import FEATURE_FILES
from seq2seq_cli.runs.weights import save_weights
from seq2seq_cli.runs.writer import RunWriter
from tests.unit.decoding.search.tables import A, B, C, TableEngine, random_engine

SOURCES = [[0], [0, B], [1], [2, A], [3]]
TARGETS = [[A, B], [B, A, C], [], [C, C], [A]]


def pairs_of(sources: list[list[int]], targets: list[list[int]]) -> SimilarPairs:
    return SimilarPairs.of(Ragged.of(sources), Ragged.of(targets))


PAIRS = pairs_of(SOURCES, TARGETS)


def computed(model: TableEngine, pairs: SimilarPairs = PAIRS) -> KeptFeatures:
    kept = KeptFeatures.computed(model, pairs)
    assert kept is not None
    return kept


def distances(values: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.square(values[:, np.newaxis] - values).sum(axis=2)
    return found


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1))
def test_no_more_features_than_components_keep_their_distances(seed: int) -> None:
    model = random_engine(seed, tables=4, sharpness=0.3)
    kept, exact = computed(model), dict(features_of(model, PAIRS, np.arange(5)))
    assert [len(kept.of_pair(number)) for number in range(5)] == [len(target) + 1 for target in TARGETS]
    ours = distances(np.concatenate([kept.of_pair(number) for number in range(5)]).astype(np.float64))
    theirs = distances(np.concatenate([exact[number] for number in range(5)]))
    scale = ours.max() / theirs.max()
    np.testing.assert_allclose(ours / scale, theirs, atol=0.05 * theirs.max())
    np.testing.assert_allclose(kept.project(exact[1]), kept.of_pair(1), atol=0.51 + 0.01 * 127)


def test_the_largest_components_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(features, "COMPONENTS", 1)
    tables = np.full((2, 7, 7), 0.1)
    tables[0, :, A], tables[1, :, A] = 0.4, 0.7  # they differ in log p(A) alone
    kept = computed(TableEngine(tables), pairs_of([[0], [1]], [[B], [B]]))
    assert kept.components.shape == (4, 1)
    assert sorted(kept.components[:, 0].tolist()) == [-127, -127, 127, 127]
    assert kept.components[0, 0] == kept.components[1, 0]


def test_pairs_that_are_too_long_have_none_and_too_many_steps_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    model = random_engine(1)
    kept = computed(model, pairs_of([[0], [0]], [[A, B], [C] * MOST_STEPS]))
    assert kept.of_pair(0).any()
    assert not kept.of_pair(1).any()
    monkeypatch.setattr(features, "MOST_KEPT", 3)
    assert KeptFeatures.computed(model, pairs_of([[0]], [[A, B]])) is not None
    assert KeptFeatures.computed(model, pairs_of([[0]], [[A, B, C]])) is None


def test_the_features_of_models_together_are_side_by_side() -> None:
    models = [random_engine(seed, tables=4, sharpness=seed) for seed in (1, 3)]
    joined = JoinedFeatures([computed(model) for model in models])
    exact = dict(features_of(Ensemble(models), PAIRS, np.arange(5)))
    ours = distances(np.concatenate([joined.of_pair(number) for number in range(5)]).astype(np.float64))
    theirs = distances(np.concatenate([exact[number] for number in range(5)]))
    np.testing.assert_allclose(ours, theirs, atol=0.05 * theirs.max())
    np.testing.assert_allclose(joined.project(exact[1]), joined.of_pair(1), atol=0.02 * np.sqrt(theirs.max()))
    with pytest.raises(ModelFileError, match="not of this model"):
        joined.project(exact[1][:, :-1])


def test_searches_take_no_steps_for_pairs_whose_features_are_kept() -> None:
    model = random_engine(2, tables=4)
    with_kept, without = (
        ConsultingEngine(model, PAIRS, most=4, weight=0.6, same={}, kept=each)
        for each in (JoinedFeatures([computed(model)]), None)
    )
    model.rows.clear()
    state = with_kept.start([[0, B], [1]])
    assert not model.rows
    asked = np.tile(np.arange(7), (2, 1))
    found, _ = with_kept.step(np.array([A, B]), state, k=2, asked=asked)
    exact, _ = without.step(np.array([A, B]), without.start([[0, B], [1]]), k=2, asked=asked)
    np.testing.assert_allclose(np.exp(found.asked), np.exp(exact.asked), atol=0.03)


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    save_weights(RunFolder(tmp_path).best_path, {"weight": np.ones(3, dtype=np.float32)})
    return RunFolder(tmp_path)


def test_what_is_saved_is_opened_for_the_same_weights_alone(run: RunFolder) -> None:
    assert KeptFeatures.open(run, PAIRS) is None
    kept = computed(random_engine(3, tables=4))
    RunWriter(run.path).save_pairs(kept.arrays(run))
    opened = KeptFeatures.open(run, PAIRS)
    assert opened is not None
    np.testing.assert_array_equal(opened.components, kept.components)
    np.testing.assert_array_equal(opened.projection, kept.projection)
    save_weights(run.best_path, {"weight": np.zeros(3, dtype=np.float32)})
    assert KeptFeatures.open(run, PAIRS) is None


@pytest.mark.parametrize("name", ["components", "projection"])
def test_damaged_features_are_refused(run: RunFolder, name: str) -> None:
    kept = computed(random_engine(3, tables=4))
    for damaged in (np.zeros((2, 2), np.int8), np.full((8, 7), np.nan, np.float32), np.zeros(3, np.int64)):
        RunWriter(run.path).save_pairs(kept.arrays(run) | {name: damaged})
        with pytest.raises(ModelFileError, match="pairs: missing or damaged"):
            KeptFeatures.open(run, PAIRS)
    (run.path / FEATURE_FILES[name]).write_bytes(b"PK")
    with pytest.raises(ModelFileError, match="pairs: missing or damaged"):
        KeptFeatures.open(run, PAIRS)
