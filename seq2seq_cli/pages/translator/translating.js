// The page of a translator, which has all that it needs in it.

const PAUSE = 40; // milliseconds without a key before the text is translated

function languageName(code) {
  try {
    return new Intl.DisplayNames(["en"], { type: "language" }).of(code);
  } catch {
    return code; // a code that no standard has
  }
}

/** Build the page; the promise of its translator. */
function translatorPage(data) {
  const opened = openTranslator(data);
  const panes = translationPanes({ languages: () => data.languages, nameOf: languageName, pause: PAUSE, translate });

  async function translate(text, isWanted) {
    const translator = await opened;
    const started = performance.now();
    const translation = await translator.translate(text, isWanted);
    const seconds = (performance.now() - started) / 1000;
    const note = translator.hasAttention ? "" : "; this model has no attention to show";
    return translation && { ...translation, told: `${seconds.toFixed(2)} s${note}` };
  }

  document.body.append(
    el("header", {}, el("h1", {}, data.languages.map(languageName).join(" \u2192 "))),
    el("main", {}, ...panes.elements),
    el("footer", { class: "note" }, "The model is in this page: it asks nobody, and what you type stays here."),
  );
  panes.tell("Opening the model \u2026");
  opened.then(panes.ask).catch((error) => panes.tell(`The model cannot be opened: ${error.message}`));
  panes.input.focus();
  return opened;
}
