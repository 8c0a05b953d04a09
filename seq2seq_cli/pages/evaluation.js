// The page of an evaluation: the figures, the distribution of the scores, and all sentences with what is known of them.

const PAGE = 50; // sentences that are shown at once
const BINS = 10;
const ALL = 0; // the number of the view of all sentences

/** The bin of a score from 0 to 100. */
function binOf(score) {
  return Math.max(0, Math.min(BINS - 1, Math.floor((score * BINS) / 100)));
}

function figures(report) {
  return report.map((block) =>
    Array.isArray(block)
      ? el("div", { class: "lines-of-text" }, ...block.map((line) => el("p", {}, line)))
      : table(block.titles, block.rows, { class: block.numbers ? "figures numbers" : "figures" }));
}

function evaluationPage(data) {
  const state = { query: "", view: 0, order: "given", bin: null, system: 0, shown: PAGE };
  const views = [{ name: "all", sources: data.sources.map((_, number) => number) }, ...data.views];
  const texts = data.sources.map(({ source, references, outputs }) =>
    [source, ...references, ...outputs].join("\n").toLowerCase());
  const list = el("ol", { class: "sentences" });
  const count = el("p", { class: "count", role: "status" });
  const more = el("button", { type: "button", onclick: () => show({ shown: state.shown + PAGE }, true) });
  const score = (number) => data.sources[number].scores[state.system];

  function chosen() {
    const words = state.query.toLowerCase().split(/\s+/).filter(Boolean);
    const isChosen = (number) => (state.bin === null || binOf(score(number)) === state.bin)
      && words.every((word) => texts[number].includes(word));
    const numbers = views[state.view].sources.filter(isChosen);
    const spread = (number) => Math.abs(score(number) - data.sources[number].scores[state.system ? 0 : 1]);
    const orders = {
      worst: (a, b) => score(a) - score(b),
      best: (a, b) => score(b) - score(a),
      different: (a, b) => spread(b) - spread(a),
    };
    return state.order in orders ? numbers.sort(orders[state.order]) : numbers;
  }

  function show(changes, isMore = false) {
    Object.assign(state, isMore ? {} : { shown: PAGE }, changes);
    const numbers = chosen();
    const begin = isMore ? list.children.length : 0;
    const items = numbers.slice(begin, state.shown).map((number) => sentenceItem(data, number));
    if (isMore) list.append(...items);
    else list.replaceChildren(...items);
    count.textContent = `${counted(numbers.length)} of ${counted(data.sources.length)} sentences`;
    more.hidden = numbers.length <= state.shown;
    more.textContent = `Show ${Math.min(PAGE, numbers.length - state.shown)} more`;
    for (const button of document.querySelectorAll("[data-view]"))
      button.setAttribute("aria-pressed", String(Number(button.dataset.view) === state.view));
    for (const button of document.querySelectorAll("[data-bin]"))
      button.setAttribute("aria-pressed", String(Number(button.dataset.bin) === state.bin));
  }

  const search = el("input", {
    type: "search", id: "search", placeholder: "words of source, reference or output",
    oninput: (event) => show({ query: event.target.value, view: ALL }),
  });
  const viewButtons = views.map((view, number) => el("button", {
    type: "button", "data-view": number, "aria-pressed": "false", onclick: () => show({ view: number }),
  }, `${view.name} (${counted(view.sources.length)})`));
  const orders = { given: "as listed", worst: "worst first", best: "best first" };
  if (data.systems.length > 1) orders.different = "largest difference first";

  document.body.append(
    el("header", {}, el("h1", {}, data.title), themeSwitch()),
    el("main", {},
      el("section", { "aria-label": "Figures" }, el("h2", {}, "Figures"), ...figures(data.report)),
      el("section", { "aria-label": "Distribution" },
        el("h2", {}, `Sentences by their ${data.metric}`),
        histogram(data, (bin) => show({ bin: state.bin === bin ? null : bin, view: ALL }))),
      el("section", { "aria-label": "Sentences" },
        el("h2", {}, "Sentences"),
        el("p", { class: "note" }, noteOf(data)),
        el("div", { class: "controls" },
          el("label", {}, "Search ", search),
          el("label", {}, "Order ", choice(orders, (order) => show({ order }))),
          ...(data.systems.length > 1
            ? [el("label", {}, "Scores of ", choice(data.systems, (system) => show({ system: Number(system) })))]
            : [])),
        el("div", { class: "views", role: "group", "aria-label": "Choice of sentences" }, ...viewButtons),
        count, list, more)));
  show({ view: Math.min(1, views.length - 1) });
}

