// The RNNs of ONNX, for one sentence:
// X (S, 1, inputs), W (directions, gates * H, inputs), R (directions, gates * H, H).

/** One step of an LSTM from its gates x W + h R + b, in ONNX's order: input, output, forget, cell. */
function lstmStep(fromInput, fromHidden, { hidden, cell }) {
  const size = hidden.length;
  const gate = (number, i) => fromInput[number * size + i] + fromHidden[number * size + i];
  for (let i = 0; i < size; i++) {
    cell[i] = sigmoid(gate(2, i)) * cell[i] + sigmoid(gate(0, i)) * Math.tanh(gate(3, i));
    hidden[i] = sigmoid(gate(1, i)) * Math.tanh(cell[i]);
  }
}

/** One step of a GRU whose reset gate comes after the product with h; the gates are update, reset, new. */
function gruStep(fromInput, fromHidden, { hidden }) {
  const size = hidden.length;
  for (let i = 0; i < size; i++) {
    const update = sigmoid(fromInput[i] + fromHidden[i]);
    const reset = sigmoid(fromInput[size + i] + fromHidden[size + i]);
    const fresh = Math.tanh(fromInput[2 * size + i] + reset * fromHidden[2 * size + i]);
    hidden[i] = (1 - update) * fresh + update * hidden[i];
  }
}

/** One step of a GRU whose reset gate comes before the product with h, as Cho et al. have it. */
function choGruStep(fromInput, fromHidden, { hidden }, timesHidden, bias) {
  const size = hidden.length;
  const gate = (number, i) => sigmoid(fromInput[number * size + i] + fromHidden[number * size + i]);
  const reset = hidden.map((h, i) => gate(1, i) * h);
  const product = timesHidden(reset);
  for (let i = 0; i < size; i++) {
    const fresh = Math.tanh(fromInput[2 * size + i] + product[2 * size + i] + bias[2 * size + i]);
    const update = gate(0, i);
    hidden[i] = (1 - update) * fresh + update * hidden[i];
  }
}

function rnnStep(fromInput, fromHidden, { hidden }) {
  for (let i = 0; i < hidden.length; i++) hidden[i] = Math.tanh(fromInput[i] + fromHidden[i]);
}

/** All directions of a layer: the outputs (S, directions, 1, H), and the last h and c (directions, 1, H). */
function runLayer([x, w, r, b, , h0, c0], gates, step, direction, memory) {
  const [length, directions, size] = [x.shape[0], w.shape[0], r.shape[2]];
  const outputs = new Float32Array(length * directions * size);
  const lasts = [h0, c0].map((start) => start?.data.slice() ?? new Float32Array(directions * size));
  for (let d = 0; d < directions; d++) {
    const part = (values, count) => values.subarray(d * count, (d + 1) * count);
    const rows = gates * size;
    const weights = [part(w.data, rows * x.shape[2]), part(r.data, rows * size), part(b.data, 2 * rows)];
    const isReversed = d === 1 || direction === "reverse";
    const [hidden, cell] = lasts.map((last) => part(last, size));
    const places = Array.from({ length }, (_, i) => (isReversed ? length - 1 - i : i));
    runDirection(x, weights, { hidden, cell }, places, step, memory, (place) => {
      outputs.set(hidden, (place * directions + d) * size);
    });
  }
  const ofLast = [directions, 1, size];
  return [tensor([length, directions, 1, size], outputs), ...lasts.map((last) => tensor(ofLast, last))];
}

/** One direction over the places of x; `state` changes with each, and is then `seen`. */
function runDirection(x, [weights, recurrence, biases], state, places, step, memory, seen) {
  const [inputs, size, all] = [x.shape[2], state.hidden.length, biases.length / 2];
  const [inputBias, hiddenBias] = [biases.subarray(0, all), biases.subarray(all)];
  const fromInputs = memory.product(x.data, weights, places.length, inputs, all);
  addToRows(fromInputs, inputBias);
  const timesHidden = (hidden) => memory.product(hidden, recurrence, 1, size, all);
  for (const place of places) {
    const fromHidden = timesHidden(state.hidden);
    addToRows(fromHidden, hiddenBias);
    step(fromInputs.subarray(place * all, (place + 1) * all), fromHidden, state, timesHidden, hiddenBias);
    seen(place);
  }
}

/** An operator of ONNX from a step and the number of its gates. */
function recurrent(gates, step) {
  return (given, { direction }, memory) => runLayer(given, gates, step, direction, memory);
}

const lstm = recurrent(4, lstmStep);
const rnn = recurrent(1, rnnStep);
const gru = (given, attributes, memory) =>
  recurrent(3, attributes.linear_before_reset ? gruStep : choGruStep)(given, attributes, memory);
