"""The formulas of the papers in plain NumPy, one sentence and one step at a time: slow, and easy to check by eye."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Weights = dict[str, Array]


def numbers(module: Any) -> Weights:
    """A module's parameters by name."""
    return {name: p.detach().double().numpy() for name, p in module.named_parameters()}


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max())
    weights: Array = e / e.sum()
    return weights


def lstm_cell(p: Weights, layer: int, x: Array, h: Array, c: Array) -> tuple[Array, Array]:
    """i, f, g, o = W x + b + U h + d; c' = f c + i g; h' = o tanh(c')."""
    gates = p[f"weight_ih_l{layer}"] @ x + p[f"bias_ih_l{layer}"]
    gates = gates + p[f"weight_hh_l{layer}"] @ h + p[f"bias_hh_l{layer}"]
    i, f, g, o = np.split(gates, 4)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def lstm_step(p: Weights, x: Array, hidden: list[Array], cell: list[Array]) -> tuple[list[Array], list[Array]]:
    """One step through all layers."""
    hidden, cell = list(hidden), list(cell)
    for layer in range(len(hidden)):
        hidden[layer], cell[layer] = lstm_cell(p, layer, x, hidden[layer], cell[layer])
        x = hidden[layer]
    return hidden, cell


def score(kind: str, p: Weights, q: Array, k: Array) -> float:
    """One number for one query and one memory state."""
    match kind:
        case "additive":
            return float(p["v.weight"][0] @ np.tanh(p["W.weight"] @ q + p["U.weight"] @ k))
        case "dot":
            return float(q @ k)
        case "general":
            return float(q @ (p["W.weight"] @ k))
        case "concat":
            return float(p["v.weight"][0] @ np.tanh(p["W.weight"] @ (q + k)))
    raise ValueError(kind)


def attend(kind: str, p: Weights, q: Array, memory: Array) -> tuple[Array, Array]:
    """Context and weights of one query."""
    weights = softmax(np.array([score(kind, p, q, k) for k in memory]))
    return sum(w * k for w, k in zip(weights, memory, strict=True)), weights


def read_out(kind: str, p: Weights, h: Array, c: Array) -> Array:
    match kind:
        case "state":
            return h
        case "concat":
            return np.concatenate((h, c))
        case "attentional":
            return np.tanh(p["W.weight"] @ np.concatenate((c, h)))
    raise ValueError(kind)


def translate_forced(model: Any, config: Any, src: list[int], tgt_in: list[int]) -> tuple[Array, Array]:
    """Logits and weights of each step, for one sentence whose target words are given."""
    encoder, decoder = numbers(model.encoder.rnn), numbers(model.decoder.rnn)
    score_weights, readout_weights = numbers(model.decoder.attention.score), numbers(model.decoder.readout)
    output = numbers(model.output)
    src_vectors, tgt_vectors = numbers(model.encoder.embedding)["weight"], numbers(model.decoder.embedding)["weight"]
    hidden = [np.zeros(config.encoder.hidden_size) for _ in range(config.encoder.layers)]
    cell = list(hidden)
    memory = []
    for word in src:
        hidden, cell = lstm_step(encoder, src_vectors[word], hidden, cell)
        memory.append(hidden[-1])
    states = np.stack(memory)
    logits, all_weights = [], []
    for word in tgt_in:
        y = tgt_vectors[word]
        if config.decoder.kind == "bahdanau":
            context, weights = attend(config.attention.score, score_weights, hidden[-1], states)
            hidden, cell = lstm_step(decoder, np.concatenate((y, context)), hidden, cell)
        else:
            hidden, cell = lstm_step(decoder, y, hidden, cell)
            context, weights = attend(config.attention.score, score_weights, hidden[-1], states)
        features = read_out(config.decoder.readout, readout_weights, hidden[-1], context)
        logits.append(output["weight"] @ features + output["bias"])
        all_weights.append(weights)
    return np.stack(logits), np.stack(all_weights)
