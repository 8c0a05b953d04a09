"""Decoding keys that the validation split chooses at the end of a run."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from seq2seq_cli.config.catalog import list_configs
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.config.schema.decoding import DecodingConfig
from seq2seq_cli.config.schema.training import TrainingConfig
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.decoding.load import load_translator
from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.runs.exported import ExportRecord, config_checksum
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import EXPORT_RECORD, PAIRS
from seq2seq_cli.training import choose_decoding as module
from seq2seq_cli.training.choose_decoding import best_keys, choose_decoding, with_decoding
from seq2seq_cli.training.loop import end_reason
from seq2seq_cli.training.plan import Options
from seq2seq_cli.training.report import finish, make_ready
from seq2seq_cli.training.resolve import CHOSEN
from seq2seq_cli.training.run import train_session
from seq2seq_cli.training.session import Session
from seq2seq_cli.training.start import train
from tests.corpora import prepared, reversed_words, symbol_sequences
from tests.pretend_device import pretended_gpu
from tests.tiny import TINY, planned, resumed, started, tiny_config

CHOOSING = "training.choose_decoding=true"
EXPECTED = {"similar_pairs": 32, "coverage_penalty": 0.2}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> PreparedCorpus:
    """Sequences and their reversals, enough of them held out."""
    sequences = symbol_sequences(1200, shortest=3, longest=6)
    pairs = [(sequence, reversed_words(sequence)) for sequence in sequences]
    return prepared(tmp_path_factory.mktemp("corpus"), pairs, ["data.valid_sources=60", "data.test_sources=20"])


@pytest.fixture(scope="module")
def trained(corpus: PreparedCorpus, tmp_path_factory: pytest.TempPathFactory) -> Session:
    """A run that is trained, but for its end."""
    config = tiny_config(corpus, CHOOSING, "training.epochs=1", "training.batch_size=64")
    session = started(tmp_path_factory.mktemp("trained") / "run", config, corpus)
    list(train_session(session))
    return session


@pytest.fixture
def session(trained: Session, tmp_path: Path) -> Session:
    """A copy of it, as it is resumed."""
    path = shutil.copytree(trained.run.path, tmp_path / "run")
    return resumed(RunFolder(path), trained.config, trained.corpus)


def chosen_in(run: RunFolder) -> dict[str, object]:
    """The keys of a run's config.yaml that may be chosen and are not the defaults."""
    values, defaults = run.config().decoding.model_dump(), DecodingConfig().model_dump()
    return {key: values[key] for key in CHOSEN if values[key] != defaults[key]}


def test_keys_are_in_the_run_and_in_all_that_is_made_of_it(session: Session) -> None:
    after = with_decoding(session, session.config.decoding.model_copy(update=EXPECTED))
    run = session.run
    assert chosen_in(run) == EXPECTED
    record = ExportRecord.read(run.path)
    assert (record.config, record.decoding) == (config_checksum(run.path), run.config().decoding.options)
    assert load_translator(run).options == record.decoding == after.config.decoding.options
    assert load_translator(run).translate(["a b c"])[0].text
    with_decoding(after, DecodingConfig())
    assert not (run.path / PAIRS).exists()


def test_a_report_tells_what_was_chosen_and_translates_so(session: Session) -> None:
    finished = finish(*make_ready(session))
    assert finished.chosen
    assert finished.chosen.startswith("decoding chosen on the validation split: ")
    assert f"\n- {finished.chosen}\n" in (session.run.path / "README.md").read_text(encoding="utf-8")
    assert finished.search == session.run.config().decoding.in_words


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ({}, {}),
        ({("similar_pairs", 32): 3.0, ("coverage_penalty", 0.2): 1.0}, EXPECTED),
        ({("similar_pairs", 32): 0.9, ("coverage_penalty", 0.4): 0.2}, {}),  # no more than chance
        ({("length_penalty", "gnmt"): 1.0}, {"length_penalty": "gnmt", "length_penalty_alpha": 0.6}),
        ({("length_penalty", "none"): 1.0}, {"length_penalty": "none"}),
        ({("coverage_penalty", 0.2): 1.0, ("coverage_penalty", 0.4): 2.0}, {"coverage_penalty": 0.4}),
        ({("coverage_penalty", 0.3): 1.0}, {"coverage_penalty": 0.3}),
    ],
)
def test_a_value_of_the_config_stays_only_where_it_scores_more(
    points: dict[tuple[str, object], float], expected: dict[str, object]
) -> None:
    def score(decoding: DecodingConfig) -> float:
        return sum(points.get(each, 0.0) for each in decoding.model_dump().items())

    own = DecodingConfig(beam_size=7, coverage_penalty=0.3)
    kept = best_keys(own, CHOSEN, score)
    assert kept[0][0] == DecodingConfig(beam_size=7)
    best = kept[-1][0]
    assert best == DecodingConfig(beam_size=7).model_copy(update=expected)
    assert best_keys(best, CHOSEN, score)[-1][0] == best  # a resumed run comes to the same


