// Translations and what is known of them: attention, the probabilities of tokens, other translations, the beam's tree.

const ROW = 22; // pixels between two leaves of the tree
const GAP = 26; // pixels between two steps
const FEW_LEAVES = 24; // with more leaves, pruned ones are shown on request
const FEW = 10; // so many texts are open at first

/** The page of translations: each text with its translation by each run, and what is known of it. */
function translationsPage({ title, runs, texts }) {
  const heading = title ? [el("header", {}, el("h1", {}, title))] : [];
  const items = texts.map((text) => el("li", { class: "text" }, textView(text, runs, texts.length)));
  document.body.append(...heading, el("main", {}, el("ol", { class: "texts" }, ...items)));
}

/** A text and its translations, opened at once where there are few. */
function textView({ source, translated }, runs, count) {
  const [src] = runs[0].languages;
  const translations = translated.map(({ translation }, run) =>
    el("span", { class: "preview", dir: "auto", lang: runs[run].languages[1] }, translation));
  const summary = el("span", { class: "summary" }, el("b", { dir: "auto", lang: src }, source), ...translations);
  const make = () => el("div", { class: "runs" }, ...translated.map((each, run) => translatedView(each, runs, run)));
  return count === 1 ? make() : fold(summary, make, count <= FEW);
}

function translatedView(translated, runs, run) {
  const { translation, score } = translated;
  const { name, languages } = runs[run];
  const isShown = translated.sentences.length === 1 && translated.sentences[0].weights; // as a line of words
  const heading = runs.length > 1 ? [el("h2", {}, name)] : [];
  return el("section", { class: "run", "aria-label": name || "Translation" }, ...heading,
    ...(isShown ? [] : [el("p", { dir: "auto", lang: languages[1] }, translation)]),
    el("p", { class: "note" }, `score ${score.toFixed(3)}, confidence ${percent(Math.exp(score))}`),
    ...detailView(translated, languages));
}

/** The nodes of a tree as objects, with their children, the most probable first and the path to the best before all. */
function readTree({ nodes, best }) {
  const all = nodes.map(([parent, unit, logProbability, fate, score], number) =>
    ({ number, parent, unit, p: Math.exp(logProbability), fate, score, isBest: false, children: [] }));
  const path = [];
  for (let number = best; number >= 0; number = all[number].parent) path.unshift(all[number]);
  for (const node of path) node.isBest = true;
  const roots = [];
  for (const node of all) (node.parent < 0 ? roots : all[node.parent].children).push(node);
  const order = (a, b) => b.isBest - a.isBest || b.p - a.p;
  roots.sort(order);
  for (const node of all) node.children.sort(order);
  return { all, roots, path };
}

/** Each token of a translation with its probability, and what else was probable in its place. */
function probabilityTable(sentence) {
  const tree = sentence.tree && readTree(sentence.tree);
  const others = (number) => {
    const node = tree?.path[number];
    if (!node) return "";
    const siblings = (node.parent < 0 ? tree.roots : tree.all[node.parent].children).filter((each) => each !== node);
    return el("span", {}, ...siblings.slice(0, 4).map((each) =>
      el("span", { class: `other ${each.fate}` }, bdi(each.unit), ` ${percent(each.p)}`)));
  };
  const rows = sentence.tgt_tokens.map((token, number) => {
    const p = Math.exp(sentence.log_probabilities[number]);
    return [bdi(token || "\u2205"), el("span", { class: "bar", "--w": p.toFixed(3) }, percent(p)), others(number)];
  });
  return table(["token", "probability", tree ? "what else was probable" : ""], rows, { class: "tokens" });
}

/** The n best translations of a text with their scores. */
function translationsFold(translations) {
  const rows = translations.map(([text, score], rank) =>
    [String(rank + 1), el("span", { dir: "auto" }, text), score.toFixed(3), percent(Math.exp(score))]);
  return fold(`${translations.length} best translations`,
    () => table(["rank", "translation", "score", "confidence"], rows, { class: "translations" }));
}

