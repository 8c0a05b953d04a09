"""The optimiser: its formula, and the weights that weight decay applies to."""

import torch
from torch import nn

from seq2seq_cli.config.schema.training import TrainingConfig
from seq2seq_cli.model.seq2seq import Seq2Seq


def make_optimiser(model: Seq2Seq, training: TrainingConfig) -> torch.optim.Optimizer:
    """The config's optimiser of the weights of `model`, with the learning rate `training.lr`.

    adam   Kingma & Ba 2015, algorithm 1; torch's defaults are the paper's
    adamw  Loshchilov & Hutter 2019, algorithm 2, as in torch: each update also subtracts lr * weight_decay * w (the
           paper subtracts eta_t * weight_decay * w)
    adadelta  Zeiler 2012, algorithm 1, with ρ = 0.95 and ε = 1e-6 as in Bahdanau et al. 2015, appendix B.2; each update
           times lr, which is 1 in the paper
    sgd    w - lr * (gradient + weight_decay * w)

    There are always two groups, with and without decay, so that a resumed run may change the weight decay.
    """
    decayed, undecayed = _weights_by_decay(model)
    groups = [
        {"params": decayed, "weight_decay": training.weight_decay},
        {"params": undecayed, "weight_decay": 0.0},
    ]
    # One kernel for all weights, where torch has it.
    fused = decayed[0].device.type in ("cpu", "cuda")
    match training.optimiser:
        case "adam":
            return torch.optim.Adam(groups, lr=training.lr, fused=fused)
        case "adamw":
            return torch.optim.AdamW(groups, lr=training.lr, fused=fused)
        case "adadelta":
            return torch.optim.Adadelta(groups, lr=training.lr, rho=0.95, eps=1e-6)
        case "sgd":
            return torch.optim.SGD(groups, lr=training.lr, fused=fused)


def _weights_by_decay(model: Seq2Seq) -> tuple[list[nn.Parameter], list[nn.Parameter]]:
    """The weights with weight decay and those without; tied matrices are there once.

    Matrices decay. Biases do not: they are few and hardly overfit (Goodfellow et al. 2016, section 7.1). Word vectors
    do not either: every update would shrink all of them, but a word's gradient comes only with the word, so that rare
    words would fade. Word vectors that are tied to the output layer do decay: their gradient comes at every update.
    """
    vectors = {id(part.weight) for part in model.modules() if isinstance(part, nn.Embedding)} - {
        id(model.output.weight)
    }
    decayed: list[nn.Parameter] = []
    undecayed: list[nn.Parameter] = []
    for weight in model.parameters():
        (decayed if weight.ndim > 1 and id(weight) not in vectors else undecayed).append(weight)
    return decayed, undecayed
