"""The details of translations by a small untrained model."""

from math import fsum
from pathlib import Path

import pytest

from seq2seq_cli.decoding.load import load
from seq2seq_cli.decoding.translator import Translator
from tests.untrained import make_run

TEXTS = ["She kissed him.", "He saw the dog.", "The dog saw her?", "---"]


@pytest.fixture(scope="module")
def translator(tmp_path_factory: pytest.TempPathFactory) -> Translator:
    run = make_run(tmp_path_factory.mktemp("details") / "run")
    return load(run.path, device="cpu").translator


def test_details_are_those_of_the_translations_as_they_are(translator: Translator) -> None:
    found = {each.source: each.details for each in translator.with_traces().translate(TEXTS)}
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
    [translation] = translator.with_n_best(3).translate(TEXTS[:1])
    assert len(translation.details["n_best"]) == 3


def test_a_model_without_attention_has_no_weights(tmp_path: Path) -> None:
    translator = load(make_run(tmp_path, score="none").path, device="cpu").translator
    [translation] = translator.translate(TEXTS[:1])
    assert translation.details["sentences"][0]["weights"] is None
