"""The steps of translations by small untrained models."""

from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from seq2seq_cli.config.choices import Unit
from seq2seq_cli.config.schema.model import ScoreName
from seq2seq_cli.decoding.engine import Look
from seq2seq_cli.decoding.load import load
from seq2seq_cli.decoding.translation import SearchStep
from seq2seq_cli.errors import InputError
from tests.untrained import make_run

TEXT = "She saw him. He kissed the dog?"


def look_of(step: SearchStep) -> Look:
    assert step.attention
    return step.attention


@pytest.mark.parametrize("engine", ["auto", "torch"])
@pytest.mark.parametrize(("score", "unit"), [("general", "word"), ("additive", "bpe"), ("location", "word")])
def test_steps_are_those_of_the_translation(tmp_path: Path, score: ScoreName, unit: Unit, engine: str) -> None:
    run = load(make_run(tmp_path, score=score, unit=unit).path, device="cpu", overrides=[f"decoding.engine={engine}"])
    steps = run.steps(TEXT)
    for sentence in run.explain(TEXT).sentences:
        found = list(islice(steps, len(sentence.tgt_tokens)))
        assert [step.token for step in found] == sentence.tgt_tokens
        assert found[-1].before == sentence.tgt_tokens[:-1]
        for t, (step, token) in enumerate(zip(found, sentence.ids, strict=True)):
            look = look_of(step)
            assert look.states.shape == (len(sentence.src_tokens), 8)
            assert look.query.shape == look.context.shape == (8,)
            np.testing.assert_array_equal(look.states, look_of(found[0]).states)
            np.testing.assert_allclose(look.weights, sentence.weights[t], atol=1e-6)
            exponentials = np.exp(look.scores)
            np.testing.assert_allclose(look.weights, exponentials / exponentials.sum(), atol=1e-6)
            np.testing.assert_allclose(look.weights @ look.states, look.context, atol=1e-6)
            probabilities = np.exp(step.log_probabilities)
            assert probabilities.sum() == pytest.approx(1.0, abs=1e-5)
            assert step.log_probabilities[token] == pytest.approx(sentence.token_log_probabilities[t], abs=1e-5)
            best, second = step.likeliest(2)
            assert best[2] >= second[2] == pytest.approx(probabilities[second[0]])
            total = pytest.approx(sum(sentence.token_log_probabilities[: t + 1]), abs=0.01)
            open_ = [(tokens[-1], log_p) for tokens, log_p, fate in step.hypotheses if fate in ("kept", "finished")]
            assert any(unit == step.units[token] and log_p == total for unit, log_p in open_)
    assert not list(steps)


def test_with_a_prefix_they_are_those_of_a_translation_that_begins_so(tmp_path: Path) -> None:
    run = load(make_run(tmp_path).path, device="cpu")
    as_translated, forced = list(run.steps("she saw him ?")), list(run.steps("she saw him ?", prefix="Hund den"))
    tokens = [[step.token for step in steps[:2]] for steps in (as_translated, forced)]
    assert tokens[0][0] != tokens[1][0]
    assert tokens[1] == ["Hund", "den"]
    # Nothing is written before the first step: it is the same, whatever follows.
    np.testing.assert_array_equal(forced[0].log_probabilities, as_translated[0].log_probabilities)
    np.testing.assert_array_equal(look_of(forced[0]).query, look_of(as_translated[0]).query)
    assert (look_of(forced[1]).query != look_of(as_translated[1]).query).any()
    with pytest.raises(InputError, match="words that the model cannot write"):
        list(run.steps("she saw him ?", prefix="Žaba"))


def test_several_models_and_those_without_attention_have_none_to_show(tmp_path: Path) -> None:
    path, without = make_run(tmp_path / "run").path, make_run(tmp_path / "none", score="none").path
    alone, together, none = (load(run, device="cpu") for run in (path, [path, path], without))
    for run in (together, none):
        [sentence] = run.explain("she saw him ?").sentences
        assert [(step["query"], step["scores"]) for step in sentence.data["steps"]] == [([], [])] * len(sentence.ids)
        assert all(step.attention is None for step in run.steps("she saw him ?"))
    for ours, theirs in zip(together.steps("she saw him ?"), alone.steps("she saw him ?"), strict=True):
        np.testing.assert_allclose(ours.log_probabilities, theirs.log_probabilities, atol=1e-5)