function choice(names, onchoice) {
  const options = Object.entries(names).map(([value, name]) => el("option", { value }, name));
  return el("select", { onchange: (event) => onchoice(event.target.value) }, ...options);
}

/** What the scores of the sentences are, and of which sentences more is known. */
function noteOf({ sources, details, systems, metric }) {
  const told = details.map((of, system) => {
    const known = Object.keys(of).length;
    if (!known) return `${systems[system]} is a file of outputs: it has no attention or search to show.`;
    if (known === sources.length) return `Open a sentence of ${systems[system]} for its attention, n-best list and search.`;
    return `Open one of ${counted(known)} of ${counted(sources.length)} sentences of ${systems[system]}, which have all`
      + " choices below, for its attention, n-best list and search: with the others, the page would be too large."
      + " s2s translate --attention shows the attention of any sentence.";
  });
  return [`${metric} of each output, against all references of its source.`, ...told].join(" ");
}

/** A bar per bin and system; a click on a bin shows its sentences. */
function histogram(data, onchoice) {
  const counts = data.systems.map((_, system) => {
    const bins = Array(BINS).fill(0);
    for (const source of data.sources) bins[binOf(source.scores[system])] += 1;
    return bins;
  });
  const most = Math.max(...counts.flat());
  const bars = Array.from({ length: BINS }, (_, bin) => {
    const [low, high] = [(bin * 100) / BINS, ((bin + 1) * 100) / BINS];
    const told = data.systems.map((name, system) => `${name}: ${counted(counts[system][bin])}`).join(", ");
    return el("button", { type: "button", class: "bin", "data-bin": bin, "aria-pressed": "false",
      "aria-label": `${low} to ${high}: ${told}`, title: told, onclick: () => onchoice(bin) },
      el("span", { class: "bars" }, ...counts.map((bins, system) =>
        el("span", { class: "column", "--h": (bins[bin] / most).toFixed(3), "--system": system },
          data.systems.length === 1 ? el("span", { class: "number" }, counted(bins[bin])) : ""))),
      el("span", { class: "limits" }, `${low}\u2013${high}`));
  });
  const names = data.systems.map((name, system) => el("li", { "--system": system }, name));
  const legend = names.length > 1 ? [el("ul", { class: "legend" }, ...names)] : [];
  const label = "Choice by score";
  return el("div", {}, ...legend, el("div", { class: "histogram", role: "group", "aria-label": label }, ...bars));
}

/** A sentence of the list; a click opens what is known of its translations. */
function sentenceItem(data, number) {
  const { source, references, outputs, scores } = data.sources[number];
  const known = data.details.map((of) => of[number]);
  const hasDetails = known.some(Boolean);
  const detail = el("div", { class: "detail", hidden: true });
  const open = el("button", {
    type: "button", class: "open", "aria-expanded": "false", disabled: !hasDetails,
    onclick: () => {
      if (!detail.hasChildNodes()) detail.append(...detailsOf(data, known));
      detail.hidden = !detail.hidden;
      open.setAttribute("aria-expanded", String(!detail.hidden));
    },
  }, el("span", { dir: "auto", lang: data.languages[0] }, source));
  const row = (name, text, figure) =>
    [el("dt", {}, figure === undefined ? name : `${name} `, figure === undefined ? "" : el("b", {}, figure.toFixed(1))),
      el("dd", { dir: "auto", lang: data.languages[1] }, text)];
  const name = (system) => (data.systems.length > 1 ? data.systems[system] : "output");
  return el("li", { class: "sentence" }, open,
    el("dl", {}, ...references.flatMap((text) => row("reference", text)),
      ...outputs.flatMap((text, system) => row(name(system), text, scores[system]))),
    detail);
}

function detailsOf(data, known) {
  return known.flatMap((details, system) => {
    if (!details) return [];
    const heading = data.systems.length > 1 ? [el("h3", {}, data.systems[system])] : [];
    return [...heading, ...detailView(details, data.languages)];
  });
}

evaluationPage(pageData());
