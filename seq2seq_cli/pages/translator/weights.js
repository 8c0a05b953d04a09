// What is packed in the page: the weights of a model, its graphs and its codecs.

/** The bytes of a text in base 64, inflated. */
async function inflated(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The weights by name. */
async function readWeights({ shapes, steps, planes }) {
  const [low, middle, high] = await Promise.all(planes.map(inflated));
  let end = 0;
  const weights = Object.entries(shapes).map(([name, shape], i) => {
    const numbers = new Float32Array(sizeOf(shape)).map((_, place) => {
      const at = end + place;
      const code = low[at] | (middle[at] << 8) | (high[at] << 16);
      return steps[i] * ((code >> 1) ^ -(code & 1)); // the lowest bit is the sign
    });
    end += numbers.length;
    return [name, tensor(shape, numbers)];
  });
  return Object.fromEntries(weights);
}

/** The translator of the data of a page. */
async function openTranslator(page) {
  const weights = await readWeights(page.weights);
  const data = JSON.parse(new TextDecoder().decode(await inflated(page.model)));
  for (const [name, pair] of Object.entries(data.expressions)) EXPRESSIONS[name] = new RegExp(...pair);
  Object.assign(TABLES, data.tables);
  const [encoder, decoder] = [data.encoder, data.decoder].map((graph) => new Graph(graph, weights));
  const { words, merges } = data.src;
  const src = new Codec(data.src);
  const tgt = new Codec(data.tgt.words ? data.tgt : { ...data.tgt, words, merges }); // both sides may share their units
  const model = new Engine(encoder, decoder, tgt.units.length);
  if (!data.pairs) return new Translator({ ...data, src, tgt, engine: model });
  const forced = new Engine(null, new Graph(data.features, weights), 0);
  const engine = new ConsultingEngine(model, forced, new SimilarPairs(data.pairs, data.options));
  return new Translator({ ...data, src, tgt, engine });
}
