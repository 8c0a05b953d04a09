"""A run that begins with the weights of another."""

import json
import shutil
from pathlib import Path

import pytest
import torch

from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.decoding.engines.open_engine import load_model
from seq2seq_cli.errors import ModelFileError, UsageError
from seq2seq_cli.evaluation.held_out import read_references
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.training.card import model_card
from seq2seq_cli.training.report import report
from tests.corpora import prepared
from tests.tiny import created, resumed, started, tiny_config
from tests.unit.conftest import Whole

VARIANTS = ("model.encoder.variational_dropout=true", "model.decoder.word_dropout=0.1")


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def origin(whole: Whole, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A finished run."""
    return RunFolder(shutil.copytree(whole.session.run.path, tmp_path_factory.mktemp("origin") / "old"))


def test_begins_as_good_as_the_best_epoch_of_its_origin_with_a_fresh_optimiser(
    origin: RunFolder, corpus: PreparedCorpus, run_path: Path
) -> None:
    session = started(run_path, tiny_config(corpus, "training.seed=7"), corpus, origin=origin)

    lines = [json.loads(line) for line in (origin.path / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    best = [line["loss"] for line in lines if line["kind"] == "epoch" and line["best"]][-1]
    assert read_references(session.state.model, corpus, "valid")[0] == pytest.approx(best, abs=1e-6)
    assert session.state.progress.step == 0
    assert not list(session.state.optimiser.moments())


def test_leaves_its_origin_as_it_is_and_says_where_it_is_from(
    origin: RunFolder, corpus: PreparedCorpus, run_path: Path
) -> None:
    before = contents(origin.path)
    session = started(run_path, tiny_config(corpus, "training.epochs=1"), corpus, origin=origin)
    list(session.train())

    assert contents(origin.path) == before
    session = resumed(RunFolder(run_path), session.config, corpus)
    assert f"it began with the best weights of `{origin.path.name}`" in model_card(
        session.run, corpus, session.config, session.state, report(session)
    )
    assert origin.provenance().init_from is None


def test_stopped_and_resumed_equals_never_stopped(origin: RunFolder, corpus: PreparedCorpus, tmp_path: Path) -> None:
    config = tiny_config(corpus, "training.epochs=2")
    whole = started(tmp_path / "whole", config, corpus, origin=origin)
    list(whole.train())
    for event in started(tmp_path / "parts", config, corpus, origin=origin).train():
        if getattr(event, "epoch", 0) == 2:
            break  # what the end of the first epoch saved is resumed
    parts = resumed(RunFolder(tmp_path / "parts"), config, corpus)
    list(parts.train())
    for name, parameter in whole.state.model.state_dict().items():
        assert torch.equal(parameter, parts.state.model.state_dict()[name]), name


def test_another_model_is_refused_with_every_key_and_both_values(
    origin: RunFolder, corpus: PreparedCorpus, run_path: Path
) -> None:
    sizes = ("model.encoder.hidden_size=16", "model.decoder.hidden_size=16")
    config = tiny_config(corpus, *sizes, "model.attention.score=dot")
    with pytest.raises(UsageError) as refused:
        started(run_path, config, corpus, origin=origin)
    (line,) = refused.value.lines()
    for key, theirs, ours in (
        ("model.encoder.hidden_size", 12, 16),
        ("model.attention.score", "general", "dot"),
        ("model.decoder.hidden_size", 12, 16),
    ):
        assert f"{key} is {ours}, {origin.path} has {theirs}" in line
    assert not run_path.exists()


def test_the_same_model_may_have_another_dropout(origin: RunFolder, corpus: PreparedCorpus, run_path: Path) -> None:
    dropouts = ("model.encoder.dropout=0.25", "model.decoder.dropout=0.5", *VARIANTS)
    config = tiny_config(corpus, *dropouts, "model.attention.size=12")  # which is what null stands for
    assert config.model != origin.config().model
    model = started(run_path, config, corpus, origin=origin).state.model
    best = load_model(origin, origin.read_best()).state_dict()
    assert all(torch.equal(parameter, best[name]) for name, parameter in model.state_dict().items())
    assert RunFolder(run_path).config().model == config.model


def test_other_vocabularies_are_refused_with_their_sizes(
    origin: RunFolder, corpus: PreparedCorpus, tmp_path: Path, run_path: Path
) -> None:
    fewer = [(src, tgt) for src, tgt in corpus.sentences("train") if "t" not in src]
    other = prepared(tmp_path / "other", fewer)
    theirs, ours = len(corpus.src_codec.vocabulary), len(other.src_codec.vocabulary)
    assert ours < theirs
    with pytest.raises(UsageError, match=f"src: {theirs} units there, {ours} here; .*--codec-from {origin.path}"):
        started(run_path, tiny_config(other), other, origin=origin)
    assert not run_path.exists()


@pytest.mark.parametrize("place", [".", "inside"])
def test_a_run_is_not_begun_in_its_own_origin(origin: RunFolder, corpus: PreparedCorpus, place: str) -> None:
    before = contents(origin.path)
    with pytest.raises(UsageError, match="--out"):
        started(origin.path / place, tiny_config(corpus), corpus, overwrite=True, origin=origin)
    assert contents(origin.path) == before


def test_a_run_without_weights_is_no_origin(
    corpus: PreparedCorpus, config: Config, tmp_path: Path, run_path: Path
) -> None:
    young = created(tmp_path / "young", config, corpus)
    with pytest.raises(ModelFileError, match="no epoch of this run is finished"):
        started(run_path, config, corpus, origin=young)
    assert not run_path.exists()
