import pytest

from benchmarks.quality.dial import Curve, fit


def test_the_curve_behind_exact_results_is_found() -> None:
    curve = Curve(ceiling=55.0, of_tokens=(10.0, 0.5), of_pairs=(0.8, 0.35))
    amounts = [(pairs, tokens) for pairs in (3e3, 3e4, 1.6e5) for tokens in (1e6, 4e6, 5e7)]
    bleu = [curve.bleu(pairs=pairs, tokens=tokens) for pairs, tokens in amounts]
    found = fit([pairs for pairs, _ in amounts], [tokens for _, tokens in amounts], bleu)
    assert curve.bleu(pairs=1e4, tokens=1e6) == 25.0
    assert (found.ceiling, *found.of_tokens, *found.of_pairs) == pytest.approx((55.0, 10.0, 0.5, 0.8, 0.35))
