// The engine: from ids to the best next tokens, step by step, as decoding/engines/onnx_engine.py has it; and the graphs of
// operators that it runs, as decoding/page/export_page.py writes ONNX graphs.

const [PAD, UNK, BOS, EOS] = [0, 1, 2, 3];
const MEMORY = ["states", "keys", "mask"]; // of the encoder's outputs, those that stay as they are
const LAYERS_FIRST = ["hidden", "cell"]; // of the others, those whose rows are the second axis

class Engine {
  constructor(encoder, decoder, vocabularySize) {
    Object.assign(this, { encoder, decoder, vocabularySize });
  }

  /** The state before the first step, with one row for the source, ids without EOS. */
  start(source) {
    const src = [...source, EOS];
    return this.encoder.run({ src: tensor([1, src.length], src), lengths: vector([src.length]) });
  }

  /** The outputs of a step, row by row, with the `likeliest` k next tokens as [token, log p], and the next state. */
  step(tokens, state, k, asked = []) {
    const outputs = this.decoder.run({
      ...state,
      tokens: vector(tokens), k: tensor([], [k]),
      slots: tensor([1, tokens.length], [...tokens.keys()]), places: vector([...tokens.keys()]),
      asked: tensor([tokens.length, asked.length], tokens.flatMap(() => asked)),
    });
    const proposed = Object.entries(outputs).filter(([name]) => !name.startsWith("next_"));
    const proposals = Object.fromEntries(proposed.map(([name, values]) => [name, rowsOf(values)]));
    const { best_tokens: best = [], best_log_probabilities: logs } = proposals; // none without the output layer
    proposals.likeliest = best.map((tokens, row) => Array.from(tokens, (token, i) => [token, logs[row][i]]));
    const after = Object.entries(state).map(([name, values]) => [name, outputs[`next_${name}`] ?? values]);
    return [proposals, Object.fromEntries(after)];
  }

  /** The state of the given rows, in that order. */
  select(state, numbers) {
    const selected = Object.entries(state).map(([name, values]) => [name, MEMORY.includes(name) ? values
      : gathered(values, vector(numbers), LAYERS_FIRST.includes(name) ? 1 : 0)]);
    return Object.fromEntries(selected);
  }
}

/** A graph that computes outputs from inputs; whatever depends on constants alone is computed once. */
class Graph {
  constructor({ nodes, outputs }, weights) {
    this.outputs = outputs;
    this.known = new Map(Object.entries(weights));
    this.nodes = nodes.filter((node) => {
      const isKnown = node.inputs.every((name) => !name || this.known.has(name));
      if (isKnown) compute(node, this.known);
      return !isKnown;
    });
  }

  /** The outputs by name, from inputs by name. */
  run(inputs) {
    const values = new Map([...this.known, ...Object.entries(inputs)]);
    for (const node of this.nodes) compute(node, values);
    return Object.fromEntries(this.outputs.map((name) => [name, values.get(name)]));
  }
}

/** Add the outputs of a node to the values; its axis is counted from the first one. */
function compute({ operator, inputs, outputs, attributes }, values) {
  const given = inputs.map((name) => values.get(name));
  const axis = positive(attributes.axis ?? 0, given[0]?.shape.length);
  const results = [OPERATORS[operator](given, { ...attributes, axis })].flat();
  outputs.forEach((name, number) => values.set(name, results[number]));
}
