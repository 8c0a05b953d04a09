// Products of a matrix of weights and four vectors, four numbers at a time: the kernel is written in WebAssembly's
// instructions, as JavaScript has none that compute several numbers at once. It takes a thirtieth of the time.
// https://webassembly.github.io/spec/core/binary/instructions.html

const VECTORS = 4; // that are multiplied at once: a weight is read once for all of them
const LANES = 4; // numbers in a v128

const [I32, V128] = [0x7f, 0x7b];
const END = 0x0b;
const ADD = [0x6a]; // of two i32
const SUBTRACT = [0x6b];
const IS_LESS = [0x49];
const LOOP = [0x03, 0x40];
const get = (local) => [0x20, local];
const set = (local) => [0x21, local];
const tee = (local) => [0x22, local]; // sets it and keeps the value
const integer = (value) => [0x41, value]; // below 64
const repeatIf = (condition) => [...condition, 0x0d, 0];
const LOAD_LANES = [0xfd, 0x00, 0x04, 0x00]; // from the address on the stack
const ZERO_LANES = [0xfd, 0x0c, ...Array(16).fill(0)];
const ADD_LANES = [0xfd, 0xe4, 0x01];
const MULTIPLY_LANES = [0xfd, 0xe6, 0x01];
const lane = (number) => [0xfd, 0x1f, number];
const ADD_FLOATS = [0x92];
const STORE_FLOAT = [0x38, 0x02, 0x00];

/** A number in LEB128, as lengths are written. */
function leb(number) {
  return number < 128 ? [number] : [128 | (number & 127), ...leb(number >>> 7)];
}

function section(id, content) {
  return [id, ...leb(content.length), ...content];
}

function text(characters) {
  return [characters.length, ...new TextEncoder().encode(characters)];
}

/**
 * The module: `multiply(vectors, weights, products, length, rows, stride)`.
 *
 * `vectors` is the address of four vectors of `length` bytes, `weights` that of `rows` rows of that length, `products`
 * that of four vectors of products, `stride` bytes apart. `length` is a multiple of 16.
 */
function kernelModule() {
  const [VECTOR, WEIGHTS, PRODUCTS, LENGTH, COUNT, STRIDE] = [0, 1, 2, 3, 4, 5];
  const vectors = [VECTOR, 6, 7, 8];
  const [OFFSET, WEIGHT] = [9, 10];
  const sums = [11, 12, 13, 14];
  const advance = (local, by) => [...get(local), ...by, ...ADD, ...set(local)];
  const addProduct = (vector, number) => [
    ...get(sums[number]),
    ...get(WEIGHT), ...get(vector), ...get(OFFSET), ...ADD, ...LOAD_LANES, ...MULTIPLY_LANES,
    ...ADD_LANES, ...set(sums[number]),
  ];
  const sumOfLanes = (sum) => [
    ...get(sum), ...lane(0), ...get(sum), ...lane(1), ...ADD_FLOATS,
    ...get(sum), ...lane(2), ...get(sum), ...lane(3), ...ADD_FLOATS, ...ADD_FLOATS,
  ];
  const store = (sum, number) => [
    ...get(PRODUCTS), ...Array(number).fill([...get(STRIDE), ...ADD]).flat(), ...sumOfLanes(sum), ...STORE_FLOAT,
  ];
  const body = [
    ...vectors.slice(1).flatMap((vector, i) => [...get(vectors[i]), ...get(LENGTH), ...ADD, ...set(vector)]),
    ...LOOP,
    ...sums.flatMap((sum) => [...ZERO_LANES, ...set(sum)]),
    ...integer(0), ...set(OFFSET),
    ...LOOP,
    ...get(WEIGHTS), ...get(OFFSET), ...ADD, ...LOAD_LANES, ...set(WEIGHT),
    ...vectors.flatMap(addProduct),
    ...repeatIf([...get(OFFSET), ...integer(16), ...ADD, ...tee(OFFSET), ...get(LENGTH), ...IS_LESS]),
    END,
    ...sums.flatMap(store),
    ...advance(WEIGHTS, get(LENGTH)),
    ...advance(PRODUCTS, integer(4)),
    ...repeatIf([...get(COUNT), ...integer(1), ...SUBTRACT, ...tee(COUNT)]),
    END,
    END,
  ];
  const multiply = [2, 4, I32, 5, V128, ...body]; // the locals: those behind the six parameters
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00], // "\0asm", version 1
    ...section(1, [1, 0x60, 6, ...Array(6).fill(I32), 0]),
    ...section(2, [1, ...text("page"), ...text("memory"), 0x02, 0x00, 0x01]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...text("multiply"), 0x00, 0]),
    ...section(10, [1, ...leb(multiply.length), ...multiply]),
  ]);
}
