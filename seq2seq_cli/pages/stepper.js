// A translation step by step: the attention of each step, the probable next tokens, the hypotheses of the beam. Where
// there is an engine, each of these can be made to follow: what if?

const MOST_HYPOTHESES = 10; // of a step
const FATES = { kept: "goes on", finished: "is finished", pruned: "pruned", banned: "against the rules" };

/**
 * A fold with the stepper of a sentence, `AttentionData` as in data.py.
 *
 * `stepsOf(prefix)` gives a sentence with its steps that begins with the tokens of these ids; without it, the sentence
 * must have its steps, and no others can be shown.
 */
function stepperFold(sentence, languages, stepsOf = null) {
  return fold("Step by step", () => {
    if (sentence.steps) return stepperView(sentence, languages, stepsOf);
    const place = el("div", {}, el("p", { class: "note", role: "status" }, "Translating step by step \u2026"));
    const show = (found) => place.replaceChildren(stepperView(found, languages, stepsOf));
    stepsOf([]).then(show, (error) => place.replaceChildren(el("p", { role: "status" }, error.message)));
    return place;
  });
}

function stepperView(given, languages, stepsOf) {
  let sentence = given;
  let step = 0; // the number of tokens that are written
  let forced = 0; // the number of those that were made to follow
  let asked = null; // the ids that are asked to follow: an answer for others comes too late
  const [place, searched] = [el("div"), el("div")];
  const told = el("p", { class: "told", role: "status" });
  const button = (label, keys, onclick) => el("button", { "aria-keyshortcuts": keys, onclick }, label);
  const forward = button("next word \u2192", "ArrowRight", () => go(step + 1));
  const again = button("as translated", null, () => show(given, 0, step));
  const controls = el("div", { class: "controls", role: "group", "aria-label": "Steps" },
    button("\u2190 back", "ArrowLeft", () => go(step - 1)), forward, again);
  const moves = { ArrowRight: () => step + 1, ArrowLeft: () => step - 1, Home: () => 0, End: () => Infinity };
  const onkeydown = (event) => {
    const isTaken = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.target.matches(".scroll");
    if (isTaken || !moves[event.key]) return;
    event.preventDefault();
    go(moves[event.key]());
  };

  function go(number) {
    step = Math.min(Math.max(number, 0), sentence.steps.length);
    if (place.contains(document.activeElement)) forward.focus(); // what has the focus goes
    place.replaceChildren(tokenLine(sentence, step, forced, languages),
      ...(step ? stepParts(sentence, step, whatIf) : [statesTable(sentence)]));
    told.replaceChildren(...tellStep(sentence, step));
    again.hidden = sentence === given;
  }

  function show(found, count, number) {
    [sentence, forced, asked] = [found, count, null];
    // Where the search may change, its tree is shown with it.
    if (stepsOf) searched.replaceChildren(fold("Tree of the search", () => treeView(found.tree)));
    go(number);
    forward.focus(); // the button that was clicked may be hidden
  }

  /** A button that makes the tokens of these ids begin the translation; without an engine, its content alone. */
  function whatIf(ids, label, content, isChosen) {
    if (!stepsOf) return el("span", { class: isChosen ? "best" : "" }, ...content);
    const failed = (error) => asked === ids && told.replaceChildren(`This cannot be translated: ${error.message}`);
    const follow = (found) => asked === ids && show(found, ids.length, ids.length);
    const onclick = () => stepsOf(asked = ids).then(follow, failed);
    return el("button", { class: "word", "aria-label": `What if: ${label}`, "aria-pressed": String(isChosen), onclick },
      ...content);
  }

  show(given, 0, 0);
  return el("div", { class: "stepper", onkeydown }, controls, told, place, searched);
}

/** The tokens of the translation: those that are written, the one of this step, and those to come. */
function tokenLine({ tgt_tokens: tokens }, step, forced, languages) {
  const kind = (number) =>
    [number === step - 1 && "now", number >= step && "later", number < forced && "forced"].filter(Boolean).join(" ");
  return el("p", { class: "written", dir: "auto", lang: languages[1] },
    ...tokens.flatMap((token, number) => [el("bdi", { class: kind(number) }, token || "\u2205"), " "]));
}

/** A step in words. */
function tellStep({ src_tokens: src, tgt_tokens: tgt, weights, log_probabilities: logs, steps }, step) {
  const count = `Step ${step} of ${steps.length}`;
  if (!step) return [`${count}: the encoder has read the source: a state for each of its ${src.length} tokens.`];
  const written = [`${count}: `, bdi(tgt[step - 1]), `, ${percent(Math.exp(logs[step - 1]))}`];
  if (!weights) return [...written, "; this model has no attention"];
  const strongest = [...weights[step - 1].entries()].sort((a, b) => b[1] - a[1]).slice(0, 2);
  return [...written, "; attends to", ...strongest.flatMap(([place, weight], rank) =>
    [rank ? ", " : " ", bdi(src[place]), ` ${percent(weight)}`])];
}

