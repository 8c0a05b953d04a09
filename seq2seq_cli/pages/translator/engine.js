// The engine: from ids to the best next tokens, step by step, as decoding/engines/onnx_engine.py has it.

const [PAD, UNK, BOS, EOS] = [0, 1, 2, 3];
const MEMORY = ["states", "keys", "mask"]; // of the encoder's outputs, those that stay as they are
const NEXT = "next_";

class Engine {
  constructor(encoder, decoder, vocabularySize) {
    this.encoder = encoder;
    this.decoder = decoder;
    this.vocabularySize = vocabularySize;
  }

  /** The state before the first step, with one row for the source, ids without EOS. */
  start(source) {
    const src = tensor([1, source.length + 1], Float64Array.from([...source, EOS]));
    const encoded = this.encoder.run({ src, lengths: integers([source.length + 1]) });
    const isMemory = ([name]) => MEMORY.includes(name);
    const all = Object.entries(encoded);
    const memory = Object.fromEntries(all.filter(isMemory));
    return { memory, rows: Object.fromEntries(all.filter((entry) => !isMemory(entry))) };
  }

  /** The k best next tokens of each row, and the next state. */
  step(tokens, { memory, rows }, k) {
    const outputs = this.decoder.run({
      ...memory, ...rows,
      tokens: integers(tokens), sources: integers(tokens.map(() => 0)), k: tensor([], Float64Array.of(k)),
      asked: tensor([tokens.length, 0], new Float64Array()),
    });
    const after = Object.keys(rows).map((name) => [name, outputs[NEXT + name]]);
    const proposals = {
      tokens: rowsOf(outputs.best_tokens),
      logProbabilities: rowsOf(outputs.best_log_probabilities),
      weights: rowsOf(outputs.weights),
    };
    return [proposals, { memory, rows: Object.fromEntries(after) }];
  }

  /** The state of the given rows, in that order. */
  select({ memory, rows }, numbers) {
    const axis = (name) => (name === "hidden" || name === "cell" ? 1 : 0);
    const kept = integers(numbers);
    const selected = Object.entries(rows).map(([name, values]) => [name, gathered(values, kept, axis(name))]);
    return { memory, rows: Object.fromEntries(selected) };
  }
}

/** The rows of a matrix. */
function rowsOf({ shape: [count, length], data }) {
  return Array.from({ length: count }, (_, row) => data.subarray(row * length, (row + 1) * length));
}
