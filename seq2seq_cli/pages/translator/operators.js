// The operators of ONNX that occur in the graphs of s2s. https://onnx.ai/onnx/operators

const sigmoid = (x) => 1 / (1 + Math.exp(-x));
const numbers = (f) => (given) => mapped(Float32Array, f, ...given);
const truths = (f) => (given) => mapped(Uint8Array, f, ...given);

/** Arithmetic keeps the kind of its operands; integers are divided to integers. */
function arithmetic(f) {
  return (given) => mapped(given[0].data.constructor, f, ...given);
}

function quotient([a, b]) {
  const isWhole = a.data instanceof Float64Array;
  return mapped(a.data.constructor, isWhole ? (x, y) => Math.trunc(x / y) : (x, y) => x / y, a, b);
}

const ARRAYS = { float: Float32Array, integer: Float64Array, boolean: Uint8Array };

function cast([given], { to }) {
  const values = new ARRAYS[to](given.data.length);
  if (to === "boolean") for (let i = 0; i < values.length; i++) values[i] = given.data[i] !== 0;
  else if (to === "integer") for (let i = 0; i < values.length; i++) values[i] = Math.trunc(given.data[i]);
  else values.set(given.data);
  return tensor(given.shape, values);
}

/** Products of matrices in the last two axes; the axes before them are broadcast. */
function matrixProduct([a, b], _, memory) {
  const [count, length, columns] = [a.shape.at(-2), a.shape.at(-1), b.shape.at(-1)];
  if (b.transposed && b.shape.length === 2) {
    const result = memory.product(a.data, b.transposed.data, sizeOf(a.shape.slice(0, -1)), length, columns);
    return tensor(a.shape.with(-1, columns), result);
  }
  const outer = commonShape(a.shape.slice(0, -2), b.shape.slice(0, -2));
  const [left, right] = [expanded(a, [...outer, count, length]), expanded(b, [...outer, length, columns])];
  const result = new Float32Array(sizeOf(outer) * count * columns);
  for (let i = 0; i < sizeOf(outer); i++) {
    timesPlain(
      left.data.subarray(i * count * length, (i + 1) * count * length),
      right.data.subarray(i * length * columns, (i + 1) * length * columns),
      count, length, columns, result.subarray(i * count * columns, (i + 1) * count * columns),
    );
  }
  return tensor([...outer, count, columns], result);
}

/** x Wᵀ + b. */
function gemm([x, w, b], _, memory) {
  const [count, length, rows] = [...x.shape, w.shape[0]];
  const result = memory.product(x.data, w.data, count, length, rows);
  if (b) addToRows(result, b.data);
  return tensor([count, rows], result);
}

function addToRows(rows, added) {
  for (let from = 0; from < rows.length; from += added.length) {
    for (let i = 0; i < added.length; i++) rows[from + i] += added[i];
  }
}

/** f of each row along the last axis: `f(values, result)`. */
function byRow(given, f) {
  const length = given.shape.at(-1);
  const result = new Float32Array(given.data.length);
  for (let from = 0; from < result.length; from += length) {
    f(given.data.subarray(from, from + length), result.subarray(from, from + length));
  }
  return tensor(given.shape, result);
}

/** The largest value and the sum of exp(value - largest). */
function largestAndSum(values) {
  let [largest, sum] = [-Infinity, 0];
  for (let i = 0; i < values.length; i++) if (values[i] > largest) largest = values[i];
  for (let i = 0; i < values.length; i++) sum += Math.exp(values[i] - largest);
  return [largest, sum];
}

function softmax([given]) {
  return byRow(given, (values, result) => {
    const [largest, sum] = largestAndSum(values);
    for (let i = 0; i < values.length; i++) result[i] = Math.exp(values[i] - largest) / sum;
  });
}