/** The parts of a step, in the order in which they are computed. */
function stepParts(sentence, step, whatIf) {
  const { tree, tgt_tokens: tokens, steps } = sentence;
  const { all, path } = readTree(tree);
  const considered = all.filter(({ ids }) => ids.length === step).sort((a, b) => b.total - a.total);
  const chosen = path[step - 1];
  const next = nextTokens(steps[step - 1].next, path[step - 2]?.ids ?? [], chosen, whatIf);
  const part = (title, number, content) =>
    el("section", { class: "part", "--i": number }, el("h4", {}, title), content);
  return [
    part("Attention", 0, statesTable(sentence, step)),
    part(`Next token after ${step > 1 ? tokens[step - 2] || "\u2205" : "<bos>"}`, 1, next),
    part(`Hypotheses of ${step} ${step === 1 ? "token" : "tokens"}`, 2, beamTable(considered, chosen, whatIf)),
  ];
}

/** The most probable next tokens, and the one of the translation where it is another. */
function nextTokens(next, before, chosen, whatIf) {
  const isThere = !chosen || next.some(([id]) => id === chosen.ids.at(-1));
  const shown = isThere ? next : [...next, [chosen.ids.at(-1), chosen.unit, chosen.p]];
  const rest = Math.max(0, shown.reduce((left, [, , p]) => left - p, 1));
  const row = ([id, unit, p]) => el("li", { "--w": p.toFixed(3) }, whatIf([...before, id], `${unit} follows`,
    [bdi(unit), el("small", {}, ` ${percent(p)}`)], id === chosen?.ids.at(-1)));
  return el("ol", { class: "next" }, ...shown.map(row), el("li", {}, el("small", {}, `all others ${percent(rest)}`)));
}

/** The hypotheses that the search considered at a step, the most probable first. */
function beamTable(considered, chosen, whatIf) {
  const isOpen = ({ fate }) => fate === "kept" || fate === "finished";
  const listed = [...considered.filter(isOpen), ...considered.filter((node) => !isOpen(node))];
  const rows = listed.slice(0, MOST_HYPOTHESES).map((node) => {
    const text = node.units.join(" ");
    const hypothesis = el("span", { class: node === chosen ? "best" : node.fate, dir: "auto" },
      whatIf(node.ids, text, [bdi(text)], node === chosen));
    const fate = FATES[node.fate] + (node.fate === "finished" ? `, score ${node.score.toFixed(2)}` : "");
    return [hypothesis, node.total.toFixed(2), (node.total - considered[0].total).toFixed(2), fate];
  });
  const left = listed.length - rows.length;
  return el("div", {}, table(["hypothesis", "log p", "below best", ""], rows, { class: "beam numbers" }),
    ...(left > 0 ? [el("p", { class: "note" }, `and ${counted(left)} more`)] : []));
}

/** The encoder states; with a step, its scores and weights below, its query and its context beside them. */
function statesTable({ src_tokens: src, states, weights, steps }, step = 0) {
  if (!states?.length) return el("p", { class: "note" }, "There is no attention of a single model to show.");
  const largest = (vectors) => Math.max(...vectors.flat().map(Math.abs)) || 1;
  const ofStates = largest(states);
  const row = (title, cells, result) => el("tr", {}, el("th", { scope: "row" }, title),
    ...cells.map((cell) => el("td", {}, cell)), el("td", { class: "result" }, ...result));
  const heads = src.map((token) => el("th", { scope: "col" }, el("span", {}, token || "\u2205")));
  const head = el("tr", {}, el("td"), ...heads, el("td"));
  const strips = (vectors, what) => vectors.map((vector, i) => strip(vector, ofStates, `${what} of ${src[i]}`, i));
  const rows = [row("states h", strips(states, "state"), [])];
  if (step) {
    const { query, scores } = steps[step - 1];
    const of = weights[step - 1];
    const context = states[0].map((_, i) => states.reduce((sum, state, place) => sum + of[place] * state[i], 0));
    const sum = of.reduce((total, weight) => total + weight, 0);
    const shaded = of.map((weight) =>
      el("span", { class: "weight", "--w": weight.toFixed(3) }, String(Math.round(100 * weight))));
    const weighted = states.map((state, i) => state.map((value) => of[i] * value));
    rows.push(
      row("score(q, h)", scores.map((score) => score.toFixed(1)), ["q ", strip(query, largest([query]), "query")]),
      row("softmax, %", shaded, [`\u03a3 ${Math.round(100 * sum)} %`]),
      row("weight \u00b7 h", strips(weighted, "weighted state"), ["\u03a3 c ", strip(context, ofStates, "context")]));
  }
  const drawn = el("table", { class: "matrix vectors", dir: "auto" }, el("thead", {}, head), el("tbody", {}, ...rows));
  return el("div", {}, scrolling(drawn, "The attention of the step: a column per source token"),
    el("p", { class: "note" }, `Of each vector, the first ${states[0].length} numbers: blue above 0, orange below.`));
}

/** A vector as a strip of colours, a band per number. */
function strip(vector, largest, label, number = 0) {
  const bands = vector.map((value, i) => {
    const [begin, end] = [i, i + 1].map((edge) => `${(100 * edge) / vector.length}%`);
    const [hue, share] = [value < 0 ? "second" : "lit", Math.round((100 * Math.abs(value)) / largest)];
    return `color-mix(in oklab, var(--${hue}) ${share}%, var(--paper)) ${begin} ${end}`;
  });
  const title = `${label}: ${vector.map((value) => value.toFixed(2)).join(", ")}`;
  return el("span", {
    class: "strip", role: "img", "aria-label": label, title,
    "--bands": `linear-gradient(${bands.join(", ")})`, "--i": number,
  });
}
