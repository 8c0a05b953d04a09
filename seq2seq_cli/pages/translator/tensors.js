// Tensors: {shape, data}. Numbers are in a Float32Array, integers in a Float64Array, truth values in a Uint8Array.

const sizeOf = (shape) => shape.reduce((product, length) => product * length, 1);

function tensor(shape, data) {
  return { shape, data };
}

/** Integers in one dimension. */
function integers(values) {
  return tensor([values.length], Float64Array.from(values));
}

/** The distance in the data between neighbours along each axis. */
function stridesOf(shape) {
  const strides = shape.map(() => 1);
  for (let axis = shape.length - 2; axis >= 0; axis--) strides[axis] = strides[axis + 1] * shape[axis + 1];
  return strides;
}

/** The axis counted from the first, where it may be counted from the last. */
function positive(axis, rank) {
  return axis < 0 ? axis + rank : axis;
}

/** The tensor of a shape whose neighbours have these distances in the data; with 0, an axis repeats its values. */
function strided({ data }, shape, strides, start = 0) {
  const values = new data.constructor(sizeOf(shape));
  const last = shape.length - 1;
  let place = 0;
  function fill(axis, from) {
    if (axis > last) {
      values[place++] = data[from];
    } else if (axis === last) {
      for (let i = 0; i < shape[last]; i++) values[place++] = data[from + i * strides[last]];
    } else {
      for (let i = 0; i < shape[axis]; i++) fill(axis + 1, from + i * strides[axis]);
    }
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

/** f of the values at the same place, in an array of a kind. */
function mapped(Kind, f, ...given) {
  const shape = commonShape(...given.map((each) => each.shape));
  const [a, b, c] = given.map((each) => expanded(each, shape).data);
  const values = new Kind(a.length);
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
  const inner = sizeOf(tensors[0].shape.slice(axis + 1));
  const outer = sizeOf(tensors[0].shape.slice(0, axis));
  const length = tensors.reduce((sum, { shape }) => sum + shape[axis], 0);
  const values = new tensors[0].data.constructor(outer * length * inner);
  let place = 0;
  for (let i = 0; i < outer; i++) for (const { shape, data } of tensors) {
    const size = shape[axis] * inner;
    values.set(data.subarray(i * size, (i + 1) * size), place);
    place += size;
  }
  return tensor(tensors[0].shape.with(axis, length), values);
}

/** The entries of an axis at these indices, which take the place of the axis. */
function gathered(given, indices, axis = 0) {
  const [inner, length] = [sizeOf(given.shape.slice(axis + 1)), given.shape[axis]];
  const outer = sizeOf(given.shape.slice(0, axis));
  const values = new given.data.constructor(outer * indices.data.length * inner);
  let place = 0;
  for (let i = 0; i < outer; i++) for (const index of indices.data) {
    const from = (i * length + positive(index, length)) * inner;
    values.set(given.data.subarray(from, from + inner), place);
    place += inner;
  }
  return tensor([...given.shape.slice(0, axis), ...indices.shape, ...given.shape.slice(axis + 1)], values);
}
