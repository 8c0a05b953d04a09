// The page of an evaluation: the figures, and all sentences with what is known of their translations.

function evaluationPage(data) {
  const { sources, systems } = data;
  const texts = sources.map(({ source, references, outputs }) =>
    [source, ...references, ...outputs].join("\n").toLowerCase());
  const items = sources.map((_, number) => sentenceItem(data, number));
  const list = el("ol", { class: "sentences" });
  const count = el("p", { class: "count", role: "status" });
  const search = el("input", {
    type: "search", id: "search", placeholder: "words of source, reference or output", oninput: show,
  });
  const score = (number) => sources[number].scores[system.value];
  const spread = (number) => Math.max(...sources[number].scores.map((other) => Math.abs(score(number) - other)));
  const orders = {
    "worst first": (a, b) => score(a) - score(b),
    "best first": (a, b) => score(b) - score(a),
    "as listed": (a, b) => a - b,
    ...(systems.length > 1 && { "largest difference first": (a, b) => spread(b) - spread(a) }),
  };
  const [order, system] = [choice(Object.keys(orders), show), choice(systems, show)];

  function show() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const isFound = (number) => words.every((word) => texts[number].includes(word));
    const chosen = [...sources.keys()].filter(isFound).sort(Object.values(orders)[order.value]);
    list.replaceChildren(...chosen.map((number) => items[number]));
    count.textContent = `${counted(chosen.length)} of ${counted(sources.length)} sentences`;
  }

  const figures = data.report.map((block) => (Array.isArray(block)
    ? el("div", {}, ...block.map((line) => el("p", {}, line)))
    : table(block.titles, block.rows, { class: block.numbers ? "figures numbers" : "figures" })));
  const controls = { Search: search, Order: order, ...(systems.length > 1 && { "Scores of": system }) };
  fillPage(data.title,
    el("section", { "aria-label": "Figures" }, el("h2", {}, "Figures"), ...figures),
    el("section", { "aria-label": "Sentences" },
      el("h2", {}, "Sentences"),
      el("p", { class: "note" }, noteOf(data)),
      el("div", { class: "controls" },
        ...Object.entries(controls).map(([name, field]) => el("label", {}, `${name} `, field))),
      count, list));
  show();
}

/** What the scores of the sentences are, and of how many sentences more is known. */
function noteOf({ sources, details, systems, metric }) {
  const told = details.map((of, system) => `Of ${systems[system]}, attention and search of`
    + ` ${counted(Object.keys(of).length)} of ${counted(sources.length)} sentences can be opened.`);
  return [`${metric} of each output, against all references of its source.`, ...told].join(" ");
}

/** A sentence of the list, with what is known of its translations in a fold. */
function sentenceItem(data, number) {
  const { source, references, outputs, scores } = data.sources[number];
  const isCompared = data.systems.length > 1;
  const row = (name, text, figure = "") =>
    [el("dt", {}, `${name} `, el("b", {}, figure)), el("dd", { dir: "auto", lang: data.languages[1] }, text)];
  const known = [...data.systems.keys()].filter((system) => data.details[system][number]);
  const make = () => el("div", { class: "grid" }, ...known.map((system) => el("div", {},
    ...(isCompared ? [el("h3", {}, data.systems[system])] : []),
    ...detailView(data.details[system][number], data.languages))));
  return el("li", { class: "sentence" },
    el("b", { class: "source", dir: "auto", lang: data.languages[0] }, source),
    el("dl", {}, ...references.flatMap((text) => row("reference", text)),
      ...outputs.flatMap((text, system) =>
        row(isCompared ? data.systems[system] : "output", text, scores[system].toFixed(1)))),
    ...(known.length ? [fold("attention and search", make)] : []));
}
