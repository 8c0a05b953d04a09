// The page of translations: each text with its translation by each run, and what is known of it.

const FEW = 10; // so many texts are open at first

function translationsPage({ title, runs, texts }) {
  const heading = title ? [el("header", {}, el("h1", {}, title), themeSwitch())] : [];
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

translationsPage(pageData());
