// The attention of a sentence: two lines of words that light each other up, and the matrix of the weights below.

const SCRIPTS = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"]; // without spaces between words
const LETTER = `[[\\p{L}\\p{N}\\p{M}]--[${SCRIPTS.map((name) => `\\p{scx=${name}}`).join("")}]]`;
const IN_WORD = new RegExp(`\\p{M}|(?<=${LETTER})${LETTER}`, "vy"); // a character that is not the first of its word
const SPACE = "\u2581"; // a space, where characters are tokens
const LEAST_SHOWN = 0.05; // weights below have no number in the matrix

/** The numbers of the tokens of each word; `text` says between which of them there is a space. */
function wordsOf(tokens, text) {
  const lower = text.toLowerCase();
  const searched = lower.length === text.length ? lower : text;
  const words = [];
  let end = 0;
  tokens.forEach((token, number) => {
    const wanted = searched === lower ? token.toLowerCase() : token;
    const at = wanted && searched.indexOf(wanted, end);
    IN_WORD.lastIndex = end;
    const adjoins = at === end && IN_WORD.test(searched);
    const isSpaced = ["", SPACE].includes(tokens[number - 1]); // "": the space before a digit, with bpe
    if (number > 0 && (adjoins || isSpaced)) words.at(-1).push(number);
    else words.push([number]);
    if (at >= 0 && wanted) end = at + wanted.length;
  });
  return words;
}

/** One side of a sentence in words: their texts, and the numbers of their tokens. */
function sideOf(tokens, groups) {
  const text = (numbers) => numbers.map((number) => tokens[number]).join("");
  return groups.map((numbers) => ({ numbers, text: text(numbers).replaceAll(SPACE, "") || text(numbers) || "\u2205" }));
}

/** The weights between words: sums over the tokens of a source word, means over the tokens of a target word. */
function wordWeights(weights, target, source) {
  const sum = (row, numbers) => numbers.reduce((total, number) => total + row[number], 0);
  return target.map((word) =>
    source.map(({ numbers }) =>
      word.numbers.reduce((total, row) => total + sum(weights[row], numbers), 0) / word.numbers.length));
}

/** The view of a sentence, {source, translation, src_tokens, tgt_tokens, weights} as in data.py, with its languages. */
function attentionView(sentence, languages) {
  const single = (tokens) => tokens.map((_, number) => [number]);
  const whole = [wordsOf(sentence.src_tokens, sentence.source), wordsOf(sentence.tgt_tokens, sentence.translation)];
  const isCut = whole[0].length < sentence.src_tokens.length || whole[1].length < sentence.tgt_tokens.length;
  const place = el("div");
  const draw = (merged) => {
    const [src, tgt] = merged ? whole : [single(sentence.src_tokens), single(sentence.tgt_tokens)];
    const sides = { source: sideOf(sentence.src_tokens, src), target: sideOf(sentence.tgt_tokens, tgt) };
    place.replaceChildren(...attentionOf(sides, wordWeights(sentence.weights, sides.target, sides.source), languages));
  };
  draw(true);
  return el("div", { class: "attention" }, ...(isCut ? [toggle("whole words", true, draw)] : []), place);
}

function attentionOf(sides, weights, languages) {
  const matrix = matrixOf(sides, weights);
  const told = el("p", { class: "told", role: "status" });
  let pinned = null; // the word that stays lit

  const light = (event) => show(event.currentTarget);
  const unlight = () => show(pinned);
  const onclick = ({ currentTarget: button }) => {
    pinned = pinned === button ? null : button;
    for (const each of all) each.setAttribute("aria-pressed", String(each === pinned));
    show(pinned);
  };
  const watch = { onmouseenter: light, onfocus: light, onmouseleave: unlight, onblur: unlight, onclick };
  const wordsOfSide = (side) => sides[side].map(({ text }, number) =>
    el("button", { class: "word", "aria-pressed": "false", "data-side": side, "data-number": number, ...watch }, text));
  const buttons = { source: wordsOfSide("source"), target: wordsOfSide("target") };
  const all = [...buttons.source, ...buttons.target];

  function show(chosen) {
    for (const button of all) {
      button.classList.toggle("chosen", button === chosen);
      button.style.removeProperty("--w");
    }
    for (const cell of matrix.querySelectorAll(".lit")) cell.classList.remove("lit");
    if (!chosen) return told.replaceChildren(`${POINT} a word to see what it attends to.`);
    const { side, number } = chosen.dataset;
    const [other, arrow] = side === "target" ? ["source", " \u2190"] : ["target", " \u2192"];
    const links = sides[other].map(({ text }, place) =>
      ({ text, place, weight: side === "target" ? weights[number][place] : weights[place][number] }));
    for (const { place, weight } of links) buttons[other][place].style.setProperty("--w", weight.toFixed(3));
    for (const cell of matrix.querySelectorAll(`[data-${side}="${number}"]`)) cell.classList.add("lit");
    const strongest = links.filter(({ weight }) => weight >= 0.005).sort((a, b) => b.weight - a.weight).slice(0, 4);
    const words = strongest.flatMap(({ text, weight }) => [" ", bdi(text), ` ${percent(weight)}`, ","]);
    told.replaceChildren(bdi(sides[side][number].text), arrow, ...words.slice(0, -1));
  }

  matrix.addEventListener("mouseover", (event) => {
    const { source: column, target: row } = event.target.closest?.("td, th")?.dataset ?? {};
    const word = row === undefined ? buttons.source[column] : buttons.target[row];
    if (word) show(word);
  });
  matrix.addEventListener("mouseleave", unlight);
  show(null);
  const line = (side, label, lang) =>
    el("div", { class: "line", role: "group", "aria-label": label, dir: "auto", lang }, ...buttons[side]);
  return [line("source", "Source", languages[0]), line("target", "Translation", languages[1]), told,
    scrolling(matrix, "Attention weights in percent: a row per word of the translation")];
}

/** The matrix: a column per source word, from the right where the source is written so. */
function matrixOf({ source, target }, weights) {
  const head = source.map((word, column) =>
    el("th", { scope: "col", "data-source": column }, el("span", {}, word.text)));
  const rows = target.map((word, row) => el("tr", {},
    el("th", { scope: "row", "data-target": row }, bdi(word.text)),
    ...weights[row].map((weight, column) =>
      showWeight(el("td", { "data-target": row, "data-source": column }), weight))));
  return el("table", { class: "matrix", dir: "auto", "--columns": source.length, "--rows": target.length },
    el("thead", {}, el("tr", {}, el("td"), ...head)), el("tbody", {}, ...rows));
}

function showWeight(cell, weight) {
  cell.style.setProperty("--w", weight.toFixed(3));
  cell.replaceChildren(weight < LEAST_SHOWN ? "" : String(Math.round(100 * weight)));
  return cell;
}