/** What is known of the translation of a text, the `Details` of data.py. */
function detailView({ sentences, n_best: best }, languages) {
  return [
    ...sentences.flatMap((sentence) => [
      sentence.weights ? attentionView(sentence, languages) : el("p", {}, "This model has no attention."),
      fold("Probabilities of the tokens", () => probabilityTable(sentence)),
      ...(sentence.tree ? [fold("Tree of the search", () => treeView(sentence.tree))] : []),
    ]),
    ...(best.length ? [translationsFold(best)] : []),
  ];
}

/** The tree of a search: a column per step, a line per hypothesis. */
function treeView(data) {
  const tree = readTree(data);
  const isShown = (node) => node.fate === "kept" || node.fate === "finished";
  const leaves = tree.all.filter((node) => !node.children.length).length;
  const place = el("div");
  const draw = (withPruned) => {
    const drawing = drawTree(tree.roots, (node) => withPruned || isShown(node));
    place.replaceChildren(scrolling(drawing, "The tree of the search, from the left to the right"));
  };
  const finished = tree.all.filter((node) => node.fate === "finished").length;
  const told = `${tree.all.length} hypotheses, ${finished} of them finished. Each token has its probability after those`
    + " before it, a finished translation (\u25cf) its score; the one in bold is the translation.";
  draw(leaves <= FEW_LEAVES);
  return el("div", { class: "tree" },
    el("p", {}, told), toggle("show what was pruned", leaves <= FEW_LEAVES, draw), place);
}

const canvas = document.createElement("canvas").getContext("2d");

/** The texts of a node's label: its unit, its probability, and the score of a finished translation. */
function labelOf({ unit, p, fate, score }) {
  return [unit, ` ${percent(p)}`, fate === "finished" ? ` \u25cf ${score.toFixed(2)}` : ""];
}

/** The width of a label, in the fonts of the style sheet. */
function widthOf(node) {
  const fonts = [node.isBest ? "bold 14px" : "14px", "11px", "12px"];
  return labelOf(node).reduce((width, text, place) => {
    canvas.font = `${fonts[place]} sans-serif`;
    return width + canvas.measureText(text).width;
  }, 0);
}

function drawTree(roots, isShown) {
  const widths = [];
  const placed = [];
  let lines = 0;

  function layOut(node, depth, parent) {
    const item = { node, depth, parent, width: widthOf(node) };
    placed.push(item);
    widths[depth] = Math.max(widths[depth] ?? 0, item.width);
    const children = node.children.filter(isShown).map((child) => layOut(child, depth + 1, item));
    item.line = children.length ? children[0].line : lines++;
    return item;
  }
  for (const root of roots.filter(isShown)) layOut(root, 0, null);
  const starts = widths.reduce((all, width) => [...all, all.at(-1) + width + GAP], [8]);
  const x = ({ depth }) => starts[depth];
  const y = ({ line }) => (line + 0.7) * ROW;
  const links = placed.filter((item) => item.parent).map((item) => {
    const [x0, y0, x1, y1] = [x(item.parent) + item.parent.width + 4, y(item.parent), x(item) - 4, y(item)];
    const middle = x1 - GAP / 2 + 2;
    const path = `M${x0} ${y0}H${middle - 4}C${middle + 4} ${y0} ${middle - 4} ${y1} ${x1} ${y1}`;
    return svg("path", { d: path, class: item.node.isBest ? "best" : item.node.fate });
  });
  const labels = placed.map((item) => {
    const [unit, p, score] = labelOf(item.node);
    const place = { x: x(item), y: y(item), "dominant-baseline": "middle" };
    return svg("text", { ...place, class: item.node.isBest ? "best" : item.node.fate }, unit,
      svg("tspan", { class: "p" }, p), svg("tspan", { class: "score" }, score), svg("title", {}, item.node.fate));
  });
  const [width, height] = [starts.at(-1), (lines + 0.4) * ROW];
  const size = { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "tree of the search" };
  return svg("svg", size, ...links, ...labels);
}
