// What is packed in the page: a model of 16-bit numbers, and its graphs and codecs.

const MANTISSA = 1024; // 10 bits; above them there are 5 of the exponent, and the sign
const EXPONENTS = Float32Array.from({ length: 64 }, (_, bits) =>
  (bits < 32 ? 1 : -1) * 2 ** (Math.max(1, bits % 32) - 25));

/** The bytes of a text in base64, inflated. */
async function inflated(base64) {
  const compressed = atob(base64);
  const bytes = new Uint8Array(compressed.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = compressed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Numbers of 16 bits (IEEE 754, binary16) from their lower and their upper bytes, written to `numbers`. */
function readHalves(low, high, numbers) {
  for (let i = 0; i < numbers.length; i++) {
    const exponent = high[i] >> 2;
    const mantissa = ((high[i] & 3) << 8) | low[i];
    numbers[i] = EXPONENTS[exponent] * (exponent % 32 ? MANTISSA + mantissa : mantissa);
  }
}

/** The weights by name, in a memory of their own. */
async function readWeights({ shapes, low, high }) {
  const all = Object.values(shapes);
  const count = sumOf(all.map(sizeOf));
  const memory = new WeightMemory(2 * count, Math.max(...all.flat()));
  const numbers = memory.take(count);
  readHalves(await inflated(low), await inflated(high), numbers);
  const ends = runningSums(all.map(sizeOf));
  const weights = Object.entries(shapes).map(([name, shape], i) => [name, tensor(shape, numbers.subarray(ends[i], ends[i + 1]))]);
  return { memory, weights: Object.fromEntries(weights) };
}

/** The translator of the data of a page. */
async function openTranslator({ weights: packed, model }) {
  const { memory, weights } = await readWeights(packed);
  const data = JSON.parse(new TextDecoder().decode(await inflated(model)));
  setTables(data.expressions, data.tables);
  const [encoder, decoder] = [data.encoder, data.decoder].map((graph) => new Graph(graph, weights, memory));
  const { words, merges } = data.src;
  const src = new Codec(data.src);
  const tgt = new Codec(data.tgt.words ? data.tgt : { ...data.tgt, words, merges }); // both sides may share their units
  return new Translator({ ...data, src, tgt, engine: new Engine(encoder, decoder, tgt.units.length) });
}
