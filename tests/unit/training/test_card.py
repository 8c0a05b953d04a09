"""The metadata of the model card, as Hugging Face's own library reads it."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.learning.training_state import Progress
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.listing import about_run
from seq2seq_cli.training.report import finish, make_ready, model_card, report
from seq2seq_cli.training.run import train_session
from tests.tiny import started, tiny_config
from tests.unit.conftest import Whole

hub = pytest.importorskip("huggingface_hub")


def test_hugging_face_reads_the_metadata_of_a_run(corpus: PreparedCorpus, tmp_path: Path) -> None:
    session = started(
        tmp_path / "run",
        tiny_config(corpus, "training.epochs=1", "training.license=mit", "training.author=Zoë | Co"),
        corpus,
    )
    list(train_session(session))
    finished = finish(*make_ready(session))
    card = hub.ModelCard.load(session.run.path / "README.md")
    assert card.text.lstrip().startswith("# run: en to de\n")
    assert card.data.language == ["en", "de"]
    assert card.data.license == "mit"
    assert (card.data.pipeline_tag, card.data.library_name) == ("translation", "seq2seq_cli")
    assert "\n- made by: Zoë \\| Co\n" in card.text
    assert finished.verdict
    assert f"\n- {finished.verdict[0]}\n" in card.text
    made, use = about_run(RunFolder(session.run.path))["lines"]
    assert re.fullmatch(
        rf"Made by Zoë \| Co from {len(corpus.split('train'))} sentence pairs \(pairs.txt\) on [-\d]+\.", made
    )
    assert use == finished.verdict[0]
    assert {"attention", "lstm"} < set(card.data.tags)


def test_a_card_says_whether_the_test_split_is_in_that_of_validation(whole: Whole, corpus: PreparedCorpus) -> None:
    shared = replace(corpus, manifest=corpus.manifest.model_copy(update={"test_in_valid": 2}))
    for each, said in (
        (corpus, "the splits share no sentence\n"),
        (shared, "2 test pairs with a sentence of the validation split"),
    ):
        assert said in model_card(replace(whole.session, corpus=each))


def test_a_card_says_which_split_has_no_pairs(whole: Whole, corpus: PreparedCorpus) -> None:
    untested = replace(whole.session, corpus=corpus.leaving_out({"test": tuple(range(len(corpus.split("test"))))}))
    card = model_card(untested, report(untested))
    assert "\n- BLEU on the test split: no test pairs\n" in card
    state = replace(whole.session.state, progress=Progress(best_epoch=3))
    card = model_card(replace(whole.session, state=state))
    assert "best: epoch 3, the newest: no validation pairs\n" in card


def test_a_card_states_no_more_than_is_known(corpus: PreparedCorpus, tmp_path: Path) -> None:
    session = started(tmp_path / "run", tiny_config(corpus, "model.attention.score=fixed"), corpus)
    data = hub.ModelCard(model_card(session)).data
    assert data.license is None
    assert "attention" not in data.tags
