"""A run that begins with the weights of another."""

import json
import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest
import torch

from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.decoding.engines.open_engine import load_model
from seq2seq_cli.errors import ModelFileError, UsageError
from seq2seq_cli.evaluation.held_out import read_references
from seq2seq_cli.preparation.prepare import prepare
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.training.plan import Options, check_origin, make_plan
from seq2seq_cli.training.report import model_card, report
from seq2seq_cli.training.run import train_session
from tests.corpora import prepared, write_reversals
from tests.tiny import created, resumed, started, tiny_config
from tests.unit.conftest import Whole

VARIANTS = ("model.encoder.word_dropout=0.1", "model.decoder.word_dropout=0.1")


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def origin(whole: Whole, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A finished run."""
    return RunFolder(shutil.copytree(whole.session.run.path, tmp_path_factory.mktemp("origin") / "old"))


def test_begins_as_good_as_the_best_epoch_of_its_origin_with_a_fresh_optimiser(
    origin: RunFolder, corpus: PreparedCorpus, run_path: Path
) -> None:
    session = started(run_path, tiny_config(corpus, "training.seed=7"), corpus, init_from=origin.path)

    lines = [json.loads(line) for line in (origin.path / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    best = [line["loss"] for line in lines if line["kind"] == "epoch" and line["best"]][-1]
    assert read_references(session.state.model, corpus, "valid")[0] == pytest.approx(best, abs=1e-6)
    assert session.state.progress.step == 0
    assert not any(part["state"] for part in session.state.optimiser.state_dict()["parts"])


def test_leaves_its_origin_as_it_is_and_says_where_it_is_from(
    origin: RunFolder, corpus: PreparedCorpus, run_path: Path
) -> None:
    before = contents(origin.path)
    session = started(run_path, tiny_config(corpus, "training.epochs=1"), corpus, init_from=origin.path)
    list(train_session(session))

    assert contents(origin.path) == before
    session = resumed(RunFolder(run_path), session.config, corpus)
    assert f"it began with the best weights of `{origin.path.name}`" in model_card(session, report(session))
    assert origin.provenance().init_from is None


def test_the_same_model_may_have_another_dropout(origin: RunFolder, corpus: PreparedCorpus, run_path: Path) -> None:
    dropouts = ("model.encoder.dropout=0.25", "model.decoder.dropout=0.5", *VARIANTS)
    config = tiny_config(corpus, *dropouts, "model.attention.size=12")  # which is what null stands for
    assert config.model != origin.config().model
    model = started(run_path, config, corpus, init_from=origin.path).state.model
    best = load_model(origin, origin.read_best()).state_dict()
    assert all(torch.equal(parameter, best[name]) for name, parameter in model.state_dict().items())
    assert RunFolder(run_path).config().model == config.model


@pytest.fixture(scope="module")
def located(corpus: PreparedCorpus, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run, not trained, whose attention has a place for each token of the longest source, and no more."""
    settings = ("model.attention.score=location", "model.attention.max_length=7")
    return created(tmp_path_factory.mktemp("located") / "old", tiny_config(corpus, *settings), corpus)


def planned_refusal(origin: RunFolder, corpus: PreparedCorpus, run_path: Path) -> str:
    """The line by which ``s2s train --init-from ORIGIN --data CORPUS --out RUN`` is refused before torch is loaded."""
    options = Options(data=corpus.path, out=run_path, init_from=origin.path)
    with ExitStack() as held, pytest.raises(UsageError) as refused:
        make_plan(options, launch=None, locks=held)
    (line,) = refused.value.lines()
    return line


def test_other_vocabularies_are_refused_first_with_their_sizes(
    located: RunFolder, corpus: PreparedCorpus, tmp_path: Path, run_path: Path
) -> None:
    # Its sources are too long for the model, too: with the vocabularies of the run, they may be shorter.
    other = prepared(tmp_path, [(f"a a a b b b c c {word}", word) for word in "defghijklmnopq"])
    theirs, ours = len(corpus.src_codec.vocabulary), len(other.src_codec.vocabulary)
    assert ours < theirs
    line = planned_refusal(located, other, run_path)
    assert f"src: {theirs} units there, {ours} here; " in line
    assert line.endswith(f": prepare with --codec-from {located.path}")


def test_sources_too_long_for_the_model_of_the_origin_can_only_be_left_out(
    located: RunFolder, tmp_path: Path, run_path: Path
) -> None:
    write_reversals(tmp_path / "pairs.txt")
    longer = "a b c d e f g\tg f e d c b a\n"
    (tmp_path / "pairs.txt").write_text((tmp_path / "pairs.txt").read_text(encoding="utf-8") + longer, encoding="utf-8")
    prepare(tmp_path / "pairs.txt", out=tmp_path / "prepared", codec_from=located.path)
    line = planned_refusal(located, PreparedCorpus.open(tmp_path / "prepared"), run_path)
    assert "model.attention.max_length (7) is too small" in line
    assert line.endswith(" has 8 tokens with <eos>: prepare with a lower data.max_tokens")


@pytest.mark.parametrize("place", [".", "inside"])
def test_a_run_is_not_begun_in_its_own_origin(origin: RunFolder, corpus: PreparedCorpus, place: str) -> None:
    before = contents(origin.path)
    with pytest.raises(UsageError, match="--out"):
        check_origin(origin, origin.path / place, tiny_config(corpus), corpus)
    assert contents(origin.path) == before


def test_a_run_without_weights_is_no_origin(
    corpus: PreparedCorpus, config: Config, tmp_path: Path, run_path: Path
) -> None:
    young = created(tmp_path / "young", config, corpus)
    with pytest.raises(ModelFileError, match="no epoch of this run is finished"):
        started(run_path, config, corpus, init_from=young.path)
    assert not run_path.exists()
