// Products of vectors with matrices of weights, in which nearly all of the time is spent. The kernel is written in
// WebAssembly's instructions, as JavaScript has none that compute several numbers at once: it takes a thirtieth of the
// time. https://webassembly.github.io/spec/core/binary/instructions.html

const VECTORS = 4; // that are multiplied at once: a weight is read once for all of them
const LANES = 4; // numbers in a v128: rows of a matrix that are multiplied at once
const PAGE_BYTES = 65536; // of WebAssembly's memory

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
const LOAD_IN_ALL_LANES = [0xfd, 0x09, 0x02, 0x00]; // one number
const STORE_LANES = [0xfd, 0x0b, 0x04, 0x00];
const ZERO_LANES = [0xfd, 0x0c, ...Array(16).fill(0)];
const ADD_LANES = [0xfd, 0xe4, 0x01];
const MULTIPLY_LANES = [0xfd, 0xe6, 0x01];

const leb = (number) => [128 | (number & 127), number >>> 7]; // LEB128, as lengths are written; here in two bytes
const section = (id, content) => [id, ...leb(content.length), ...content];
const text = (characters) => [characters.length, ...new TextEncoder().encode(characters)];

/**
 * The module: `multiply(vectors, weights, products, length, blocks, stride)`.
 *
 * `vectors` is the address of four vectors of `length` bytes, `weights` of so many blocks of four rows of that length,
 * whose numbers take turns, and `products` of four vectors of products, `stride` bytes apart.
 */
function kernelModule() {
  const [VECTOR, WEIGHTS, PRODUCTS, LENGTH, COUNT, STRIDE] = [0, 1, 2, 3, 4, 5];
  const vectors = [VECTOR, 6, 7, 8];
  const [OFFSET, WEIGHT] = [9, 10];
  const sums = [11, 12, 13, 14];
  const advance = (local, bytes) => [...get(local), ...integer(bytes), ...ADD, ...set(local)];
  const addProduct = (vector, number) => [
    ...get(sums[number]),
    ...get(WEIGHT), ...get(vector), ...get(OFFSET), ...ADD, ...LOAD_IN_ALL_LANES, ...MULTIPLY_LANES,
    ...ADD_LANES, ...set(sums[number]),
  ];
  const store = (sum, number) => [
    ...get(PRODUCTS), ...Array(number).fill([...get(STRIDE), ...ADD]).flat(), ...get(sum), ...STORE_LANES,
  ];
  const body = [
    ...vectors.slice(1).flatMap((vector, i) => [...get(vectors[i]), ...get(LENGTH), ...ADD, ...set(vector)]),
    ...LOOP,
    ...sums.flatMap((sum) => [...ZERO_LANES, ...set(sum)]),
    ...integer(0), ...set(OFFSET),
    ...LOOP,
    ...get(WEIGHTS), ...LOAD_LANES, ...set(WEIGHT), ...advance(WEIGHTS, 16),
    ...vectors.flatMap(addProduct),
    ...repeatIf([...get(OFFSET), ...integer(4), ...ADD, ...tee(OFFSET), ...get(LENGTH), ...IS_LESS]),
    END,
    ...sums.flatMap(store), ...advance(PRODUCTS, 16),
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

const memory = new WebAssembly.Memory({ initial: 1 });
const kernel = new WebAssembly.Instance(new WebAssembly.Module(kernelModule()), { page: { memory } }).exports;
const places = new WeakMap(); // of matrices in the memory

/** Copy a matrix of weights, (rows, length), into the memory, with room for vectors and products: their addresses. */
function placeInMemory(matrix, rows, length) {
  const blocks = Math.ceil(rows / LANES);
  const sizes = [LANES * blocks * length, VECTORS * length, VECTORS * LANES * blocks].map((numbers) => 4 * numbers);
  const start = PAGE_BYTES * memory.grow(Math.ceil(sumOf(sizes) / PAGE_BYTES));
  const numbers = new Float32Array(memory.buffer, start);
  for (let row = 0; row < rows; row++) {
    const first = Math.floor(row / LANES) * LANES * length + (row % LANES);
    for (let k = 0; k < length; k++) numbers[first + k * LANES] = matrix[row * length + k];
  }
  return { blocks, weights: start, vectors: start + sizes[0], products: start + sizes[0] + sizes[1] };
}

/** x Wᵀ for `count` vectors x of a length, and a matrix W of weights, (rows, length). */
function timesWeights(x, matrix, count, length, rows) {
  if (!places.has(matrix)) places.set(matrix, placeInMemory(matrix, rows, length));
  const { blocks, weights, vectors, products } = places.get(matrix);
  const stride = LANES * blocks;
  const given = new Float32Array(memory.buffer, vectors, VECTORS * length);
  const found = new Float32Array(memory.buffer, products, VECTORS * stride);
  const result = new Float32Array(count * rows);
  for (let done = 0; done < count; done += VECTORS) {
    const many = Math.min(VECTORS, count - done);
    given.set(x.subarray(done * length, (done + many) * length));
    kernel.multiply(vectors, weights, products, 4 * length, blocks, 4 * stride);
    for (let i = 0; i < many; i++) result.set(found.subarray(i * stride, i * stride + rows), (done + i) * rows);
  }
  return result;
}
