// The page of a translator, which has all that it needs in it. From a text to its translation, it does the same as
// decoding/translator.py, which explains it.

const PAUSE = 40; // milliseconds without a key before the text is translated
const BUSY = 20; // milliseconds of work between two pauses in which keys are handled; a pause may take a browser 4
const SHOWN_NUMBERS = 16; // of a vector

class Translator {
  constructor({ engine, src, tgt, options, maxLength, hasAttention }) {
    Object.assign(this, { engine, src, tgt, options, maxLength, hasAttention });
    // While one sentence is typed, those before it are not translated again.
    this.translatePiece = remembered((piece) => this.searchPiece(JSON.parse(piece))[0]);
  }

  /** The translation of a text, {text, sentences, gaps}; null once it is no longer wanted. */
  async translate(text, isWanted = () => true) {
    const passage = splitPassage(text, (sentence) => this.fits(sentence));
    const sentences = [];
    let due = performance.now() + BUSY;
    for (const piece of passage.pieces) {
      if (performance.now() > due) due = await new Promise((done) => setTimeout(() => done(performance.now() + BUSY)));
      if (!isWanted()) return null;
      sentences.push(this.translatePiece(JSON.stringify({ ...piece, start: 0, end: 0 }))); // equal ones are one
    }
    const gaps = between(passage.text, passage.pieces);
    const parts = gaps.map((part, i) => part + (sentences[i]?.translation ?? ""));
    return { text: parts.join(""), sentences, gaps };
  }

  /** Whether a sentence need not be cut. */
  fits(sentence) {
    if (2 * [...sentence].length <= this.maxLength) return true;
    const isShort = (word) => [...word].length <= TABLES.longestWord;
    return this.src.read(sentence).ids.length <= this.maxLength && splitWords(sentence).every(isShort);
  }

  /** The translation of a sentence that begins with the tokens of these ids, with its search and its steps. */
  stepsOf({ piece }, prefix) {
    return this.searchPiece(piece, prefix)[0];
  }

  /** The best translation of a sentence and `others`; the beam is large enough for them. */
  alternativesOf({ piece }, others) {
    const options = { ...this.options, n_best: 1 + others, beam_size: Math.max(1 + others, this.options.beam_size) };
    return this.searchPiece(piece, null, options);
  }

  /** The best translations of a piece, with the names that attentionView reads; with a `prefix`, their steps, too. */
  searchPiece(piece, prefix = null, options = this.options) {
    const reading = this.src.read(piece.text, piece.kept);
    const { words, ids: source } = reading;
    const copiesAll = this.hasAttention && this.src.unit === "word"; // else the unknown ones
    const mostUnknown = words.filter((word) => (copiesAll || isUnknown(word)) && canBeCopied(word)).length;
    const trace = prefix && [];
    const ranked = search(this.engine, source, options, mostUnknown, prefix ?? [], trace);
    return ranked.map((best) =>
      ({ ...this.written(piece, reading, best), ...(trace && this.shown(source, best, trace)) }));
  }

  /** The translation that a hypothesis writes. */
  written(piece, { words, letters, parts }, { ids: found, isEnded, weights, logProbabilities }) {
    const ids = isEnded ? found.slice(0, -1) : found;
    // Without attention, unknown words are copied in their order.
    const places = copyByAttention(ids, this.hasAttention ? weights : weights.map((row) => row.map(() => 1)), words);
    const copies = new Map([...places].map(([place, i]) => [place, words[i]]));
    const hidden = this.tgt.unit === "character" ? SPACING + HIDDEN : HIDDEN;
    const isKept = ({ number }) => number !== undefined;
    const spelled = new Map([...copies].map(([place, word]) => [place, isKept(word) ? hidden : word.text]));
    const { text, units } = this.tgt.write(ids, spelled, letters);
    const copied = [...copies.values()].filter(isKept).map(({ number }) => number);
    const shown = units.map((unit, place) => copies.get(place)?.text ?? unit);
    return {
      piece, // as it was read in its text: its source alone could be read in another way
      source: piece.source,
      translation: putBack(piece, { text, units, weights, parts, copied }),
      src_tokens: [...parts, SPECIAL_UNITS[EOS]],
      tgt_tokens: isEnded ? [...shown, SPECIAL_UNITS[EOS]] : shown,
      weights: this.hasAttention ? weights : null,
      log_probabilities: logProbabilities,
    };
  }

