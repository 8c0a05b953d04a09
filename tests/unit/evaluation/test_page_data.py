"""The details of translations by a small untrained model."""

import json
from math import fsum
from pathlib import Path

import pytest

from seq2seq_cli.decoding.load import load
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.evaluation.page_data import details_of
from tests.untrained import make_run

TEXTS = ["She kissed him.", "He saw the dog.", "The dog saw her?", "---"]


@pytest.fixture(scope="module")
def translator(tmp_path_factory: pytest.TempPathFactory) -> Translator:
    run = make_run(tmp_path_factory.mktemp("details") / "run")
    return load(run.path, device="cpu").translator


def test_details_are_those_of_the_translations_as_they_are(translator: Translator) -> None:
    found = dict(zip(TEXTS, details_of(translator, TEXTS, 10**6), strict=True))
    for translation in translator.translate(TEXTS):
        details = found[translation.source]
        assert [data["translation"] for data in details["sentences"]] == [each.text for each in translation.sentences]
        for data, sentence in zip(details["sentences"], translation.sentences, strict=True):
            assert data["weights"] == pytest.approx(sentence.weights, abs=0.001)
            assert fsum(data["log_probabilities"]) == pytest.approx(sentence.log_probability, abs=0.01)
            tree, units = data["tree"], []
            number = tree["best"]
            while number >= 0:
                number, unit, *_ = tree["nodes"][number]
                units.append(unit)
            assert units[::-1] == data["tgt_tokens"]
        assert details["n_best"] == []
    assert found["---"] == {"sentences": [], "n_best": []}
    [details] = details_of(translator.with_n_best(3), TEXTS[:1], 10**6)
    assert len(details["n_best"]) == 3


def test_details_end_where_they_are_too_long(translator: Translator) -> None:
    size = len(json.dumps(next(details_of(translator, TEXTS, 10**6)), ensure_ascii=False))
    assert len(list(details_of(translator, TEXTS, size))) == 1
    assert list(details_of(translator, TEXTS, size - 1)) == []


def test_a_model_without_attention_has_no_weights(tmp_path: Path) -> None:
    translator = load(make_run(tmp_path, score="none").path, device="cpu").translator
    [details] = details_of(translator, TEXTS[:1], 10**6)
    assert details["sentences"][0]["weights"] is None
