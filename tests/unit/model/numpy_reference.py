"""The formulas of the papers in plain NumPy, one sentence and one step at a time: slow, and easy to check by eye."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Weights = dict[str, Array]
State = tuple[Array, Array]
"""h and c of one layer; only an LSTM changes c."""


def numbers(module: Any) -> Weights:
    """A module's parameters by name."""
    return {name: p.detach().double().numpy() for name, p in module.named_parameters()}


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max())
    weights: Array = e / e.sum()
    return weights


def lstm_cell(p: Weights, name: str, x: Array, state: State) -> State:
    """i, f, g, o = W x + b + U h + d; c' = f c + i g; h' = o tanh(c')."""
    h, c = state
    gates = p[f"weight_ih_{name}"] @ x + p[f"bias_ih_{name}"]
    gates = gates + p[f"weight_hh_{name}"] @ h + p[f"bias_hh_{name}"]
    i, f, g, o = np.split(gates, 4)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def gru_cell(p: Weights, name: str, x: Array, state: State) -> State:
    """r, z = sigmoid(W x + b + U h + d); n = tanh(W x + b + r (U h + d)); h' = (1 - z) n + z h."""
    h, c = state
    r_in, z_in, n_in = np.split(p[f"weight_ih_{name}"] @ x + p[f"bias_ih_{name}"], 3)
    r_h, z_h, n_h = np.split(p[f"weight_hh_{name}"] @ h + p[f"bias_hh_{name}"], 3)
    r, z = sigmoid(r_in + r_h), sigmoid(z_in + z_h)
    return (1 - z) * np.tanh(n_in + r * n_h) + z * h, c


