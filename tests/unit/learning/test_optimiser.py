"""One update of each optimiser, by its formula."""

import pytest
import torch

from seq2seq_cli.config.schema.training import TrainingConfig
from seq2seq_cli.learning.optimiser import Optimiser, make_optimiser
from seq2seq_cli.model.seq2seq import Seq2Seq
from tests.tiny import tiny_model

LR, DECAY = 0.01, 0.5
TIED = ["model.decoder.readout=attentional", "model.decoder.embedding_size=12", "model.encoder.embedding_size=12"]


def updated(model: Seq2Seq, optimiser: str, decay: float) -> dict[str, torch.Tensor]:
    """The change of each weight in one update when all gradients are 0.5."""
    before = {name: weight.detach().clone() for name, weight in model.named_parameters()}
    training = TrainingConfig.model_validate({"optimiser": optimiser, "lr": LR, "weight_decay": decay})
    for weight in model.parameters():
        weight.grad = torch.full_like(weight, 0.5)
    make_optimiser(model, training).step(LR)
    return {name: weight.detach() - before[name] for name, weight in model.named_parameters()}


def groups(optimiser: Optimiser) -> list[list[torch.nn.Parameter]]:
    return [group["params"] for part in optimiser.parts for group in part.param_groups]


# The first update of Adam is the sign of the gradient: both moments are corrected to the gradient's own.
@pytest.mark.parametrize(("optimiser", "move"), [("adam", -LR), ("adamw", -LR), ("sgd", -LR * 0.5)])
def test_the_first_update_follows_the_formula(optimiser: str, move: float) -> None:
    for difference in updated(tiny_model(), optimiser, 0.0).values():
        torch.testing.assert_close(difference, torch.full_like(difference, move), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("optimiser", ["adamw", "muon", "sgd"])
def test_only_matrices_decay_by_lr_times_decay_times_themselves(optimiser: str) -> None:
    plain, decayed = (updated(tiny_model(), optimiser, decay) for decay in (0.0, DECAY))
    for name, weight in tiny_model().named_parameters():
        no_decay = weight.ndim == 1 or "embedding" in name
        expected = torch.zeros_like(weight) if no_decay else -LR * DECAY * weight.detach()
        torch.testing.assert_close(decayed[name] - plain[name], expected, rtol=1e-3, atol=1e-7)


@pytest.mark.parametrize("tied", ["none", "target", "all"])
def test_each_weight_is_there_once_and_word_vectors_tied_to_the_output_layer_decay(tied: str) -> None:
    model = tiny_model(*TIED, f"model.tied_embeddings={tied}")
    training = TrainingConfig(optimiser="adamw", weight_decay=DECAY)
    decayed, undecayed = groups(make_optimiser(model, training))
    ids = [id(weight) for weight in (*decayed, *undecayed)]
    assert sorted(ids) == sorted(id(weight) for weight in model.parameters())
    assert id(model.output.weight) in map(id, decayed)
    assert (id(model.decoder.embedding.weight) in map(id, decayed)) == (tied != "none")
    assert (id(model.encoder.embedding.weight) in map(id, decayed)) == (tied == "all")

    inner, *others = groups(make_optimiser(model, TrainingConfig(optimiser="muon")))
    ids = [id(weight) for weight in (*inner, *(weight for group in others for weight in group))]
    assert sorted(ids) == sorted(id(weight) for weight in model.parameters())
    assert not {id(model.output.weight), id(model.decoder.embedding.weight)} & set(map(id, inner))


def test_adadelta_is_that_of_the_paper_with_bahdanau_s_values() -> None:
    model, rho, epsilon = tiny_model(), 0.95, 1e-6
    optimiser = make_optimiser(model, TrainingConfig(optimiser="adadelta", lr=1.0))
    x, squares, moves = model.output.weight.detach().double().numpy(), 0.0, 0.0
    for step in range(3):
        for weight in model.parameters():
            weight.grad = torch.full_like(weight, 0.5 - step)
        optimiser.step(1.0)
        # Zeiler 2012, algorithm 1.
        gradient = 0.5 - step
        squares = rho * squares + (1 - rho) * gradient**2
        move = -(((moves + epsilon) / (squares + epsilon)) ** 0.5) * gradient
        moves = rho * moves + (1 - rho) * move**2
        x = x + move
    torch.testing.assert_close(model.output.weight.detach().double(), torch.from_numpy(x), rtol=0, atol=1e-6)


def test_muon_moves_inner_matrices_and_adamw_the_other_weights() -> None:
    # An orthogonal gradient of equal numbers has one singular value: 1 / sqrt(m n) for each entry, times 0.2 sqrt(max).
    for name, move in updated(tiny_model(), "muon", 0.0).items():
        if move.ndim == 2 and "embedding" not in name and not name.startswith("output"):
            of_one = -LR * 0.2 * max(move.shape) ** 0.5 / move.numel() ** 0.5
            torch.testing.assert_close(move, torch.full_like(move, of_one), rtol=0.35, atol=0)
        else:
            torch.testing.assert_close(move, torch.full_like(move, -LR), rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("optimiser", ["adam", "adamw", "adadelta", "muon", "sgd"])
def test_an_optimiser_resumes_from_its_saved_state(optimiser: str) -> None:
    training = TrainingConfig.model_validate({"optimiser": optimiser, "lr": LR})

    def train(model: Seq2Seq, optimiser: Optimiser, updates: int) -> None:
        for _ in range(updates):
            for place, weight in enumerate(model.parameters()):
                weight.grad = weight.detach() * (1 + place)
            optimiser.step(LR)

    whole, parts = tiny_model(), tiny_model()
    train(whole, make_optimiser(whole, training), 4)
    first = make_optimiser(parts, training)
    train(parts, first, 2)
    second = make_optimiser(parts, training)
    second.load_state_dict(first.state_dict())
    train(parts, second, 2)
    for ours, theirs in zip(parts.parameters(), whole.parameters(), strict=True):
        assert torch.equal(ours, theirs)
