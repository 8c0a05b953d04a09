// The page of a server: a text is sent to it, and its translation shown with the attention.

const MOST_OPEN = 3; // sentences whose attention is shown at once

function servedPage({ directions, names, needs_key: needsKey, max_characters: most, pause }) {
  const title = ([source, target]) => `${names[source]} \u2192 ${names[target]}`;
  const options = directions.map((direction, number) => el("option", { value: number }, title(direction)));
  const direction = el("select", { onchange: () => ask() }, ...options);
  const key = el("input", { type: "password", autocomplete: "off", oninput: () => schedule() });
  const input = el("textarea", { id: "source", rows: 6, dir: "auto", spellcheck: "false", oninput: () => schedule() });
  const output = el("output", { id: "translation", for: "source", dir: "auto", "aria-live": "polite" });
  const status = el("p", { class: "note", role: "status" });
  const attention = el("section", { "aria-label": "Attention" });
  let waiting;
  let asked = new AbortController();

  function schedule() {
    clearTimeout(waiting);
    waiting = setTimeout(ask, pause);
  }

  /** Ask for the translation of the text as it is now; an earlier question is taken back. */
  async function ask() {
    clearTimeout(waiting);
    asked.abort();
    const { signal } = (asked = new AbortController());
    const [source, target] = directions[direction.value];
    [input.lang, output.lang] = [source, target];
    [input, output].forEach((field, side) => field.setAttribute("aria-label", names[[source, target][side]]));
    if (!input.value.trim()) return show({ translatedText: "", sentences: [] }, "Type a text.");
    const fields = { q: input.value, source, target, attention: true, ...(needsKey && { api_key: key.value }) };
    const started = performance.now();
    try {
      const answer = await fetch("translate", {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(fields), signal,
      });
      const content = await answer.json();
      if (answer.ok) show(content, `${((performance.now() - started) / 1000).toFixed(2)} s`);
      else show({ translatedText: "", sentences: [] }, content.error);
    } catch (error) {
      if (!signal.aborted) show({ translatedText: "", sentences: [] }, `The server does not answer: ${error.message}`);
    }
  }

  function show({ translatedText, sentences }, told) {
    output.replaceChildren(translatedText);
    status.replaceChildren(told);
    attention.replaceChildren(...sentences.filter(({ weights }) => weights).map((sentence, _, shown) =>
      fold(bdi(sentence.source), () => attentionView(sentence, directions[direction.value]), shown.length <= MOST_OPEN)));
  }

  const labelled = (label, field) => el("label", {}, `${label} `, field);
  const controls = [
    ...(directions.length > 1 ? [labelled("Direction", direction)] : []),
    ...(needsKey ? [labelled("API key", key)] : []),
  ];
  input.maxLength = most;
  document.body.append(
    el("header", {}, el("h1", {}, directions.length > 1 ? "Translate" : title(directions[0])), themeSwitch()),
    el("main", {},
      ...(controls.length ? [el("div", { class: "controls" }, ...controls)] : []),
      el("div", { class: "panes" }, el("div", { class: "pane" }, input), el("div", { class: "pane" }, output)),
      status, attention),
  );
  ask();
  input.focus();
}

servedPage(pageData());
