// A text on one side, its translation on the other, and the attention below; with a server that translates.

const MOST_OPEN = 3; // sentences whose attention is shown at once

/**
 * The panes: {elements, input, output, tell, write, ask, schedule}.
 *
 * `languages()` are the codes of the two sides, `nameOf(code)` their names; `example()` is a text to try, or empty.
 * `translate(text, isWanted)` gives {text, sentences}, with `told` where it fails, or null once the text is another one;
 * it is asked `pause` milliseconds after the last key. `stepsOf` is for `stepperFold` in stepper.js.
 */
function translationPanes({ languages, example, nameOf, pause, translate, stepsOf }) {
  const input = el("textarea", { id: "source", rows: 6, dir: "auto", spellcheck: "false", oninput: () => schedule() });
  const output = el("output", { id: "translation", for: "source", dir: "auto", "aria-live": "polite" });
  const copy = el("button", { type: "button", disabled: true, onclick: () => copyText(output) }, "Copy");
  const clear = el("button", { type: "button", disabled: true, onclick: () => write("") }, "Clear");
  const status = el("p", { class: "note", role: "status" });
  const attention = el("section", { "aria-label": "Attention" });
  const tell = (told) => status.replaceChildren(told);
  let waiting;
  let latest = 0;

  function schedule() {
    clearTimeout(waiting);
    waiting = setTimeout(ask, pause);
  }

  /** Put another text in the place of what was typed. */
  function write(text) {
    input.value = text;
    input.focus();
    ask();
  }

  /** Ask for the translation of the text as it is now. */
  async function ask() {
    clearTimeout(waiting);
    const number = ++latest;
    const isWanted = () => number === latest;
    const sides = languages();
    [input, output].forEach((field, side) => {
      field.lang = sides[side];
      field.setAttribute("aria-label", nameOf(sides[side]));
    });
    input.placeholder = `Type ${nameOf(sides[0])}${example() && `, such as: ${example()}`}`;
    const isBlank = !input.value.trim();
    clear.disabled = !input.value;
    const started = performance.now();
    const failed = (error) => ({ told: `This cannot be translated: ${error.message}` });
    const answer = await translate(input.value, isWanted).catch(failed);
    const seconds = (performance.now() - started) / 1000;
    const told = isBlank ? "Type a text." : `${seconds.toFixed(2)} s`;
    if (answer && isWanted()) show({ told, ...answer }, sides);
  }

  function show({ text = "", sentences = [], told }, sides) {
    output.replaceChildren(text);
    copy.disabled = !text;
    const isSeen = sentences.some(({ weights }) => weights);
    tell(sentences.length && !isSeen ? `${told}; this model has no attention to show` : told);
    const view = (sentence) => el("div", {}, ...(sentence.weights ? [attentionView(sentence, sides)] : []),
      stepperFold(sentence, sides, (prefix) => stepsOf(sentence, prefix)));
    attention.replaceChildren(...(sentences.length === 1 ? sentences.map(view) : sentences.map((sentence) =>
      fold(bdi(sentence.source), () => view(sentence), sentences.length <= MOST_OPEN))));
  }

  const panes = el("div", { class: "panes" },
    el("div", { class: "pane" }, input, clear), el("div", { class: "pane" }, output, copy));
  return { elements: [panes, status, attention], input, output, tell, write, ask, schedule };
}

/** Copy the text of an element as a person does: a page from the disk may not write to the clipboard otherwise. */
function copyText(element) {
  const selection = getSelection();
  selection.selectAllChildren(element);
  document.execCommand("copy");
  selection.removeAllRanges();
}

/**
 * The page of a server: a text is sent to it, and its translation shown with the attention.
 *
 * `directions` are pairs of languages, `names` their English names; `about` has of each direction `lines` on the
 * translator, and an `example` to type; `pause` is in milliseconds.
 */
function servedPage({ directions, names, about, needs_key: needsKey, max_characters: most, pause }) {
  const title = ([source, target]) => `${names[source]} \u2192 ${names[target]}`;
  const direction = choice(directions.map(title), () => choose());
  const footer = el("footer", { class: "note" });
  const key = el("input", { type: "password", autocomplete: "off", oninput: () => panes.schedule() });
  const languages = () => directions[direction.value];
  let asked = new AbortController();

  const reverse = () => directions.findIndex(([source, target]) =>
    source === languages()[1] && target === languages()[0]);
  const swap = el("button", { type: "button", onclick: () => {
    direction.value = reverse();
    describe();
    panes.write(panes.output.textContent || panes.input.value);
  } }, "\u21c4 Swap");

  function describe() {
    swap.disabled = reverse() < 0;
    footer.replaceChildren(...about[direction.value].lines.map((line) => el("p", {}, line)));
  }

  function choose() {
    describe();
    panes.ask();
  }

  /** The server's answer to a question about a text, and what it says. */
  async function ask(text, fields, signal) {
    const [source, target] = languages();
    const question = { q: text, source, target, ...fields, ...(needsKey && { api_key: key.value }) };
    const answer = await fetch("translate", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question), signal,
    });
    return [answer, await answer.json()];
  }

  /** A sentence with its steps, its translation beginning with the tokens of these ids. */
  async function stepsOf(sentence, prefix) {
    const [answer, content] = await ask(sentence.source, { steps: true, prefix });
    if (!answer.ok) throw new Error(content.error);
    return content.sentences[0];
  }

  /** The server's translation, none of a blank text; an earlier question is taken back. */
  async function translate(text) {
    asked.abort();
    if (!text.trim()) return {};
    const { signal } = (asked = new AbortController());
    try {
      const [answer, content] = await ask(text, { attention: true }, signal);
      return answer.ok ? { text: content.translatedText, sentences: content.sentences } : { told: content.error };
    } catch (error) {
      return signal.aborted ? null : { told: `The server does not answer: ${error.message}` };
    }
  }

  const example = () => about[direction.value].example;
  const panes = translationPanes({ languages, example, nameOf: (code) => names[code], pause, translate, stepsOf });
  const labelled = (label, field) => el("label", {}, `${label} `, field);
  const controls = [
    ...(directions.length > 1 ? [labelled("Direction", direction), swap] : []),
    ...(needsKey ? [labelled("API key", key)] : []),
  ];
  panes.input.maxLength = most;
  document.body.append(
    el("header", {}, el("h1", {}, directions.length > 1 ? "Translate" : title(directions[0])), sizeControl()),
    el("main", {}, ...(controls.length ? [el("div", { class: "controls" }, ...controls)] : []), ...panes.elements),
    footer,
  );
  choose();
  panes.input.focus();
}
