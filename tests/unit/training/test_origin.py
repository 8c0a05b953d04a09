"""A run that begins with the weights of another."""

from pathlib import Path

import numpy as np
import pytest
import torch

from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.decoding.load import load_model, load_translator
from seq2seq_cli.errors import ModelFileError, UsageError
from seq2seq_cli.evaluation.held_out import read_references
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.records import read_history
from seq2seq_cli.text.sides import load_codecs
from seq2seq_cli.training.events import Started
from seq2seq_cli.training.plan import Options, check_origin
from seq2seq_cli.training.report import model_card, report
from seq2seq_cli.training.run import train_session
from tests.corpora import SYMBOLS, prepared, reversed_words, symbol_sequences
from tests.folders import contents
from tests.tiny import created, planned, resumed, started, tiny_config


def test_begins_as_good_as_the_best_epoch_of_its_origin_with_a_fresh_optimiser(
    origin: RunFolder, corpus: PreparedCorpus, run_path: Path
) -> None:
    session = started(run_path, tiny_config(corpus, "training.seed=7"), corpus, init_from=origin.path)

    best = read_history(origin.path).best
    assert best is not None
    assert read_references(session.state.model, corpus, "valid")[0] == pytest.approx(best.loss, abs=1e-6)
    assert session.state.progress.step == 0
    assert not any(session.state.optimiser.state_dict()["parts"])


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
    noise = ("dropout=0.5", "word_dropout=0.1")
    dropouts = [f"model.{side}.{key}" for side in ("encoder", "decoder") for key in noise]
    config = tiny_config(corpus, *dropouts, "model.attention.size=12")  # which is what null stands for
    assert config.model != origin.config().model
    model = started(run_path, config, corpus, init_from=origin.path).state.model
    best = load_model(origin, origin.read_best()).state_dict()
    assert all(torch.equal(parameter, best[name]) for name, parameter in model.state_dict().items())
    assert RunFolder(run_path).config().model == config.model


def test_of_other_vocabularies_the_shared_units_are_learned_already(
    origin: RunFolder, tmp_path: Path, run_path: Path
) -> None:
    """Half of the symbols are those of the run, half are new."""
    renamed = str.maketrans(SYMBOLS[::2], SYMBOLS[::2].upper())
    sources = [s.translate(renamed) for s in symbol_sequences(200, shortest=3, longest=6, seed=5)]
    other = prepared(tmp_path, [(s, reversed_words(s)) for s in sources], ["text.src.lowercase=false"])
    config = tiny_config(other, "training.epochs=1")
    drawn = started(tmp_path / "drawn", config, other).state.model.weights()
    session = started(run_path, config, other, init_from=origin.path)

    begun, best = session.state.model.weights(), origin.read_best()
    new, old = other.codec("tgt").vocabulary, load_codecs(origin.path)[1].vocabulary
    for name in ("decoder.embedding.weight", "output.weight", "output.bias"):
        for unit in SYMBOLS.translate(renamed):
            known = best[name][old.id(unit)] if unit.islower() else drawn[name][new.id(unit)]
            assert np.array_equal(begun[name][new.id(unit)], known)
    assert np.array_equal(begun["encoder.rnn.weight_hh_l0"], best["encoder.rnn.weight_hh_l0"])

    events = list(train_session(session))
    assert isinstance(events[0], Started)
    assert f"begun with the weights of {origin.path}, 14 of 24 units shared" in events[0].lines[-1]
    assert load_translator(session.run).translate(sources[:1])[0].text


@pytest.fixture(scope="module")
def located(corpus: PreparedCorpus, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run, not trained, whose attention has a place for each token of the longest source, and no more."""
    settings = ("model.attention.score=location", "model.attention.max_length=7")
    return created(tmp_path_factory.mktemp("located") / "old", tiny_config(corpus, *settings), corpus)


def planned_refusal(origin: RunFolder, corpus: PreparedCorpus, run_path: Path) -> str:
    """The line by which ``s2s train --init-from ORIGIN --data CORPUS --out RUN`` is refused before torch is loaded."""
    with pytest.raises(UsageError) as refused:
        planned(Options(data=corpus.path, out=run_path, init_from=origin.path))
    return str(refused.value)


def test_units_of_another_kind_are_refused_first(located: RunFolder, tmp_path: Path, run_path: Path) -> None:
    # Its sources are too long for the model, too: in units of the other kind, they may be shorter.
    other = prepared(tmp_path, [(f"aaaabbbb {word}", f"bbbbaaaa {word}") for word in SYMBOLS], ["text.unit=character"])
    line = planned_refusal(located, other, run_path)
    assert f"{other.path}: text.unit is character, {located.path} has word: " in line
    assert line.endswith("prepare with --set text.unit=word")


def test_sources_too_long_for_the_model_of_the_origin_can_only_be_left_out(
    located: RunFolder, tmp_path: Path, run_path: Path
) -> None:
    sequences = symbol_sequences(200, shortest=3, longest=7)
    line = planned_refusal(located, prepared(tmp_path, [(s, reversed_words(s)) for s in sequences]), run_path)
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