function logSoftmax([given]) {
  return byRow(given, (values, result) => {
    const [largest, sum] = largestAndSum(values);
    const shift = largest + Math.log(sum);
    for (let i = 0; i < values.length; i++) result[i] = values[i] - shift;
  });
}

/** The k largest values of each row, largest first, the first of equals before the others, and their places. */
function topK([given, { data: [k] }]) {
  const shape = given.shape.with(-1, k);
  const [values, places] = [new Float32Array(sizeOf(shape)), new Float64Array(sizeOf(shape))];
  const length = given.shape.at(-1);
  for (let row = 0; row < values.length / k; row++) {
    const best = largestPlaces(given.data.subarray(row * length, (row + 1) * length), k);
    best.forEach((place, rank) => {
      places[row * k + rank] = place;
      values[row * k + rank] = given.data[row * length + place];
    });
  }
  return [tensor(shape, values), tensor(shape, places)];
}

function largestPlaces(values, k) {
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

/** The place of the largest value of each row, the first of equals. */
function argMax([given]) {
  const length = given.shape.at(-1);
  const places = Float64Array.from({ length: given.data.length / length }, (_, row) =>
    largestPlaces(given.data.subarray(row * length, (row + 1) * length), 1)[0]);
  return tensor(given.shape.slice(0, -1), places);
}

/** f over one axis or all of them, which the result lacks. */
function reduced(f, start) {
  return ([given, axes]) => {
    const rank = given.shape.length;
    const all = given.shape.map((_, i) => i);
    const dropped = axes?.data.length ? [...axes.data].map((axis) => positive(axis, rank)) : all;
    const kept = given.shape.map((_, axis) => axis).filter((axis) => !dropped.includes(axis));
    const { shape, data } = transposed(given, [...kept, ...dropped]);
    const result = new given.data.constructor(sizeOf(shape.slice(0, kept.length))).fill(start);
    const length = data.length / result.length;
    for (let i = 0; i < data.length; i++) result[Math.floor(i / length)] = f(result[Math.floor(i / length)], data[i]);
    return tensor(shape.slice(0, kept.length), result);
  };
}

function transposed(given, axes) {
  const strides = stridesOf(given.shape);
  return strided(given, axes.map((axis) => given.shape[axis]), axes.map((axis) => strides[axis]));
}

function transpose([given], { perm }) {
  const result = transposed(given, perm);
  if (perm.length === 2) result.transposed = given; // for a product: the kernel wants W, not Wᵀ
  return result;
}

function slice([given, starts, ends, axes, steps]) {
  return starts.data.reduce((part, start, i) => {
    const axis = positive(axes?.data[i] ?? i, given.shape.length);
    const [length, step] = [part.shape[axis], steps?.data[i] ?? 1];
    const inside = (place, least, most) => Math.max(least, Math.min(place < 0 ? place + length : place, most));
    const first = step > 0 ? inside(start, 0, length) : inside(start, 0, length - 1);
    const end = step > 0 ? inside(ends.data[i], 0, length) : inside(ends.data[i], -1, length - 1);
    return partOf(part, axis, first, Math.max(0, Math.ceil((end - first) / step)), step);
  }, given);
}

function split([given, sizes], { axis = 0, num_outputs: count }) {
  const length = given.shape[axis];
  const all = sizes ? [...sizes.data] : Array(count).fill(length / count);
  return all.map((size, i) => partOf(given, axis, all.slice(0, i).reduce((sum, each) => sum + each, 0), size));
}

function reshape([given, { data }]) {
  const shape = Array.from(data, (length, axis) => (length === 0 ? given.shape[axis] : length));
  const known = shape.filter((length) => length >= 0).reduce((a, b) => a * b, 1);
  return tensor(shape.map((length) => (length < 0 ? given.data.length / known : length)), given.data);
}

function squeeze([given, axes]) {
  const dropped = axes && [...axes.data].map((axis) => positive(axis, given.shape.length));
  return tensor(given.shape.filter((length, axis) => (dropped ? !dropped.includes(axis) : length !== 1)), given.data);
}

function unsqueeze([given, axes]) {
  const rank = given.shape.length + axes.data.length;
  const added = [...axes.data].map((axis) => positive(axis, rank));
  const left = [...given.shape];
  return tensor(Array.from({ length: rank }, (_, axis) => (added.includes(axis) ? 1 : left.shift())), given.data);
}

/** The values of an axis at the places of `indices`, which has the same lengths in the other axes. */
function gatherElements([given, indices], { axis = 0 }) {
  const [inner, length] = [sizeOf(given.shape.slice(axis + 1)), given.shape[axis]];
  const values = new given.data.constructor(indices.data.length);
  for (let i = 0; i < values.length; i++) {
    const outer = Math.floor(i / (inner * indices.shape[axis]));
    values[i] = given.data[(outer * length + positive(indices.data[i], length)) * inner + (i % inner)];
  }
  return tensor(indices.shape, values);
}

function oneHot([places, depth, { data: [off, on] }]) {
  const values = new Float64Array(places.data.length * depth.data[0]).fill(off);
  places.data.forEach((place, i) => { values[i * depth.data[0] + place] = on; });
  return tensor([...places.shape, depth.data[0]], values);
}

function range([start, end, step]) {
  const count = Math.max(0, Math.ceil((end.data[0] - start.data[0]) / step.data[0]));
  return integers(Array.from({ length: count }, (_, i) => start.data[0] + i * step.data[0]));
}

function constantOfShape([{ data }], { value }) {
  const shape = [...data];
  return tensor(shape, new ARRAYS[value.kind](sizeOf(shape)).fill(value.values[0]));
}

const OPERATORS = {
  Abs: arithmetic(Math.abs),
  Add: arithmetic((a, b) => a + b),
  And: truths((a, b) => a & b),
  ArgMax: argMax,
  Cast: cast,
  Concat: (given, { axis }) => joined(given, positive(axis, given[0].shape.length)),
  ConstantOfShape: constantOfShape,
  Div: quotient,
  Equal: truths((a, b) => a === b),
  Exp: numbers(Math.exp),
  Expand: ([given, { data }]) => expanded(given, commonShape(given.shape, [...data])),
  GRU: gru,
  Gather: ([given, indices], { axis = 0 }) => gathered(given, indices, positive(axis, given.shape.length)),
  GatherElements: gatherElements,
  Gemm: gemm,
  Greater: truths((a, b) => a > b),
  GreaterOrEqual: truths((a, b) => a >= b),
  Identity: ([given]) => given,
  LSTM: lstm,
  Less: truths((a, b) => a < b),
  LessOrEqual: truths((a, b) => a <= b),
  LogSoftmax: logSoftmax,
  MatMul: matrixProduct,
  Mod: arithmetic((a, b) => a - b * Math.floor(a / b)),
  Mul: arithmetic((a, b) => a * b),
  Neg: arithmetic((a) => -a),
  Not: truths((a) => 1 - a),
  OneHot: oneHot,
  Or: truths((a, b) => a | b),
  Pow: numbers((a, b) => a ** b),
  RNN: rnn,
  Range: range,
  ReduceMax: reduced(Math.max, -Infinity),
  ReduceSum: reduced((a, b) => a + b, 0),
  Reshape: reshape,
  Shape: ([given]) => integers(given.shape),
  Sigmoid: numbers(sigmoid),
  Slice: slice,
  Softmax: softmax,
  Split: split,
  Sqrt: numbers(Math.sqrt),
  Squeeze: squeeze,
  Sub: arithmetic((a, b) => a - b),
  Tanh: numbers(Math.tanh),
  TopK: topK,
  Transpose: transpose,
  Unsqueeze: unsqueeze,
  Where: ([condition, a, b]) => mapped(a.data.constructor, (is, x, y) => (is ? x : y), condition, a, b),
};
