// The page of a server: a text is sent to it, and its translation shown with the attention.

function servedPage({ directions, names, needs_key: needsKey, max_characters: most, pause }) {
  const title = ([source, target]) => `${names[source]} \u2192 ${names[target]}`;
  const options = directions.map((direction, number) => el("option", { value: number }, title(direction)));
  const direction = el("select", { onchange: () => panes.ask() }, ...options);
  const key = el("input", { type: "password", autocomplete: "off", oninput: () => panes.schedule() });
  const languages = () => directions[direction.value];
  let asked = new AbortController();

  /** The server's translation; an earlier question is taken back. */
  async function translate(text) {
    asked.abort();
    const { signal } = (asked = new AbortController());
    const [source, target] = languages();
    const fields = { q: text, source, target, attention: true, ...(needsKey && { api_key: key.value }) };
    const started = performance.now();
    try {
      const answer = await fetch("translate", {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(fields), signal,
      });
      const content = await answer.json();
      if (!answer.ok) return { text: "", sentences: [], told: content.error };
      const seconds = (performance.now() - started) / 1000;
      return { text: content.translatedText, sentences: content.sentences, told: `${seconds.toFixed(2)} s` };
    } catch (error) {
      return signal.aborted ? null : { text: "", sentences: [], told: `The server does not answer: ${error.message}` };
    }
  }

  const panes = translationPanes({ languages, nameOf: (code) => names[code], pause, translate });
  const labelled = (label, field) => el("label", {}, `${label} `, field);
  const controls = [
    ...(directions.length > 1 ? [labelled("Direction", direction)] : []),
    ...(needsKey ? [labelled("API key", key)] : []),
  ];
  panes.input.maxLength = most;
  document.body.append(
    el("header", {}, el("h1", {}, directions.length > 1 ? "Translate" : title(directions[0])), themeSwitch()),
    el("main", {}, ...(controls.length ? [el("div", { class: "controls" }, ...controls)] : []), ...panes.elements),
  );
  panes.ask();
  panes.input.focus();
}

servedPage(pageData());
