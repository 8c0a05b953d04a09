// The operators of ONNX that occur in the graphs of s2s. https://onnx.ai/onnx/operators

const sigmoid = (x) => 1 / (1 + Math.exp(-x));
const each = (f) => (given) => mapped(f, given);

// By ONNX's numbers of types, to whole numbers and truth values; all others are in 32 bits here, as they are.
const CASTS = { 6: Math.trunc, 7: Math.trunc, 9: (x) => x !== 0 };

function addedToRows(rows, added) {
  for (let from = 0; from < rows.length; from += added.length) {
    for (let i = 0; i < added.length; i++) rows[from + i] += added[i];
  }
  return rows;
}

/** log p = x - largest - log sum of exp(x - largest), for each row along the last axis. */
function logSoftmax([given]) {
  const result = tensor(given.shape, given.data.slice());
  for (const row of rowsOf(result)) {
    let [largest, sum] = [-Infinity, 0];
    for (let i = 0; i < row.length; i++) if (row[i] > largest) largest = row[i];
    for (let i = 0; i < row.length; i++) sum += Math.exp(row[i] - largest);
    const shift = largest + Math.log(sum);
    for (let i = 0; i < row.length; i++) row[i] -= shift;
  }
  return result;
}

/** The rows along the last axis, or parts of another length. */
function rowsOf({ shape, data }, length = shape.at(-1)) {
  return Array.from({ length: data.length / length }, (_, row) => data.subarray(row * length, (row + 1) * length));
}

/** The places of the k largest values, largest first, the first of equals before the others. */
function largestPlaces(values, k) {
  if (k > 1000) return [...values.keys()].sort((a, b) => values[b] - values[a]).slice(0, k); // k insertions take k² steps
  const best = [];
  let least = -Infinity; // of the best, once there are k
  for (let place = 0; place < values.length; place++) {
    if (best.length === k && !(values[place] > least)) continue;
    if (best.length === k) best.pop();
    let rank = best.length;
    while (rank > 0 && values[best[rank - 1]] < values[place]) rank--;
    best.splice(rank, 0, place);
    least = values[best.at(-1)];
  }
  return best;
}

/** f over an axis, of which the result has one entry, or which it lacks. */
function reduced(f) {
  return ([given, { data: [which] }], { keepdims }) => {
    const axis = positive(which, given.shape.length);
    const others = given.shape.map((_, i) => i).filter((i) => i !== axis);
    const last = transposed(given, [...others, axis]);
    const shape = keepdims ? given.shape.with(axis, 1) : last.shape.slice(0, -1);
    return tensor(shape, rowsOf(last).map((row) => row.reduce(f)));
  };
}

function transposed(given, axes) {
  const strides = stridesOf(given.shape);
  return strided(given, axes.map((axis) => given.shape[axis]), axes.map((axis) => strides[axis]));
}

