"""The optimiser: its formula, the weights that weight decay applies to, and the learning rate of each update."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from seq2seq_cli.compute.device import is_gpu
from seq2seq_cli.config import choices
from seq2seq_cli.config.schema.training import TrainingConfig
from seq2seq_cli.learning.muon import Muon
from seq2seq_cli.model.seq2seq import Seq2Seq


@dataclass(frozen=True)
class Optimiser:
    """One or several optimisers of torch's kind, each of its own weights, that step together."""

    name: choices.Optimiser
    parts: Sequence[torch.optim.Optimizer]

    def step(self, lr: float) -> None:
        """Update all weights with that learning rate."""
        for part in self.parts:
            for group in part.param_groups:
                group["lr"] = lr
            part.step()

    def state_dict(self) -> dict[str, Any]:
        """The name and the moments, as `load_state_dict` takes them."""
        return {"name": self.name, "parts": [part.state_dict()["state"] for part in self.parts]}

    def load_state_dict(self, saved: Mapping[str, Any]) -> None:
        """Go on from the saved moments with this optimiser's settings, unless an optimiser of another name made them.

        Raises KeyError, TypeError, ValueError or RuntimeError for what no optimiser of these weights has saved.
        """
        if saved["name"] != self.name:
            return
        for part, its_saved in zip(self.parts, saved["parts"], strict=True):
            part.load_state_dict({**part.state_dict(), "state": its_saved})
            for weight, moments in part.state.items():
                if not all(each.shape in (weight.shape, ()) and each.isfinite().all() for each in moments.values()):
                    raise ValueError("no moments of these weights")


def make_optimiser(model: Seq2Seq, training: TrainingConfig) -> Optimiser:
    """The config's optimiser of the weights of `model`, with the learning rate `training.lr`.

    adam   Kingma & Ba 2015, algorithm 1; torch's defaults are the paper's
    adamw  Loshchilov & Hutter 2019, algorithm 2, as in torch: each update also subtracts lr * weight_decay * w (the
           paper subtracts eta_t * weight_decay * w)
    adadelta  Zeiler 2012, algorithm 1, with ρ = 0.95 and ε = 1e-6 as in Bahdanau et al. 2015, appendix B.2; each update
           times lr, which is 1 in the paper
    muon   Jordan et al. 2024: `Muon` for the matrices of the RNNs, one per gate, of the attention, the bridge and the
           readout, AdamW for word vectors, output layer and whatever is no matrix
    sgd    w - lr * (gradient + weight_decay * w)

    Of the weights, matrices decay. Biases do not: they are few and hardly overfit (Goodfellow et al. 2016, section
    7.1). Word vectors do not either: every update would shrink all of them, but a word's gradient comes only with the
    word, so that rare words would fade. Word vectors that are tied to the output layer do decay: their gradient comes
    at every update. There are always groups with and without decay, so that a resumed run may change the weight decay.
    """
    name, lr, decay = training.optimiser, training.lr, training.weight_decay
    weights, output = list(model.parameters()), model.output.weight  # tied matrices are there once
    vectors = {part.weight for part in model.modules() if isinstance(part, nn.Embedding)}
    decayed = [weight for weight in weights if weight.ndim > 1 and (weight is output or weight not in vectors)]
    inner: list[nn.Parameter] = []  # stays empty for a plain RNN of size 1
    if name == "muon":  # the matrices that map states to states, no single row or column
        inner = [each for each in decayed if each is not output and each.ndim == 2 and min(each.shape) > 1]
    with_decay, by_muon = set(decayed), set(inner)
    groups: list[dict[str, Any]] = [
        {"params": [weight for weight in decayed if weight not in by_muon], "weight_decay": decay},
        {"params": [weight for weight in weights if weight not in with_decay], "weight_decay": 0.0},
    ]
    # One kernel for all weights, where torch has it.
    device = decayed[0].device
    fused = device.type == "cpu" or is_gpu(device)
    optimiser: torch.optim.Optimizer
    match name:
        case "adam":
            optimiser = torch.optim.Adam(groups, lr=lr, fused=fused)
        case "adamw" | "muon":
            optimiser = torch.optim.AdamW(groups, lr=lr, fused=fused)
        case "adadelta":
            optimiser = torch.optim.Adadelta(groups, lr=lr, rho=0.95, eps=1e-6)
        case "sgd":
            optimiser = torch.optim.SGD(groups, lr=lr, fused=fused)
    muon = [Muon(inner, lr=lr, weight_decay=decay, gates=_gates(model))] if inner else []
    return Optimiser(name, [*muon, optimiser])


def _gates(model: Seq2Seq) -> dict[nn.Parameter, int]:
    """The number of gates whose matrices stand in each matrix of the RNNs, one below the other."""
    rnns = (part for part in model.modules() if isinstance(part, nn.RNNBase))
    return {weight: len(weight) // rnn.hidden_size for rnn in rnns for weight in rnn.parameters() if weight.ndim > 1}


def learning_rate(training: TrainingConfig, *, step: int, fraction_done: float, epochs: float) -> float:
    """The rate of update `step`, counted from 0; never above `training.lr`.

    For w = `warmup_steps` updates it rises linearly, lr (step + 1) / w, and then is

    constant      lr
    cosine        lr (1 + cos(π p)) / 2; Loshchilov & Hutter 2017, eq. 5, without restarts, down to 0
    halving       lr / 2^n, n the halvings so far: one after `halving_after` epochs, then one every `halving_every`;
                  Sutskever et al. 2014, section 3.4; Luong et al. 2015, section 4.1

    `fraction_done` is the fraction of the whole run, 0 to 1, and p the fraction of the run after the warm-up; `epochs`
    counts the epochs done, with the fraction of the running one.
    """
    warmup = training.warmup_steps
    if step < warmup:
        return training.lr * ((step + 1) / warmup)
    match training.schedule:
        case "constant":
            return training.lr
        case "cosine":
            # The warm-up is known in updates only: its part of the run is estimated as if all took equally long.
            of_warmup = fraction_done * (warmup / step) if step else 0.0
            # A run that ends with its warm-up has nothing after it.
            p = (fraction_done - of_warmup) / (1 - of_warmup) if of_warmup < 1 else 1.0
            return training.lr * (1 + math.cos(math.pi * p)) / 2
        case "halving":
            after = epochs - training.halving_after
            halvings = math.floor(after / training.halving_every) + 1 if after >= 0 else 0
            return math.ldexp(training.lr, -halvings)