  /** The tree of a search and the steps that write the best hypothesis, as data.py has them. */
  shown(source, best, trace) {
    const unit = (id) => withoutMarks(this.tgt.units[id]) || this.tgt.units[id];
    // Each with the place of its parent, which an earlier step has added; -1: the beginning.
    const nodes = trace.map((row, i) =>
      [trace.lastIndexOf(row.parent, i), unit(row.token), row.logProbability, row.fate, row.score ?? null, row.token]);
    const steps = [];
    for (let row = best; row.parent; row = row.parent) {
      const { likeliest, query, scores } = row.proposals;
      const next = likeliest[row.number].slice(0, SHOWN_TOKENS).map(([id, log]) => [id, unit(id), Math.exp(log)]);
      const numbersOf = (rows, most) => Array.from(rows?.[row.number] ?? []).slice(0, most);
      steps.unshift({ query: numbersOf(query, SHOWN_NUMBERS), scores: numbersOf(scores), next });
    }
    const start = this.engine.start(source);
    const { states } = start.model ?? start; // an engine that consults pairs has the state of the model in its own
    const isSeen = this.hasAttention && steps[0]?.query.length;
    return {
      tree: { nodes, best: trace.indexOf(best) },
      states: (isSeen ? rowsOf(states) : []).map((row) => Array.from(row.slice(0, SHOWN_NUMBERS))),
      steps,
    };
  }
}

/** The number of the word to write at each place that is UNK: the one with the largest attention weight. */
function copyByAttention(ids, weights, words) {
  const firsts = runningSums(words.map((word) => word.ids.length));
  const free = new Set([...words.keys()].filter((i) => canBeCopied(words[i])));
  const unknown = [...free].filter((i) => isUnknown(words[i]));
  const preferred = new Set(unknown.length >= ids.filter((id) => id === UNK).length ? unknown : []);
  const copies = new Map();
  ids.forEach((id, place) => {
    if (id !== UNK || !free.size) return;
    const largest = (i) => Math.max(...weights[place].slice(firsts[i], firsts[i + 1]));
    const ranked = [...free].map((i) => ({ i, weight: largest(i), isPreferred: largest(i) > 0 && preferred.has(i) }));
    ranked.sort((a, b) => b.isPreferred - a.isPreferred || b.weight - a.weight || a.i - b.i);
    if (ranked[0].weight > 0) {
      copies.set(place, ranked[0].i);
      free.delete(ranked[0].i);
    }
  });
  return copies;
}

/** Whether a word may be written for UNK: any word, and a mark that the vocabulary lacks. */
const canBeCopied = (word) => (isUnknown(word) && word.text !== SPACING) || !isPunctuation(word.text);

/** What is packed in the page: the bytes of a text in base 64, inflated. */
async function inflated(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The weights by name. */
async function readWeights({ shapes, steps, planes }) {
  const [low, middle, high] = await Promise.all(planes.map(inflated));
  let at = 0;
  const weights = Object.entries(shapes).map(([name, shape], i) => {
    const numbers = new Float32Array(sizeOf(shape)).map(() => {
      const code = low[at] | (middle[at] << 8) | (high[at] << 16);
      at += 1;
      return steps[i] * ((code >> 1) ^ -(code & 1)); // the lowest bit is the sign
    });
    return [name, tensor(shape, numbers)];
  });
  return Object.fromEntries(weights);
}

/** The translator of the data of a page. */
async function openTranslator(page) {
  const weights = await readWeights(page.weights);
  const data = JSON.parse(new TextDecoder().decode(await inflated(page.model)));
  for (const [name, pair] of Object.entries(data.expressions)) EXPRESSIONS[name] = new RegExp(...pair);
  Object.assign(TABLES, data.tables);
  const [encoder, decoder] = [data.encoder, data.decoder].map((graph) => new Graph(graph, weights));
  const { words, merges } = data.src; // both sides may share their units
  const [src, tgt] = [data.src, data.tgt].map((side) => new Codec(side.words ? side : { ...side, words, merges }));
  const model = new Engine(encoder, decoder, tgt.units.length);
  if (!data.pairs) return new Translator({ ...data, src, tgt, engine: model });
  const forced = new Engine(null, new Graph(data.features, weights), 0);
  const engine = new ConsultingEngine(model, forced, new SimilarPairs(data.pairs, data.options));
  return new Translator({ ...data, src, tgt, engine });
}

/** Build the page; the promise of its translator. */
function translatorPage(data) {
  const opened = openTranslator(data);
  const { names, lines, example } = data.about;
  const translate = async (text, isWanted) => (await opened).translate(text, isWanted);
  const alternativesOf = async (sentence, most) => (await opened).alternativesOf(sentence, most);
  const stepsOf = async (sentence, prefix) => (await opened).stepsOf(sentence, prefix);
  const sides = () => ({ languages: data.languages, names, example });
  const panes = translationPanes({ sides, pause: PAUSE, translate, alternativesOf, stepsOf });
  const privacy = "The model is in this page: it asks nobody, and what you type stays here.";
  fillPage(names.join(" \u2192 "), ...panes.elements);
  document.body.append(el("footer", { class: "note" }, ...[...lines, privacy].map((line) => el("p", {}, line))));
  panes.tell("Opening the model \u2026");
  opened.then(panes.ask).catch((error) => panes.tell(`The model cannot be opened: ${error.message}`));
  panes.input.focus();
  return opened;
}
