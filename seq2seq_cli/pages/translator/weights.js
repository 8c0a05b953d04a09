// What is packed in the page: the weights of a model, its graphs and its codecs.

const DIGITS = new Uint8Array(128); // of base 85, by their codes
[..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%:()*+-;,=.?@^_`{|}~"]
  .forEach((digit, value) => { DIGITS[digit.charCodeAt(0)] = value; });

/** The bytes of a text in base 85: five digits for four bytes, one more than its bytes for the last few. */
function bytesOf(text) {
  const groups = Math.ceil(text.length / 5);
  const padded = text.padEnd(5 * groups, "~");
  const bytes = new DataView(new ArrayBuffer(4 * groups));
  for (let group = 0; group < groups; group++) {
    let number = 0;
    for (let at = 5 * group; at < 5 * group + 5; at++) number = 85 * number + DIGITS[padded.charCodeAt(at)];
    bytes.setUint32(4 * group, number);
  }
  return new Uint8Array(bytes.buffer, 0, 4 * groups - (padded.length - text.length));
}

/** The bytes of a text in base 85, inflated. */
async function inflated(text) {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The weights by name, in a memory of their own. */
async function readWeights({ shapes, steps, planes }) {
  const all = Object.values(shapes);
  const ends = runningSums(all.map(sizeOf));
  const count = sumOf(all.map(sizeOf));
  const memory = new WeightMemory(2 * count, Math.max(...all.flat()));
  const numbers = memory.take(count);
  const [low, middle, high] = await Promise.all(planes.map(inflated));
  const weights = Object.entries(shapes).map(([name, shape], i) => {
    for (let at = ends[i]; at < ends[i + 1]; at++) {
      const code = low[at] | (middle[at] << 8) | (high[at] << 16);
      numbers[at] = steps[i] * ((code >> 1) ^ -(code & 1)); // the lowest bit is the sign
    }
    return [name, tensor(shape, numbers.subarray(ends[i], ends[i + 1]))];
  });
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
