// Translations and what is known of them: attention, the probabilities of tokens, other translations, the beam's tree.

const FEW_LEAVES = 24; // with more leaves, pruned ones are shown on request
const FEW = 10; // so many texts are open at first

/** The page of translations: each text with its translation, and what is known of it. */
function translationsPage({ title, languages, texts, films }) {
  const heading = title ? [el("header", {}, el("h1", {}, title), sizeControl())] : [];
  const learned = films.length ? [fold("How the attention was learned", () => filmView(films))] : [];
  const items = texts.map((text) => el("li", { class: "text" }, textView(text, languages, texts.length)));
  document.body.append(...heading, el("main", {}, el("ol", { class: "texts" }, ...items), ...learned));
}

/** A text and its translation, opened at once where there are few. */
function textView(text, languages, count) {
  const { source, translation, score, sentences } = text;
  const [src, tgt] = languages;
  const summary = el("span", { class: "summary" }, el("b", { dir: "auto", lang: src }, source),
    el("span", { class: "preview", dir: "auto", lang: tgt }, translation));
  const isShown = sentences.length === 1 && sentences[0].weights; // as a line of words
  const make = () => el("section", { class: "run", "aria-label": "Translation" },
    ...(isShown ? [] : [el("p", { dir: "auto", lang: tgt }, translation)]),
    el("p", { class: "note" }, `score ${score.toFixed(3)}, confidence ${percent(Math.exp(score))}`),
    ...detailView(text, languages));
  return count === 1 ? make() : fold(summary, make, count <= FEW);
}

/** The nodes of a tree as objects, the most probable first and the path to the best before all. */
function readTree({ nodes, best }) {
  const [all, roots, path] = [[], [], []];
  for (const [number, unit, logProbability, fate, score] of nodes) {
    const parent = all[number]; // none of a root, whose number is -1
    const siblings = parent?.children ?? roots;
    siblings.push({ parent, siblings, unit, p: Math.exp(logProbability), fate, score, isBest: false, children: [] });
    all.push(siblings.at(-1));
  }
  for (let node = all[best]; node; node = node.parent) {
    node.isBest = true;
    path.unshift(node);
  }
  const order = (a, b) => b.isBest - a.isBest || b.p - a.p;
  for (const siblings of [roots, ...all.map((node) => node.children)]) siblings.sort(order);
  return { all, roots, path };
}

/** Each token of a translation with its probability, and what else was probable in its place. */
function probabilityTable(sentence) {
  const tree = sentence.tree && readTree(sentence.tree);
  const rows = sentence.tgt_tokens.map((token, number) => {
    const p = Math.exp(sentence.log_probabilities[number]);
    const node = tree?.path[number];
    const others = (node?.siblings ?? []).filter((each) => each !== node).slice(0, 4).map((each) =>
      el("span", { class: `other ${each.fate}` }, bdi(each.unit), ` ${percent(each.p)}`));
    const bar = el("span", { class: "bar", "--w": p.toFixed(3) }, percent(p));
    return [bdi(token || "\u2205"), bar, el("span", {}, ...others)];
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

/** The tree of a search, with what was pruned where it is small or on request. */
function treeView(data) {
  const { all, roots } = readTree(data);
  const isSmall = all.filter((node) => !node.children.length).length <= FEW_LEAVES;
  const finished = all.filter((node) => node.fate === "finished").length;
  const told = `${all.length} hypotheses, ${finished} of them finished. Each token has its probability after those`
    + " before it, a finished translation (\u25cf) its score; the one in bold is the translation.";
  const place = el("div");
  const draw = (withPruned) => {
    const drawing = drawTree(roots, ({ fate }) => withPruned || fate === "kept" || fate === "finished");
    place.replaceChildren(scrolling(drawing, "The tree of the search, from the left to the right"));
  };
  draw(isSmall);
  return el("div", { class: "tree" }, el("p", {}, told), toggle("show what was pruned", isSmall, draw), place);
}

/** A tree as a grid: a column per step, a line per leaf. The first child of a node stands in the line of the node. */
function drawTree(roots, isShown) {
  const drawing = el("div", { class: "nodes" });
  let line = 1;
  function draw(nodes, step, parentLine) {
    nodes.filter(isShown).forEach((node, number) => {
      if (number) line += 1;
      const { unit, p, fate, score } = node;
      const place = { class: node.isBest ? "best" : fate, "--step": step, "--from": parentLine, "--line": line };
      const told = [el("small", {}, ` ${percent(p)}`), fate === "finished" ? ` \u25cf ${score.toFixed(2)}` : ""];
      if (step > 1) drawing.append(el("i", place));
      drawing.append(el("span", { ...place, title: fate }, bdi(unit), ...told));
      draw(node.children, step + 1, line);
    });
  }
  draw(roots, 1, 1);
  return drawing;
}
