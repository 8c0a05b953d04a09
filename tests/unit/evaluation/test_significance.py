"""How much of a score or of a difference is chance."""

import random

import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.ter import TER
from sacrebleu.significance import PairedTest

from seq2seq_cli.evaluation.scorer import Scorer, difference, score_range

WORDS = [f"w{i}" for i in range(50)]


def corpus(sentences: int, seed: int) -> list[str]:
    source = random.Random(seed)  # noqa: S311  # not for secrets
    return [" ".join(source.choices(WORDS, k=8)) for _ in range(sentences)]


def with_errors(texts: list[str], rate: float, seed: int) -> list[str]:
    """The texts with this share of their words replaced."""
    source = random.Random(seed)  # noqa: S311  # not for secrets
    return [" ".join("x" if source.random() < rate else word for word in text.split()) for text in texts]


def bleu_of(hypotheses: list[str], references: list[str]) -> Scorer:
    return Scorer.of(BLEU(force=True), hypotheses, [[text] for text in references])


def test_neither_a_system_and_itself_nor_noise_differ() -> None:
    references = corpus(200, seed=1)
    scorer = bleu_of(with_errors(references, 0.2, seed=2), references)
    found = difference(scorer, scorer)
    assert (found.value, found.range.low, found.range.high) == (0, 0, 0)
    assert found.p == 1
    assert not found.is_significant
    noise = [bleu_of(with_errors(references, 0.2, seed=seed), references) for seed in (2, 5)]
    assert not difference(*noise).is_significant


def test_a_difference_of_1_bleu_on_2000_sentences_is_found() -> None:
    references = corpus(2000, seed=1)
    baseline = with_errors(references, 0.2, seed=2)
    # The same errors, but for some sentences that were put right.
    source = random.Random(3)  # noqa: S311  # not for secrets
    system = [tgt if source.random() < 0.02 else text for text, tgt in zip(baseline, references, strict=True)]
    found = difference(bleu_of(system, references), bleu_of(baseline, references))
    assert 0.5 < found.value < 2
    assert found.range.low < found.value < found.range.high
    assert found.range.low > 0
    assert found.is_significant


def test_the_probability_is_that_of_sacrebleu() -> None:
    references = corpus(150, seed=1)
    texts = [with_errors(references, rate, seed=seed) for rate, seed in ((0.22, 2), (0.2, 3))]
    baseline, system = (bleu_of(of_system, references) for of_system in texts)
    test = PairedTest(
        [("baseline", texts[0]), ("system", texts[1])], {"BLEU": BLEU(force=True)}, [references], "bs", n_samples=2000
    )
    _, scores = test()
    expected = scores["BLEU"][1].p_value  # type: ignore[union-attr]  # the baseline and the system
    found = difference(system, baseline)
    assert expected is not None
    # Both are estimates from some thousand draws of their own.
    assert found.p == pytest.approx(expected, abs=0.06)


def test_the_range_covers_the_true_score_of_19_in_20_test_sets() -> None:
    # With one-word sentences TER is the share of wrong words: its true value is the rate of errors.
    covered = 0
    for seed in range(40):
        source = random.Random(seed)  # noqa: S311  # not for secrets
        hypotheses = ["x" if source.random() < 0.3 else "w" for _ in range(200)]
        found = score_range(Scorer.of(TER(), hypotheses, [["w"]] * len(hypotheses)))
        covered += found.low <= 30 <= found.high
    assert covered >= 34