// The RNNs, for one sentence: X (S, 1, inputs), W (directions, gates * H, inputs), R (directions, gates * H, H),
// biases (directions, 2 gates * H).

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
    // The same arrays each time: products know a matrix by its array.
    for (const given of [w, r, b]) given.parts ??= rowsOf(given, given.data.length / directions);
    for (let d = 0; d < directions; d++) {
      const [hidden, cell] = lasts.map((last) => last.subarray(d * size, (d + 1) * size));
      const [weights, recurrence, biases] = [w, r, b].map(({ parts }) => parts[d]);
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

const OPERATORS = {
  Abs: each(Math.abs),
  Add: each((a, b) => a + b),
  And: each((a, b) => a && b),
  /** The place of the largest value of each row, the first of equals. */
  ArgMax: ([given]) => tensor(given.shape.slice(0, -1), rowsOf(given).flatMap((row) => largestPlaces(row, 1))),
  Cast: (given, { to }) => mapped(CASTS[to] ?? ((x) => x), given),
  Concat: (given, { axis }) => joined(given, axis),
  Constant: (_, { value: { shape, values } }) => tensor(shape, values),
  ConstantOfShape: ([{ data }], { value }) => expanded(tensor([], value.values), [...data]),
  Div: each((a, b) => a / b),
  Equal: each((a, b) => a === b),
  Exp: each(Math.exp),
  Expand: ([given, { data }]) => expanded(given, commonShape(given.shape, [...data])),
  Flatten: ([{ shape, data }], { axis }) => tensor([shape.slice(0, axis), shape.slice(axis)].map(sizeOf), data),
  GRU: (given, attributes) => recurrent(gruStep(!attributes.linear_before_reset))(given, attributes),
  Gather: ([given, indices], { axis }) => gathered(given, indices, axis),
  /** The values of an axis at the places of `indices`, which has the same lengths in the other axes. */
  GatherElements([given, indices], { axis }) {
    const [inner, length] = [sizeOf(given.shape.slice(axis + 1)), given.shape[axis]];
    return tensor(indices.shape, indices.data.map((index, i) => {
      const outer = Math.floor(i / (inner * indices.shape[axis]));
      return given.data[(outer * length + positive(index, length)) * inner + (i % inner)];
    }));
  },
  /** x Wᵀ + b. */
  Gemm([x, w, b]) {
    const [count, length, rows] = [...x.shape, w.shape[0]];
    return tensor([count, rows], addedToRows(timesWeights(x.data, w.data, count, length, rows), b.data));
  },
  GreaterOrEqual: each((a, b) => a >= b),
  Identity: ([given]) => given,
  IntegerDiv: each((a, b) => Math.trunc(a / b)),
  LSTM: recurrent(lstmStep),
  Less: each((a, b) => a < b),
  LessOrEqual: each((a, b) => a <= b),
  LogSoftmax: logSoftmax,
  /** Products of matrices in the last two axes; the axes before them are broadcast. */
  MatMul([a, b]) {
    const [count, length, columns] = [a.shape.at(-2), a.shape.at(-1), b.shape.at(-1)];
    const outer = commonShape(a.shape.slice(0, -2), b.shape.slice(0, -2));
    const rows = sizeOf([...outer, count]);
    if (b.transposed) {
      return tensor([...outer, count, columns], timesWeights(a.data, b.transposed.data, rows, length, columns));
    }
    const [left, right] = [expanded(a, [...outer, count, length]), expanded(b, [...outer, length, columns])];
    const result = new Float32Array(rows * columns);
    const sums = new Float64Array(columns);
    for (let row = 0; row < rows; row++) {
      sums.fill(0);
      for (let k = 0; k < length; k++) {
        const [factor, from] = [left.data[row * length + k], (Math.floor(row / count) * length + k) * columns];
        for (let column = 0; column < columns; column++) sums[column] += factor * right.data[from + column];
      }
      result.set(sums, row * columns);
    }
    return tensor([...outer, count, columns], result);
  },
  Mod: each((a, b) => a - b * Math.floor(a / b)),
  Mul: each((a, b) => a * b),
  Neg: each((a) => -a),
  Not: each((a) => !a),
  OneHot: ([places, { data: [depth] }, { data: [off, on] }]) => tensor([...places.shape, depth],
    [...places.data].flatMap((place) => Array.from({ length: depth }, (_, i) => (i === place ? on : off)))),
  Or: each((a, b) => a || b),
  Pow: each((a, b) => a ** b),
  RNN: recurrent((fromInput, timesHidden, hidden) =>
    hidden.set(timesHidden(hidden).map((value, i) => Math.tanh(value + fromInput[i])))),
  Range([start, end, step]) {
    const count = Math.max(0, Math.ceil((end.data[0] - start.data[0]) / step.data[0]));
    return vector(Array.from({ length: count }, (_, i) => start.data[0] + i * step.data[0]));
  },
  ReduceMax: reduced((a, b) => Math.max(a, b)),
  ReduceSum: reduced((a, b) => a + b),
  Reshape([given, { data }]) {
    const shape = Array.from(data, (length, axis) => (length === 0 ? given.shape[axis] : length));
    const open = given.data.length / Math.abs(sizeOf(shape)); // one length may be -1
    return tensor(shape.map((length) => (length < 0 ? open : length)), given.data);
  },
  Shape: ([given]) => vector(given.shape),
  Sigmoid: each(sigmoid),
  Slice: ([given, starts, ends, axes, steps]) => starts.data.reduce((part, start, i) => {
    const axis = positive(axes?.data[i] ?? i, given.shape.length);
    const [length, step] = [part.shape[axis], steps?.data[i] ?? 1];
    const inside = (place) => Math.min(length, Math.max(0, positive(place, length)));
    const [first, end] = [inside(start), inside(ends.data[i])];
    return partOf(part, axis, first, Math.max(0, Math.ceil((end - first) / step)), step);
  }, given),
  Softmax: (given) => mapped(Math.exp, [logSoftmax(given)]),
  Split([given, sizes], { axis, num_outputs: count }) {
    const all = sizes ? [...sizes.data] : Array(count).fill(given.shape[axis] / count);
    return all.map((size, i) => partOf(given, axis, sumOf(all.slice(0, i)), size));
  },
  Squeeze([given, axes]) {
    const dropped = [...axes.data].map((axis) => positive(axis, given.shape.length));
    return tensor(given.shape.filter((_, axis) => !dropped.includes(axis)), given.data);
  },
  Sub: each((a, b) => a - b),
  Tanh: each(Math.tanh),
  /** The k largest values of each row, largest first, the first of equals before the others, and their places. */
  TopK([given, { data: [k] }]) {
    const shape = given.shape.with(-1, k);
    const found = rowsOf(given).flatMap((row) => largestPlaces(row, k).map((place) => ({ place, value: row[place] })));
    return [tensor(shape, found.map(({ value }) => value)), tensor(shape, found.map(({ place }) => place))];
  },
  Transpose([given], { perm }) {
    const result = transposed(given, perm);
    if (perm.length === 2) result.transposed = given; // for a product: the kernel wants W, not Wᵀ
    return result;
  },
  Unsqueeze([given, axes]) {
    const rank = given.shape.length + axes.data.length;
    const added = [...axes.data].map((axis) => positive(axis, rank));
    const left = [...given.shape];
    return tensor(Array.from({ length: rank }, (_, axis) => (added.includes(axis) ? 1 : left.shift())), given.data);
  },
  Where: each((condition, a, b) => (condition ? a : b)),
};
