// Products of matrices, in which nearly all of the time is spent.

const PAGE = 16384; // numbers in a page of WebAssembly's memory

/** The memory of the weights, in which the kernel multiplies by them. */
class WeightMemory {
  /** Memory for so many numbers, and for products of vectors with matrices whose longer side has `longest` numbers. */
  constructor(numbers, longest) {
    const memory = new WebAssembly.Memory({ initial: Math.ceil((numbers + 2 * VECTORS * longest) / PAGE) });
    this.free = new Float32Array(memory.buffer);
    this.vectors = this.take(VECTORS * longest);
    this.products = this.take(VECTORS * longest);
    const module = kernelModule();
    const isUsable = WebAssembly.validate(module); // false where a browser has no v128
    this.multiply = isUsable && startModule(module, memory).multiply;
  }

  /** An array for so many numbers in the memory. */
  take(numbers) {
    const taken = this.free.subarray(0, numbers);
    this.free = this.free.subarray(numbers);
    return taken;
  }

  /** Numbers moved into the memory, so that the kernel can multiply by them, if there is room for them. */
  keep(numbers) {
    if (numbers.buffer === this.free.buffer || numbers.length > this.free.length) return numbers;
    const kept = this.take(numbers.length);
    kept.set(numbers);
    return kept;
  }

  /** x Wᵀ for `count` vectors x of a length, and a matrix W of `rows` rows. */
  product(x, matrix, count, length, rows) {
    const result = new Float32Array(count * rows);
    if (this.multiply && this.isKept(matrix, length, rows)) this.timesKept(x, matrix, count, length, rows, result);
    else timesTransposed(x, matrix, count, length, rows, result);
    return result;
  }

  /** Whether the kernel can multiply by a matrix. */
  isKept({ buffer }, length, rows) {
    const isSmall = VECTORS * Math.max(length, rows) <= this.vectors.length;
    return buffer === this.free.buffer && length % LANES === 0 && isSmall;
  }

  timesKept(x, matrix, count, length, rows, result) {
    for (let done = 0; done < count; done += VECTORS) {
      this.vectors.set(x.subarray(done * length, Math.min(done + VECTORS, count) * length));
      const addresses = [this.vectors, matrix, this.products].map((values) => values.byteOffset);
      this.multiply(...addresses, length * 4, rows, rows * 4);
      result.set(this.products.subarray(0, Math.min(VECTORS, count - done) * rows), done * rows);
    }
  }
}

function startModule(module, memory) {
  return new WebAssembly.Instance(new WebAssembly.Module(module), { page: { memory } }).exports;
}

/** x Wᵀ of rows x, (count, length), and a matrix W, (rows, length), without the kernel. */
function timesTransposed(x, matrix, count, length, rows, result) {
  for (let i = 0; i < count; i++) for (let row = 0; row < rows; row++) {
    const from = row * length;
    let sum = 0;
    for (let k = 0; k < length; k++) sum += x[i * length + k] * matrix[from + k];
    result[i * rows + row] = sum;
  }
}

/** x W of rows x, (count, length), and a matrix W, (length, columns). */
function timesPlain(x, matrix, count, length, columns, result) {
  const sums = new Float64Array(columns);
  for (let i = 0; i < count; i++) {
    sums.fill(0);
    for (let k = 0; k < length; k++) {
      const [factor, from] = [x[i * length + k], k * columns];
      for (let column = 0; column < columns; column++) sums[column] += factor * matrix[from + column];
    }
    result.set(sums, i * columns);
  }
}
