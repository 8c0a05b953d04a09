import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from seq2seq_cli.learning.output_loss import ChunkSizes, draw_words, output_loss

WORDS, SIZE, VOCABULARY = 11, 5, 17


def example(dtype: torch.dtype = torch.float64) -> tuple[Tensor, nn.Linear, Tensor]:
    torch.manual_seed(0)
    features = torch.randn(WORDS, SIZE, dtype=dtype, requires_grad=True)
    output = nn.Linear(SIZE, VOCABULARY, dtype=dtype)
    return features, output, torch.randint(VOCABULARY, (WORDS,))


def same(ours: Tensor | tuple[Tensor, ...], theirs: Tensor | tuple[Tensor, ...]) -> None:
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


def gradients(objective: Tensor, features: Tensor, output: nn.Linear) -> tuple[Tensor, ...]:
    return torch.autograd.grad(objective, (features, output.weight, output.bias))


some_rows = st.integers(1, WORDS + 3)
many_sizes = st.builds(ChunkSizes, chunk=some_rows, part=some_rows, multiple=st.integers(1, 4))


@given(sizes=many_sizes, smoothing=st.sampled_from([0.0, 0.1, 0.5]))
def test_any_number_of_rows_at_a_time_gives_the_plain_formula_and_its_gradient(
    sizes: ChunkSizes, smoothing: float
) -> None:
    features, output, targets = example()
    objective, nll = output_loss(features, output, targets, label_smoothing=smoothing, sizes=sizes)
    logits = output(features)
    plain = F.cross_entropy(logits, targets, label_smoothing=smoothing, reduction="sum")
    same(objective, plain)
    same(nll, F.cross_entropy(logits, targets, reduction="none").detach())
    same(gradients(objective * 0.3, features, output), gradients(plain * 0.3, features, output))
    with torch.no_grad():
        without = output_loss(features, output, targets, label_smoothing=smoothing, sizes=sizes)
    same(without, (objective.detach(), nll.detach()))


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_losses_of_a_sample_are_those_of_the_weighted_formula(smoothing: float) -> None:
    features, output, _ = example()
    targets = torch.tensor([2, 5, 2, 9, 5, 5, 2, 9, 9, 2, 2])
    torch.manual_seed(1)
    objective, nll = output_loss(
        features, output, targets, label_smoothing=smoothing, sampled_words=4, sizes=ChunkSizes(4, 3)
    )
    torch.manual_seed(1)
    sample = draw_words(targets, vocabulary=VOCABULARY, drawn=4)
    assert sample is not None
    counts = torch.zeros(VOCABULARY, dtype=torch.float64).index_put((sample.words,), sample.counts.double())
    logits = output(features)
    log_sum = (logits.exp() @ counts).log()
    of_target = logits.gather(1, targets.unsqueeze(1)).squeeze(1)
    plain = (log_sum - (1 - smoothing) * of_target - smoothing * (logits @ counts) / VOCABULARY).sum()
    same(objective, plain)
    same(nll, (log_sum - of_target).detach())
    of_weights = gradients(objective, features, output)
    same(of_weights, gradients(plain, features, output))
    assert set(of_weights[1].abs().sum(1).nonzero().squeeze(1).tolist()) == set(sample.words.tolist())


def test_a_sample_that_has_all_words_is_no_estimate() -> None:
    features, output, targets = example()
    few = output_loss(features, output, targets, label_smoothing=0.1, sampled_words=VOCABULARY)
    same(few, output_loss(features, output, targets, label_smoothing=0.1))


def test_logits_far_apart_stay_finite() -> None:
    _, output, _ = example(torch.float32)
    features = torch.full((2, SIZE), 1e4, requires_grad=True)
    objective, _ = output_loss(features, output, torch.tensor([0, 1]))
    assert objective.isfinite()
    assert all(gradient.isfinite().all() for gradient in gradients(objective, features, output))


@given(sizes=many_sizes)
def test_under_autocast_the_products_are_in_bf16_and_the_loss_is_in_fp32(sizes: ChunkSizes) -> None:
    features, output, targets = example(torch.float32)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        objective, nll = output_loss(features, output, targets, sizes=sizes)
    logits = F.linear(features.bfloat16(), output.weight.bfloat16()).float() + output.bias
    plain = F.cross_entropy(logits, targets, reduction="none")
    assert nll.dtype == objective.dtype == torch.float32
    torch.testing.assert_close(nll, plain.detach(), rtol=1e-5, atol=1e-5)
    exact = gradients(F.cross_entropy(output(features), targets, reduction="sum"), features, output)
    for ours, theirs in zip(gradients(objective, features, output), exact, strict=True):
        assert ours.dtype == torch.float32
        torch.testing.assert_close(ours, theirs, rtol=0.03, atol=0.03)


class Largest(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Records the number of entries of the largest tensor made."""

    numbers = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        made = func(*args, **(kwargs or {}))
        if isinstance(made, Tensor):
            self.numbers = max(self.numbers, made.numel())
        return made


def test_the_logits_of_all_words_are_never_in_memory_at_once() -> None:
    features, output, targets = example()
    with Largest() as largest:  # type: ignore[no-untyped-call]
        objective, _ = output_loss(features, output, targets, sizes=ChunkSizes(3, 2))
        gradients(objective, features, output)
    assert largest.numbers == VOCABULARY * SIZE
