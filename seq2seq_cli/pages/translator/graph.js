// Graphs of operators, as decoding/page/export_page.py writes ONNX graphs.

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

/** Add the outputs of a node to the values. */
function compute({ operator, inputs, outputs, attributes }, values) {
  const results = [OPERATORS[operator](inputs.map((name) => values.get(name)), attributes)].flat();
  outputs.forEach((name, number) => values.set(name, results[number]));
}
