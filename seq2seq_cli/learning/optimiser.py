"""The optimiser: what a gradient makes of the weights."""

import torch
from torch import nn

from seq2seq_cli.config.schema import TrainingConfig
from seq2seq_cli.model.seq2seq import Seq2Seq


def make_optimiser(model: Seq2Seq, training: TrainingConfig) -> torch.optim.Optimizer:
    """The config's optimiser over the weights of `model`, with the learning rate at its highest.

    adam   Kingma & Ba 2015, algorithm 1; torch's defaults are the paper's
    adamw  Loshchilov & Hutter 2019, algorithm 2, as torch has it: the weights shrink by lr * weight_decay at each
           update, apart from what the gradient does (in the paper by eta_t * weight_decay)
    sgd    w - lr * (gradient + weight_decay * w)

    There are always two groups, what shrinks and what does not, so that a resumed run may change the weight decay.
    """
    shrinking, staying = _weights_by_decay(model)
    groups = [
        {"params": shrinking, "weight_decay": training.weight_decay},
        {"params": staying, "weight_decay": 0.0},
    ]
    # One kernel for all weights, where torch has it.
    fused = shrinking[0].device.type in ("cpu", "cuda")
    match training.optimiser:
        case "adam":
            return torch.optim.Adam(groups, lr=training.lr, fused=fused)
        case "adamw":
            return torch.optim.AdamW(groups, lr=training.lr, fused=fused)
        case "sgd":
            return torch.optim.SGD(groups, lr=training.lr, fused=fused)


def _weights_by_decay(model: Seq2Seq) -> tuple[list[nn.Parameter], list[nn.Parameter]]:
    """The weights that weight decay shrinks, and the others; a matrix that is tied to another is there once.

    Matrices shrink, biases do not: they are few, and cannot overfit (Goodfellow et al. 2016, section 7.1). Word
    vectors do not either: all of them would shrink at every update, while a word's gradient comes only with the word,
    so that rare words would fade. Tied to the output layer they are its matrix, whose gradient always comes.
    """
    vectors = {id(part.weight) for part in model.modules() if isinstance(part, nn.Embedding)} - {
        id(model.output.weight)
    }
    shrinking: list[nn.Parameter] = []
    staying: list[nn.Parameter] = []
    for weight in model.parameters():
        (shrinking if weight.ndim > 1 and id(weight) not in vectors else staying).append(weight)
    return shrinking, staying