def gru_cho_cell(p: Weights, name: str, x: Array, state: State) -> State:
    """r, z = sigmoid(W x + b + U h + d); n = tanh(W x + b + U (r h) + d); h' = (1 - z) n + z h."""
    h, c = state
    W, U, b, d = (np.split(p[f"{part}_{name}"], 3) for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
    r, z = (sigmoid(W[gate] @ x + b[gate] + U[gate] @ h + d[gate]) for gate in (0, 1))
    return (1 - z) * np.tanh(W[2] @ x + b[2] + U[2] @ (r * h) + d[2]) + z * h, c


def rnn_cell(p: Weights, name: str, x: Array, state: State) -> State:
    """h' = tanh(W x + b + U h + d)."""
    h, c = state
    products = p[f"weight_ih_{name}"] @ x + p[f"weight_hh_{name}"] @ h
    return np.tanh(products + p[f"bias_ih_{name}"] + p[f"bias_hh_{name}"]), c


CELLS = {"lstm": lstm_cell, "gru": gru_cell, "gru_cho": gru_cho_cell, "rnn": rnn_cell}


def rnn_step(cell: str, p: Weights, x: Array, state: Sequence[State]) -> list[State]:
    """One step through all layers."""
    after = []
    for layer, before in enumerate(state):
        after.append(CELLS[cell](p, f"l{layer}", x, before))
        x = after[-1][0]
    return after


def run_rnn(cell: str, p: Weights, name: str, inputs: list[Array]) -> tuple[list[Array], State]:
    """One direction of one layer over a whole sentence, from zeros: every h, and the last state."""
    size = p[f"weight_hh_{name}"].shape[1]
    state, states = (np.zeros(size), np.zeros(size)), []
    for x in inputs:
        state = CELLS[cell](p, name, x, state)
        states.append(state[0])
    return states, state


def merge(directions: str, forward: Array, backward: Array) -> Array:
    return np.concatenate((forward, backward)) if directions == "joined" else forward + backward


def encode(model: Any, config: Any, src: list[int]) -> tuple[list[Array], list[State]]:
    """The memory of one sentence, and the last state of each layer."""
    vectors = numbers(model.encoder.embedding)["weight"]
    inputs = [vectors[word] for word in (src[::-1] if config.reverse else src)]
    p = numbers(model.encoder.rnn)
    last: list[State] = []
    for layer in range(config.layers):
        outputs, end = run_rnn(config.cell, p, f"l{layer}", inputs)
        if config.directions != "one":
            backwards, start = run_rnn(config.cell, p, f"l{layer}_reverse", inputs[::-1])
            # Between the layers of a torch RNN the two directions are always joined.
            merging = config.directions if layer + 1 == config.layers else "joined"
            outputs = [merge(merging, f, b) for f, b in zip(outputs, backwards[::-1], strict=True)]
            end = (merge(config.directions, end[0], start[0]), merge(config.directions, end[1], start[1]))
        inputs = outputs
        last.append(end)
    return (inputs[::-1] if config.reverse else inputs), last


def bridge(model: Any, config: Any, last: list[State]) -> list[State]:
    """The decoder's first state."""
    h, c = last[-1]
    if config.encoder.cell != "lstm":
        c = h
    p = numbers(model.bridge)
    match config.bridge:
        case "copy":
            return last
        case "backward":
            h, c = h[len(h) // 2 :], c[len(c) // 2 :]
        case "context":
            h = np.tanh(numbers(model.decoder.attention)["V.weight"] @ h)
            c = h if config.encoder.cell != "lstm" else c
        case "zero":
            zeros = np.zeros(config.decoder.hidden_size)
            return [(zeros, zeros)] * config.decoder.layers
    hidden = [np.tanh(p[f"W.{i}.weight"] @ h + p[f"W.{i}.bias"]) for i in range(config.decoder.layers)]
    if config.decoder.cell != "lstm":
        return [(s, s) for s in hidden]
    return [(s, p[f"V.{i}.weight"] @ c + p[f"V.{i}.bias"]) for i, s in enumerate(hidden)]


SCORES: dict[str, Callable[[Weights, Array, Array, int], Any]] = {
    "additive": lambda p, q, h, _: p["v.weight"][0] @ np.tanh(p["W.weight"] @ q + p["U.weight"] @ h),
    "dot": lambda _p, q, h, _: q @ h,
    "scaled_dot": lambda _p, q, h, _: q @ h / np.sqrt(len(q)),
    "general": lambda p, q, h, _: q @ (p["W.weight"] @ h),
    "general_word": lambda p, q, hx, _: q @ (p["W.weight"] @ hx),
    "concat": lambda p, q, h, _: p["v.weight"][0] @ np.tanh(p["W.weight"] @ (q + h)),
    "concat_joined": lambda p, q, h, _: p["v.weight"][0] @ np.tanh(p["W.weight"] @ np.concatenate((q, h))),
    "linear": lambda p, q, h, _: p["w.weight"][0] @ np.concatenate((q, h)) + p["w.bias"][0],
    "location": lambda p, q, _h, position: (p["W.weight"] @ q)[position],
    "location_word": lambda p, q, _h, position: (p["W.weight"] @ q + p["W.bias"])[position],
    "state_free": lambda p, _q, h, _: p["v.weight"][0] @ np.tanh(p["U.weight"] @ h),
}
"""The score of one query q and one memory state h, the one at the position (counted from 0); hx has the word before."""


def weights_of(config: Any, p: Weights, scores: Array, q: Array, t: int) -> Array:
    """The weights of the t-th target word (counted from 1), given the scores of all source words."""
    length, window = len(scores), config.window
    positions = np.arange(1, length + 1)
    match config.scope:
        case "global":
            return softmax(scores)
        case "hard":
            chosen: Array = np.zeros(length)
            chosen[scores.argmax()] = 1
            return chosen
        case "local_m":
            in_window, factor = abs(positions - t) <= window, np.ones(length)
        case "local_p":
            predicted = length * sigmoid(p["v.weight"][0] @ np.tanh(p["W.weight"] @ q))
            in_window = abs(positions - predicted) <= window
            factor = np.exp(-((positions - predicted) ** 2) / (2 * (window / 2) ** 2))
    weights: Array = np.zeros(length)
    if in_window.any():
        weights[in_window] = softmax(scores[in_window])
    weights *= factor
    return weights


def attend(
    model: Any, config: Any, s: Array, y: Array, memory: tuple[list[Array], list[Array]], summary: Array, t: int
) -> tuple[Array, Array]:
    """Context and weights of the query of a state and the word before, for the t-th target word (counted from 1).

    The memory is what is scored and what is summed at each source position.
    """
    states, contents = memory
    module = model.decoder.attention
    q = np.concatenate((y, s)) if config.score == "location_word" else s
    if config.score == "none":
        return np.zeros(0), np.zeros(len(states))
    if config.score == "fixed":
        return np.tanh(numbers(module)["V.weight"] @ summary), np.zeros(len(states))
    p = numbers(module.score)
    if config.score == "general_word":
        words = [content[len(h) :] for h, content in zip(states, contents, strict=True)]
        states = [np.concatenate(hx) for hx in zip(states, [0 * words[0], *words[:-1]], strict=True)]
    scores = np.array([SCORES[config.score](p, q, h, s) for s, h in enumerate(states)])
    weights = weights_of(config, numbers(module.scope), scores, q, t)
    return sum((w * h for w, h in zip(weights, contents, strict=True)), start=np.zeros(len(contents[0]))), weights


def read_features(kind: str, p: Weights, h: Array, c: Array, y: Array) -> Array:
    match kind:
        case "state":
            return h
        case "concat":
            return np.concatenate((h, c))
        case "attentional":
            return np.tanh(p["W.weight"] @ np.concatenate((c, h)))
        case "lexical":
            size = len(p["L.weight"])
            c, x = c[:-size], c[-size:]
            f = np.tanh(x)
            return np.tanh(p["W.weight"] @ np.concatenate((c, h))) + np.tanh(p["L.weight"] @ f) + f
        case "maxout":
            t = p["U.weight"] @ h + p["U.bias"] + p["V.weight"] @ y + p["C.weight"] @ c
            return np.array([max(t[2 * i], t[2 * i + 1]) for i in range(len(t) // 2)])
    raise ValueError(kind)


def translate_forced(model: Any, config: Any, src: list[int], tgt_in: list[int]) -> tuple[Array, Array]:
    """Logits and weights of each step, for one sentence whose target words are given."""
    decoder, readout, output = numbers(model.decoder.rnn), numbers(model.decoder.readout), numbers(model.output)
    vectors = numbers(model.decoder.embedding)["weight"]
    if config.tied_embeddings != "none":
        output["weight"] = vectors
    memory, last = encode(model, config.encoder, src)
    contents = memory
    if config.decoder.readout == "lexical":
        of_source = numbers(model.encoder.embedding)["weight"] if config.tied_embeddings != "all" else vectors
        contents = [np.concatenate((h, of_source[word])) for h, word in zip(memory, src, strict=True)]
    state, summary = bridge(model, config, last), last[-1][0]
    attentional = np.zeros(config.decoder.hidden_size if config.decoder.input_feeding else 0)
    logits, all_weights = [], []
    for t, word in enumerate(tgt_in, start=1):
        y = vectors[word]
        if config.decoder.kind == "bahdanau":
            context, weights = attend(model, config.attention, state[-1][0], y, (memory, contents), summary, t)
            state = rnn_step(config.decoder.cell, decoder, np.concatenate((y, context)), state)
        else:
            state = rnn_step(config.decoder.cell, decoder, np.concatenate((y, attentional)), state)
            context, weights = attend(model, config.attention, state[-1][0], y, (memory, contents), summary, t)
        features = read_features(config.decoder.readout, readout, state[-1][0], context, y)
        if config.decoder.input_feeding:
            attentional = features
        logits.append(output["weight"] @ features + output["bias"])
        all_weights.append(weights)
    return np.stack(logits), np.stack(all_weights)
