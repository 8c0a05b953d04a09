// A text on one side, its translation on the other, and the attention below; with a server that translates.

const MOST_OTHERS = 5; // other translations of a sentence

/**
 * The panes: {elements, input, output, tell, ask, schedule}; of the sentence that is chosen in the output, the
 * attention and other translations, one of which can take its place.
 *
 * `sides()` are the `languages` of the two sides, codes, and their `names`; `example` is a text to try, or empty.
 * `translate(text, isWanted)` gives {text, sentences}, with `gaps`, the texts around the sentences, if they are known,
 * with `warnings`, and `told` where it fails, or null once the text is another one; it is asked `pause` milliseconds
 * after the last key. `alternativesOf(sentence, most)` gives other translations of it as such sentences, `stepsOf` is
 * for `stepperFold` in stepper.js; `suggest(sentence, text)`, if any, sends a better one.
 */
function translationPanes({ sides, pause, translate, alternativesOf, stepsOf, suggest }) {
  const input = el("textarea", { id: "source", rows: 6, dir: "auto", spellcheck: "false", oninput: () => schedule() });
  const output = el("output", { id: "translation", for: "source", dir: "auto", "aria-live": "polite" });
  const copy = el("button", { disabled: true, onclick: () => copyText(output) }, "Copy");
  const clear = el("button", { disabled: true, onclick: () => {
    input.value = "";
    input.focus();
    ask();
  } }, "Clear");
  const labels = [input, output].map(({ id }) => el("label", { for: id }));
  const status = el("div", { class: "note", role: "status" });
  const others = el("section", { class: "others", "aria-live": "polite", "aria-label": "Other translations" });
  const attention = el("section", { "aria-label": "Attention" });
  const tell = (...told) => status.replaceChildren(...told);
  let waiting;
  let latest = 0;

  function schedule() {
    clearTimeout(waiting);
    waiting = setTimeout(ask, pause);
  }

  /** Ask for the translation of the text as it is now. */
  async function ask() {
    clearTimeout(waiting);
    const number = ++latest;
    const isWanted = () => number === latest;
    const { languages, names, example } = sides();
    [input, output].forEach((field, side) => {
      field.lang = languages[side];
      labels[side].textContent = names[side];
    });
    input.placeholder = `Type ${names[0]}${example && `, such as: ${example}`}`;
    const isBlank = !input.value.trim();
    clear.disabled = !input.value;
    const started = performance.now();
    const failed = (error) => ({ told: `This cannot be translated: ${error.message}` });
    const answer = await translate(input.value, isWanted).catch(failed);
    const seconds = (performance.now() - started) / 1000;
    const told = isBlank ? "Type a text." : `${seconds.toFixed(2)} s`;
    if (answer && isWanted()) show({ told, ...answer }, languages);
  }

  function show({ text = "", sentences = [], gaps, warnings = [], told }, languages) {
    copy.disabled = !text;
    const lacks = sentences.some(({ weights }) => weights) ? "" : " This model has no attention to show.";
    const isMany = sentences.length > 1;
    const hint = `${CLICK} ${isMany ? "a sentence of " : ""}the translation to see other ones${suggest ? ", or to correct it" : ""}.${lacks}`;
    const warned = warnings.map((warning) => el("p", {}, `Warning: ${warning}`));
    tell(sentences.length ? `${told}. ${hint}` : told, ...warned);
    let end = 0;
    const spans = sentences.map((sentence) => sentenceOf(sentence, languages));
    const parts = spans.flatMap((span, i) => {
      const begin = gaps ? end + gaps[i].length : text.indexOf(span.textContent, end);
      const before = text.slice(end, begin);
      end = begin + span.textContent.length;
      return [before, span];
    });
    output.replaceChildren(...parts, text.slice(end));
    output.classList.toggle("several", isMany);
    for (const section of [others, attention]) section.replaceChildren();
    spans[0]?.show();
  }

  /** A sentence in the output; its `show()` shows its attention, a click its other translations as well. */
  function sentenceOf(own, languages) {
    let written = own;
    const onkeydown = (event) => ["Enter", " "].includes(event.key) && (event.preventDefault(), onclick());
    const span = el("span", { role: "button", tabindex: 0, onkeydown, onclick }, own.translation);

    function show() {
      output.querySelector(".chosen")?.classList.remove("chosen");
      span.classList.add("chosen");
      span.textContent = written.translation;
      attention.replaceChildren(...(written.weights ? [attentionView(written, languages)] : []),
        ...(written === own ? [stepperFold(own, languages, (prefix) => stepsOf(own, prefix))] : []));
    }

    function offer(found) {
      if (output.querySelector(".chosen") !== span) return; // another sentence was chosen since, or another text typed
      const distinct = [...Map.groupBy([own, ...found], ({ translation }) => translation).values()];
      const buttons = distinct.map(([sentence]) => toggle(sentence.translation,
        sentence.translation === written.translation, () => {
          written = sentence;
          show();
          offer(found);
          others.querySelector("[aria-pressed=true]").focus();
        }));
      others.replaceChildren(...(buttons.length > 1 ? buttons : ["The search found no other translation."]),
        ...(suggest ? [correction()] : []));
    }

    /** A field for a better translation. */
    function correction() {
      const field = el("input", { value: written.translation, dir: "auto", "aria-label": "A better translation" });
      const sent = "Sent. It counts once the owner of this translator has accepted it.";
      const send = () => suggest(own, field.value).then(() => tell(sent), (error) => tell(error.message));
      return el("form", { onsubmit: (event) => (event.preventDefault(), send()) }, field, el("button", {}, "Correct"));
    }

    function onclick() {
      if (!getSelection().isCollapsed) return; // text was selected
      show();
      others.replaceChildren("Looking for other translations \u2026");
      const failed = (error) => span.matches("output .chosen") && others.replaceChildren(error.message);
      alternativesOf(own, MOST_OTHERS).then(offer, failed);
    }

    return Object.assign(span, { show });
  }

  const pane = (label, button, field) =>
    el("div", { class: "pane" }, el("div", { class: "head" }, label, button), field);
  const panes = el("div", { class: "panes" }, pane(labels[0], clear, input), pane(labels[1], copy, output));
  return { elements: [panes, status, others, attention], input, output, tell, ask, schedule };
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
 * translator, and an `example` to type; the `settings` have the names of LibreTranslate: `suggestions` says whether
 * better translations are taken; `frontendTimeout` is in milliseconds; the files' formats are endings of their names.
 */
function servedPage({ directions, names, about, ...settings }) {
  const { suggestions, keyRequired: needsKey, frontendTimeout: pause, supportedFilesFormat: files } = settings;
  const title = ([source, target]) => `${names[source]} \u2192 ${names[target]}`;
  const direction = choice(directions.map(title), choose);
  const footer = el("footer", { class: "note" });
  const key = el("input", { type: "password", autocomplete: "off", oninput: () => panes.schedule() });
  const terms = el("textarea", {
    rows: 4, placeholder: "A term per line, such as: house = Haus", "aria-label": "Glossary",
    onchange: () => panes.ask(),
  });
  const languages = () => directions[direction.value];
  let asked = new AbortController();

  const reverse = () => directions.findIndex((each) => each.join() === languages().toReversed().join());
  const swap = el("button", { onclick: () => {
    direction.value = reverse();
    panes.input.value = panes.output.textContent || panes.input.value;
    panes.input.focus();
    choose();
  } }, "\u21c4 Swap");

  function choose() {
    swap.disabled = reverse() < 0;
    footer.replaceChildren(...about[direction.value].lines.map((line) => el("p", {}, line)));
    panes.ask();
  }

  /** The content of the server's answer; an error where it refuses, or does not answer. */
  async function contentOf(address, options) {
    const failed = (error) => ({ error: `The server does not answer: ${error.message}` });
    const content = await fetch(address, { method: "POST", ...options }).then((answer) => answer.json()).catch(failed);
    if (content.error) throw new Error(content.error);
    return content;
  }

  /** What the server answers to a question about a text. */
  function ask(text, fields, signal, address = "translate") {
    const [source, target] = languages();
    const question = { q: text, source, target, glossary: terms.value, ...fields, ...(needsKey && { api_key: key.value }) };
    return contentOf(address, { headers: { "Content-Type": "application/json" }, body: JSON.stringify(question), signal });
  }

  /** A sentence with its steps, its translation beginning with the tokens of these ids. */
  async function stepsOf(sentence, prefix) {
    const { sentences: [found] } = await ask(sentence.source, { steps: true, prefix });
    if (found?.source !== sentence.source) throw new Error("Without the text around it, it is read in another way.");
    return found;
  }

  /** Other translations of a sentence, with their attention. */
  async function alternativesOf(sentence, most) {
    const { alternativeSentences } = await ask(sentence.source, { attention: true, alternatives: most });
    return alternativeSentences.map(([found]) => found).filter((found) => found?.source === sentence.source);
  }

  /** Send a better translation of a sentence. */
  const suggest = (sentence, text) => ask(sentence.source, { s: text }, undefined, "suggest");

  /** The server's translation, none of a blank text; an earlier question is taken back. */
  async function translate(text) {
    asked.abort();
    if (!text.trim()) return {};
    const { signal } = (asked = new AbortController());
    try {
      const { translatedText, sentences, warnings } = await ask(text, { attention: true }, signal);
      return { text: translatedText, sentences, warnings };
    } catch (error) {
      return signal.aborted ? null : { told: error.message };
    }
  }

  /** Translate a document, and give the translated one as a download. */
  function translateFile(file) {
    const [body, [source, target]] = [new FormData(), languages()];
    const fields = { file, source, target, glossary: terms.value, api_key: key.value };
    Object.entries(fields).forEach(([name, value]) => body.append(name, value));
    panes.tell(`${file.name} is being translated.`);
    const give = ({ translatedFileUrl: url }) => { // a proxy may have another address
      const link = el("a", { href: `download_file/${url.split("/").pop()}`, download: "" }, `${file.name}, translated`);
      panes.tell(link);
      link.click();
    };
    return contentOf("translate_file", { body }).then(give, (error) => panes.tell(error.message));
  }
  const chooser = el("input", {
    type: "file", accept: files.join(), onclick: () => (chooser.value = ""), // the same file may be chosen again
    onchange: () => [...chooser.files].map(translateFile),
  });
  for (const kind of ["dragover", "drop"]) addEventListener(kind, (event) => {
    if (event.dataTransfer.types.includes("Files")) event.preventDefault();
    [...event.dataTransfer.files].slice(0, 1).map(translateFile); // none before it is dropped
  });

  const sides = () =>
    ({ ...about[direction.value], languages: languages(), names: languages().map((code) => names[code]) });
  const panes = translationPanes({ sides, pause, translate, alternativesOf, stepsOf, suggest: suggestions && suggest });
  const [boxes, ...shown] = panes.elements;
  const labelled = (label, field) => el("label", {}, `${label} `, field);
  const controls = [
    ...(directions.length > 1 ? [labelled("Direction", direction), swap] : []),
    ...(needsKey ? [labelled("API key", key)] : []),
    labelled("Document", chooser),
  ];
  document.head.append(el("link", { rel: "manifest", href: "manifest.webmanifest" }));
  fillPage(directions.length > 1 ? "Translate" : title(directions[0]),
    el("div", { class: "controls" }, ...controls), boxes, fold("Glossary", () => terms), ...shown);
  document.body.append(footer);
  choose();
  panes.input.focus();
}
