// The RNNs of ONNX, for one sentence:
// X (S, 1, inputs), W (directions, gates * H, inputs), R (directions, gates * H, H), biases (directions, 2 gates * H).

/** One step of an LSTM from its gates x W + h R + b, in ONNX's order: input, output, forget, cell. */
function lstmStep(fromInput, timesHidden, hidden, cell) {
  const size = hidden.length;
  const gates = timesHidden(hidden).map((value, i) => value + fromInput[i]);
  for (let i = 0; i < size; i++) {
    cell[i] = sigmoid(gates[2 * size + i]) * cell[i] + sigmoid(gates[i]) * Math.tanh(gates[3 * size + i]);
    hidden[i] = sigmoid(gates[size + i]) * Math.tanh(cell[i]);
  }
}

/** A step of a GRU with the gates update, reset, new; `resetsFirst`: before the product with h, as in Cho et al. */
function gruStep(resetsFirst) {
  return (fromInput, timesHidden, hidden) => {
    const size = hidden.length;
    const fromHidden = timesHidden(hidden);
    const gate = (i) => sigmoid(fromInput[i] + fromHidden[i]);
    const fromReset = resetsFirst && timesHidden(hidden.map((h, i) => gate(size + i) * h));
    for (let i = 0; i < size; i++) {
      const place = 2 * size + i;
      const reset = resetsFirst ? fromReset[place] : gate(size + i) * fromHidden[place];
      const fresh = Math.tanh(fromInput[place] + reset);
      hidden[i] = (1 - gate(i)) * fresh + gate(i) * hidden[i];
    }
  };
}

/** The operator of a step: the outputs (S, directions, 1, H), and the last h and c (directions, 1, H). */
function recurrent(step) {
  return ([x, w, r, b, , h0, c0], { direction }) => {
    const [[length, , inputs], [directions, rows, size]] = [x.shape, r.shape];
    const outputs = new Float32Array(length * directions * size);
    const lasts = [h0, c0].map((start) => start?.data.slice() ?? new Float32Array(directions * size));
    for (let d = 0; d < directions; d++) {
      const [hidden, cell] = lasts.map((last) => last.subarray(d * size, (d + 1) * size));
      const [weights, recurrence, biases] = [w, r, b].map((matrices) => byDirection(matrices)[d]);
      const timesHidden = (h) => addedToRows(timesWeights(h, recurrence, 1, size, rows), biases.subarray(rows));
      const known = addedToRows(timesWeights(x.data, weights, length, inputs, rows), biases.subarray(0, rows));
      for (let i = 0; i < length; i++) {
        const place = d === 1 || direction === "reverse" ? length - 1 - i : i;
        step(known.subarray(place * rows, (place + 1) * rows), timesHidden, hidden, cell);
        outputs.set(hidden, (place * directions + d) * size);
      }
    }
    const ofLast = [directions, 1, size];
    return [tensor([length, directions, 1, size], outputs), ...lasts.map((last) => tensor(ofLast, last))];
  };
}

/** The data of each direction, the same array each time: products know a matrix by it. */
function byDirection(given) {
  const size = sizeOf(given.shape.slice(1));
  given.parts ??= Array.from({ length: given.shape[0] }, (_, d) => given.data.subarray(d * size, (d + 1) * size));
  return given.parts;
}
