// Translations and what is known of them: attention, the probabilities of tokens, other translations, the beam's tree.

const FEW = 10; // so many texts are open at first
const LEAST_TOLD = 0.01; // less probable tokens are not named beside those of a translation

/** The page of translations: each text with its translation, and what is known of it. */
function translationsPage({ title, languages, texts, films }) {
  const learned = films.length ? [fold("How the attention was learned", () => filmView(films))] : [];
  const items = texts.map((text) => el("li", { class: "text" }, textView(text, languages, texts.length)));
  fillPage(title, el("ol", { class: "texts" }, ...items), ...learned);
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

/** Each token of a translation with its probability, and what else was probable in its place. */
function probabilityTable(sentence) {
  const tree = sentence.tree && readTree(sentence.tree);
  const rows = sentence.tgt_tokens.map((token, number) => {
    const p = Math.exp(sentence.log_probabilities[number]);
    const node = tree?.path[number];
    const probable = (node?.parent.children ?? []).filter((each) => each !== node && each.p >= LEAST_TOLD);
    const others = probable.slice(0, 4).map((each) =>
      el("span", { class: `other ${each.fate}` }, bdi(each.unit), ` ${percent(each.p)}`));
    const bar = el("span", { class: "bar", "--w": p.toFixed(3) }, percent(p));
    return [bdi(token), bar, el("span", {}, ...others)];
  });
  return table(["token", "probability", tree ? "what else was probable" : ""], rows, { class: "tokens" });
}

/** What is known of the translation of a text, the `Details` of data.py. */
function detailView({ sentences, n_best: best }, languages) {
  const ranked = () => table(["rank", "translation", "score", "confidence"], best.map(([text, score], rank) =>
    [String(rank + 1), el("span", { dir: "auto" }, text), score.toFixed(3), percent(Math.exp(score))]));
  return [
    ...sentences.flatMap((sentence) => [
      sentence.weights ? attentionView(sentence, languages) : el("p", {}, "This model has no attention."),
      ...(sentence.steps ? [stepperFold(sentence, languages)] : []),
      fold("Probabilities of the tokens", () => probabilityTable(sentence)),
      ...(sentence.tree ? [fold("Tree of the search", () => treeView(sentence.tree))] : []),
    ]),
    ...(best.length ? [fold(`${best.length} best translations`, ranked)] : []),
  ];
}
