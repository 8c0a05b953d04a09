// Graphs of operators, as decoding/page/graph_data.py writes those of ONNX.

/** A graph that computes outputs from inputs; whatever depends on constants alone is computed once. */
class Graph {
  constructor({ nodes, constants, outputs }, weights, memory) {
    this.memory = memory;
    this.outputs = outputs;
    this.known = new Map(Object.entries(weights));
    for (const [name, { kind, shape, values }] of Object.entries(constants)) {
      this.known.set(name, tensor(shape, ARRAYS[kind].from(values)));
    }
    this.nodes = [];
    for (const node of nodes) {
      const isKnown = node.inputs.every((name) => !name || this.known.has(name));
      if (node.operator !== "If" && isKnown) this.compute(node, this.known);
      else this.nodes.push(node);
    }
    this.forget();
  }

  /** Forget the values that no node needs any more, and move those that are computed from weights to the weights. */
  forget() {
    const needed = new Set([...this.nodes.flatMap(inputsOf), ...this.outputs]);
    for (const [name, value] of this.known) {
      if (!needed.has(name)) this.known.delete(name);
      else if (value.data instanceof Float32Array && value.shape.length > 1) value.data = this.memory.keep(value.data);
    }
  }

  /** The outputs by name, from inputs by name. */
  run(inputs) {
    const values = new Map([...this.known, ...Object.entries(inputs)]);
    for (const node of this.nodes) this.compute(node, values);
    return Object.fromEntries(this.outputs.map((name) => [name, values.get(name)]));
  }

  compute({ operator, inputs, outputs, attributes }, values) {
    const given = inputs.map((name) => values.get(name));
    const results = operator === "If"
      ? this.branch(given[0].data[0] ? attributes.then_branch : attributes.else_branch, values)
      : [OPERATORS[operator](given, attributes, this.memory)].flat();
    outputs.forEach((name, number) => values.set(name, results[number]));
  }

  /** The outputs of a branch, which knows all that is known before it. */
  branch({ nodes, constants, outputs }, outer) {
    const values = new Map(outer);
    for (const [name, { kind, shape, values: numbers }] of Object.entries(constants)) {
      values.set(name, tensor(shape, ARRAYS[kind].from(numbers)));
    }
    for (const node of nodes) this.compute(node, values);
    return outputs.map((name) => values.get(name));
  }
}

/** The names of the values that a node needs, those in its branches too. */
function inputsOf({ inputs, attributes }) {
  const branches = [attributes.then_branch, attributes.else_branch].filter(Boolean);
  return [...inputs, ...branches.flatMap(({ nodes, outputs }) => [...nodes.flatMap(inputsOf), ...outputs])];
}
