// The tree of a search: what it considered, and what became of that.

const FEW_LEAVES = 24; // with more leaves, pruned ones are shown on request

/** The nodes of a tree as objects below `root`, the most probable first and the path to the best before all. */
function readTree({ nodes, best }) {
  const root = { unit: "<bos>", total: 0, ids: [], units: [], fate: "kept", isBest: true, children: [] };
  const [all, path] = [[], []];
  for (const [number, unit, logProbability, fate, score, id] of nodes) {
    const parent = all[number] ?? root;
    const [p, total] = [Math.exp(logProbability), parent.total + logProbability];
    const [ids, units] = [[...parent.ids, id], [...parent.units, unit]];
    all.push({ parent, unit, p, total, ids, units, fate, score, isBest: false, children: [] });
    parent.children.push(all.at(-1));
  }
  for (let node = all[best] ?? root; node !== root; node = node.parent) {
    node.isBest = true;
    path.unshift(node);
  }
  for (const { children } of [root, ...all]) children.sort((a, b) => b.isBest - a.isBest || b.p - a.p);
  return { all, root, path };
}

/** The tree of a search, with what was pruned where it is small or on request. */
function treeView(data) {
  const { all, root } = readTree(data);
  const isSmall = all.filter((node) => !node.children.length).length <= FEW_LEAVES;
  const finished = all.filter((node) => node.fate === "finished").length;
  const told = `${all.length} hypotheses, ${finished} of them finished. Each token has its probability after those`
    + " before it, a finished translation (\u25cf) its score; the one in bold is the translation. Dashed ones do not"
    + " go on: too far below the best (decoding.prune), unable to win, others filled the beam, or a rule bans them.";
  const place = el("div");
  const draw = (withPruned) => {
    const drawing = drawTree(root, ({ fate }) => withPruned || fate === "kept" || fate === "finished");
    place.replaceChildren(scrolling(drawing, "The tree of the search, from the left to the right"));
  };
  draw(isSmall);
  return el("div", { class: "tree" }, el("p", {}, told), toggle("show what was pruned", isSmall, draw), place);
}

/** A tree as a grid: a column per step, a line per leaf. The first child of a node stands in the line of the node. */
function drawTree(root, isShown) {
  const drawing = el("div", { class: "nodes" });
  let line = 1;
  function draw(nodes, step, parentLine) {
    nodes.filter(isShown).forEach((node, number) => {
      if (number) line += 1;
      const { unit, p, fate, score } = node;
      const place = { class: node.isBest ? "best" : fate, "--step": step, "--from": parentLine, "--line": line };
      const end = fate === "finished" ? ` \u25cf ${score.toFixed(2)}` : "";
      const told = parentLine ? [el("small", {}, ` ${percent(p)}`), end] : [];
      if (step > 1) drawing.append(el("i", place));
      drawing.append(el("span", { ...place, title: fate }, bdi(unit), ...told));
      draw(node.children, step + 1, line);
    });
  }
  draw([root], 1, 0);
  return drawing;
}