def test_stated_keys_are_not_changed() -> None:
    own = DecodingConfig(coverage_penalty=0.7)
    free = [key for key in CHOSEN if key != "coverage_penalty"]
    kept = best_keys(own, free, lambda decoding: -decoding.coverage_penalty + decoding.similar_pairs)
    assert kept[-1][0] == DecodingConfig(coverage_penalty=0.7, similar_pairs=32)


def test_a_choice_is_the_same_again(session: Session) -> None:
    after, line = choose_decoding(session)
    assert line
    assert "(chrF " in line
    assert session.run.config() == after.config
    assert choose_decoding(after)[1] == line


def test_a_run_without_an_exported_model_has_the_keys_too(session: Session) -> None:
    (session.run.path / EXPORT_RECORD).unlink()
    with_decoding(session, session.config.decoding.model_copy(update=EXPECTED))
    assert chosen_in(session.run) == EXPECTED
    with pytest.raises(ModelFileError):
        ExportRecord.read(session.run.path)


@pytest.mark.parametrize("settings", [{"training": {"choose_decoding": False}}, {"decoding": {"sampling": True}}])
def test_nothing_is_chosen_unasked_or_for_samples(session: Session, settings: dict[str, dict[str, object]]) -> None:
    config = session.config
    for name, values in settings.items():
        config = config.model_copy(update={name: getattr(config, name).model_copy(update=values)})
    given = replace(session, plan=replace(session.plan, config=config))
    assert choose_decoding(given) == (given, None)
    assert chosen_in(session.run) == {}


def test_nothing_is_chosen_by_a_few_sentences(session: Session, corpus: PreparedCorpus) -> None:
    for left, is_enough in ((module.FEWEST_PAIRS, True), (module.FEWEST_PAIRS - 1, False)):
        numbers = tuple(range(left, len(corpus.split("valid"))))
        _, line = choose_decoding(replace(session, corpus=corpus.leaving_out({"valid": numbers})))
        assert (line is not None) == is_enough


def test_the_recipe_for_few_pairs_chooses_and_no_other_config() -> None:
    choosing = {entry.name for entry in list_configs() if load_config(entry.name).training.choose_decoding}
    assert choosing == {"few"}


def test_torch_does_the_trials_on_a_gpu(
    corpus: PreparedCorpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "open_translator", None)  # which would take the exported model
    with pretended_gpu():
        config = tiny_config(corpus, CHOOSING, "training.epochs=1", "training.batch_size=64", "training.device=cuda")
        session = started(tmp_path / "run", config, corpus)
        list(train_session(session))
        assert choose_decoding(session)[1]


def test_the_choice_has_its_time_within_max_minutes(session: Session) -> None:
    progress = session.state.progress
    progress.epoch, progress.validation_seconds, progress.validated_step = 0, 0.0, progress.step
    training = TrainingConfig(epochs=100, max_minutes=10)
    choosing = training.model_copy(update={"choose_decoding": True})
    assert (training.seconds_to_choose, choosing.seconds_to_choose) == (0, 30)
    progress.seconds = 600 - 20
    assert end_reason(progress, training) is None
    assert end_reason(progress, choosing) == "10-minute limit reached"


def train_to_the_end(options: Options) -> tuple[str, ...]:
    """Train as ``s2s train`` does; the changes that its plan tells."""
    changes = planned(options)[0].changes
    train(**vars(options))
    return changes


def test_stated_keys_stay_and_a_resumed_run_chooses_again(corpus: PreparedCorpus, tmp_path: Path) -> None:
    run, file = RunFolder(tmp_path / "run"), tmp_path / "mine.yaml"
    file.write_text(
        "training: {choose_decoding: true}\ndecoding: {beam_size: 3, length_penalty_alpha: 0.6}\n", encoding="utf-8"
    )
    stated = ["decoding.coverage_penalty=0.7", "decoding.length_penalty=gnmt"]
    options = Options(config=str(file), data=corpus.path, out=run.path, overrides=[*TINY, "training.epochs=1", *stated])
    train_to_the_end(options)
    chosen = chosen_in(run)
    assert (chosen["coverage_penalty"], chosen["length_penalty_alpha"]) == (0.7, 0.6)
    resumed = replace(options, resume=True, config=None, overrides=["training.epochs=2"])
    assert train_to_the_end(resumed) == ("training.epochs: 1 -> 2 (applied)",)
    chosen = chosen_in(run)
    assert chosen["coverage_penalty"] == 0.7
    with_file = replace(options, resume=True, overrides=[*TINY, "training.epochs=2"])
    assert train_to_the_end(with_file) == ()
    assert chosen_in(run) == chosen
    train_to_the_end(replace(resumed, overrides=["decoding.similar_pairs=0", "decoding.length_penalty=none"]))
    assert run.config().decoding.similar_pairs == 0
    assert run.config().decoding.length_penalty == "none"
    assert not (run.path / PAIRS).exists()
