// Tensors: {shape, data}. Integers and truth values are numbers like all others, in a Float32Array.

const sizeOf = (shape) => shape.reduce((product, length) => product * length, 1);
/** The distance in the data between neighbours along each axis. */
const stridesOf = (shape) => shape.map((_, axis) => sizeOf(shape.slice(axis + 1)));
/** The axis, or the place in it, counted from the first, where it may be counted from the last. */
const positive = (axis, rank) => (axis < 0 ? axis + rank : axis);

const tensor = (shape, data) => ({ shape, data: data instanceof Float32Array ? data : Float32Array.from(data) });
const vector = (numbers) => tensor([numbers.length], numbers); // in one dimension

/** The tensor of a shape of one axis or more, whose neighbours have these distances in the data; 0 repeats an axis. */
function strided({ data }, shape, strides, start = 0) {
  const values = new Float32Array(sizeOf(shape));
  const last = shape.length - 1;
  let place = 0;
  function fill(axis, from) {
    if (axis === last) for (let i = 0; i < shape[last]; i++) values[place++] = data[from + i * strides[last]];
    else for (let i = 0; i < shape[axis]; i++) fill(axis + 1, from + i * strides[axis]);
  }
  fill(0, start);
  return tensor(shape, values);
}

/** The shape to which several are broadcast: of each axis, the length that is not 1. */
function commonShape(...shapes) {
  const rank = Math.max(...shapes.map((shape) => shape.length));
  const lengths = (axis) => shapes.map((shape) => shape[axis - rank + shape.length] ?? 1);
  return Array.from({ length: rank }, (_, axis) => lengths(axis).find((length) => length !== 1) ?? 1);
}

/** A tensor repeated along its axes of length 1, and new axes before them, to a shape. */
function expanded(given, shape) {
  const added = shape.length - given.shape.length;
  if (!added && given.shape.every((length, axis) => length === shape[axis])) return given;
  const own = stridesOf(given.shape);
  const strides = shape.map((_, axis) => (axis < added || given.shape[axis - added] === 1 ? 0 : own[axis - added]));
  return strided(given, shape, strides);
}

/** f of the values at the same place. */
function mapped(f, given) {
  const shape = commonShape(...given.map((each) => each.shape));
  const [a, b, c] = given.map((each) => expanded(each, shape).data);
  const values = new Float32Array(a.length);
  if (c) for (let i = 0; i < values.length; i++) values[i] = f(a[i], b[i], c[i]);
  else if (b) for (let i = 0; i < values.length; i++) values[i] = f(a[i], b[i]);
  else for (let i = 0; i < values.length; i++) values[i] = f(a[i]);
  return tensor(shape, values);
}

/** A part of an axis: `count` entries from `start` on, each `step` after the one before. */
function partOf(given, axis, start, count, step = 1) {
  const strides = stridesOf(given.shape);
  const shape = given.shape.with(axis, count);
  return strided(given, shape, strides.with(axis, strides[axis] * step), start * strides[axis]);
}

/** Tensors one behind the other along an axis. */
function joined(tensors, axis) {
  const runs = tensors.map(({ shape }) => sizeOf(shape.slice(axis)));
  const length = tensors.reduce((sum, { shape }) => sum + shape[axis], 0);
  const shape = tensors[0].shape.with(axis, length);
  const values = new Float32Array(sizeOf(shape));
  let place = 0;
  for (let i = 0; place < values.length; i++) tensors.forEach(({ data }, number) => {
    values.set(data.subarray(i * runs[number], (i + 1) * runs[number]), place);
    place += runs[number];
  });
  return tensor(shape, values);
}

/** The entries of an axis at these indices, which take the place of the axis. */
function gathered(given, indices, axis) {
  const [inner, length] = [sizeOf(given.shape.slice(axis + 1)), given.shape[axis]];
  const shape = [...given.shape.slice(0, axis), ...indices.shape, ...given.shape.slice(axis + 1)];
  const values = new Float32Array(sizeOf(shape));
  for (let place = 0; place < values.length; place += inner) {
    const [outer, i] = [Math.floor(place / inner / indices.data.length), (place / inner) % indices.data.length];
    const from = (outer * length + positive(indices.data[i], length)) * inner;
    values.set(given.data.subarray(from, from + inner), place);
  }
  return tensor(shape, values);
}
