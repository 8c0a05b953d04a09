// From a text to its translation: the same as decoding/translator.py, copying.py and alignment.py, which explain it.

const MOST_SENTENCES = 500; // that are remembered: while one is typed, those before it are not translated again

class Translator {
  constructor({ engine, src, tgt, conventions, options, limits, hasAttention }) {
    Object.assign(this, { engine, src, tgt, options, hasAttention });
    this.conventions = new Conventions(conventions);
    this.read = remembered((text) => this.readText(text, []));
    this.translatePiece = remembered((piece, kept) => this.searchPiece(piece, kept), {
      most: MOST_SENTENCES,
      keyOf: ({ source, text, marks, protectedSpans }, kept) =>
        JSON.stringify([source, text, marks, protectedSpans, kept]),
    });
    this.limits = {
      ...limits,
      countTokens: (text) => this.read(text).words.length,
      countIds: (text) => this.read(text).ids.length,
    };
    this.innerIds = tgt.innerIds;
    this.openingIds = tgt.openingIds;
    this.finalIds = tgt.finalIds;
  }

  /** The translation of a text, {source, text, sentences}; null once it is no more wanted. */
  async translate(text, isWanted = () => true) {
    let passage = splitPassage(text, this.limits);
    let found = await eachInTurn(passage.pieces, (piece) => this.translatePiece(piece), isWanted);
    if (found?.some((sentence, i) => this.lost(passage.pieces[i], sentence).length)) {
      passage = splitPassage(text, { ...this.limits, usualLength: 0 });
      found = await eachInTurn(passage.pieces, (piece) => this.withAll(piece), isWanted);
    }
    if (!found) return found;
    const texts = found.map((sentence) => sentence.text);
    return { source: text, text: joinPassage(passage, texts), sentences: found };
  }

  /** The translation of a piece. One that loses any is searched for again with them, then with them protected. */
  withAll(piece) {
    let found = this.translatePiece(piece);
    let kept = [];
    let lost = this.lost(piece, found);
    if (lost.length <= TABLES.mostDemanded) kept = lost.filter((span) => this.keptForms(piece, span).length);
    if (kept.length) {
      found = this.translatePiece(piece, kept);
      lost = this.lost(piece, found);
    }
    if (!lost.length) return found;
    const spans = lost.length > TABLES.mostDemanded ? [[lost[0][0], lost.at(-1)[1]]] : lost;
    const others = kept.filter(([start, end]) => spans.every(([first, last]) => end <= first || last <= start));
    return this.translatePiece(protectSpans(piece, spans), others);
  }

  /** The spans of the numbers and the names of a piece that its translation lacks. */
  lost({ text, marks }, found) {
    const output = marks.reduce((rest, mark) => rest.replace(mark.text, mark.kind === "GAP" ? " " : ""), found.text);
    const numbers = lostNumbers(text, output, this.conventions);
    const names = this.stayingNames(text).filter((span) => !hasName(output, text.slice(...span)));
    if (numbers.length + names.length > TABLES.mostDemanded) return numbers;
    return [...numbers, ...names].sort(([one], [other]) => one - other);
  }

  /** The spans of the words that seem to be names that stay. */
  stayingNames(text) {
    const edges = [0, ...sentenceEnds(text), text.length];
    return edges.slice(1).flatMap((end, number) => {
      const begin = edges[number];
      const sentence = text.slice(begin, end);
      return this.conventions.newNames(sentence)
        .filter(([first, last]) => !isAbbreviation(sentence.slice(first, last), sentence.slice(last)))
        .map(([first, last]) => [begin + first, begin + last]);
    });
  }

  readText(text, protectedSpans) {
    if (!this.options.tidy_input) return this.src.read(text, protectedSpans);
    return this.src.read(...this.conventions.applyAround(text, protectedSpans));
  }

  /** The best translation of a piece that must have what stands in these spans. */
  searchPiece(piece, kept = []) {
    const { protectedSpans } = piece;
    const reading = protectedSpans.length ? this.readText(piece.text, protectedSpans) : this.read(piece.text);
    const [hypothesis] = search(this.engine, reading.ids, this.options, this.constraintsOf(piece, kept, reading));
    return this.written(piece, reading, hypothesis);
  }

  /** The constraints: numbers and names, an unknown word per protected one, and no more than can be copied. */
  constraintsOf({ text, protectedSpans }, kept, { words }) {
    const copied = words.filter((word) => this.hasAttention || isUnknown(word));
    const positions = (span) => (this.hasAttention ? positionsOfSpan(words, text, span) : []);
    const terms = [
      ...kept.map((span) => ({ forms: this.keptForms({ text }, span), positions: positions(span) })),
      ...protectedSpans.map((span) => ({ forms: [[UNK]], positions: positions(span) })),
    ].filter(({ forms }) => forms.length);
    const isSingle = !words.slice(0, -1).some((word) => word.text && isFinalMark(word.text));
    return {
      terms,
      unknown: copied.filter((word) => !isPunctuation(word.text)).length,
      continuing: terms.length ? this.innerIds : new Set(),
      opening: terms.length ? this.openingIds : new Set(),
      closing: terms.length && isSingle ? this.finalIds : new Set(),
    };
  }

  /** The ids of the number or name of a span, in all forms that a translation may have it in. */
  keptForms({ text }, span) {
    return this.conventions.numberForms(text.slice(...span)).flatMap((form) => this.forms(form));
  }

  /** The ids of a number or a name, if the codec can write it: with and without a space before it. */
  forms(text) {
    const { ids, words } = this.tgt.read(text);
    if (ids.includes(UNK) || !ids.length) return [];
    let [spaced, unspaced] = [ids, ids];
    if (this.tgt.unit === "character") {
      const space = this.tgt.ids.get(SPACING);
      if (space) spaced = [space, ...ids];
    } else {
      const [[token]] = this.tgt.pairsOf(splitWords(normalise(text))[0]);
      const begin = this.tgt.idsOf(token.startsWith(SPACING) ? token.slice(1) : token);
      unspaced = [...begin, ...ids.slice(words[0].ids.length)];
    }
    const isOther = unspaced.join() !== spaced.join() && this.innerIds.has(unspaced[0]) && !unspaced.includes(UNK);
    return isOther ? [spaced, unspaced] : [spaced];
  }

  /** What is known of the translation of a piece, with the names that attentionView reads. */
  written(piece, reading, hypothesis) {
    const ids = hypothesis.isEnded ? hypothesis.ids.slice(0, -1) : hypothesis.ids;
    const { words } = reading;
    const copies = this.hasAttention ? copyByAttention(ids, hypothesis.weights, words) : copyInOrder(ids, words);
    const protectedWords = piece.protectedSpans.map(([start, end]) => normalise(piece.text.slice(start, end)));
    const { text, units } = this.tgt.write(ids, this.spaced(copies, protectedWords));
    const weighed = new WordWeights(piece.text, text, reading.parts, units, hypothesis.weights);
    return {
      source: piece.source,
      translation: text,
      text: restore(piece, weighed),
      src_tokens: [...reading.parts, SPECIAL_UNITS[EOS]],
      tgt_tokens: hypothesis.isEnded ? [...units, SPECIAL_UNITS[EOS]] : units,
      weights: this.hasAttention ? hypothesis.weights : null,
      log_probabilities: hypothesis.logProbabilities,
    };
  }

  /** The copies, with a space before each protected word where a copy is otherwise one character of a word. */
  spaced(copies, protectedWords) {
    if (this.tgt.unit !== "character") return copies;
    return new Map([...copies].map(([place, copy]) => [place, protectedWords.includes(copy) ? SPACING + copy : copy]));
  }
}

/** The translations of pieces; keys are handled in between. null once they are no more wanted. */
async function eachInTurn(pieces, translate, isWanted) {
  const found = [];
  for (const piece of pieces) {
    if (found.length) await new Promise((resolve) => setTimeout(resolve));
    if (!isWanted()) return null;
    found.push(translate(piece));
  }
  return found;
}

/** The positions of the ids of the words that have a character in a span of the text, white space ignored. */
function positionsOfSpan(words, text, [start, end]) {
  const [from, to] = [solidLength(text.slice(0, start)), solidLength(text.slice(0, end))];
  const starts = runningSums(words.map((word) => solidLength(word.text)));
  const firsts = runningSums(words.map((word) => word.ids.length));
  return words.flatMap((word, i) => (Math.max(from, starts[i]) < Math.min(to, starts[i + 1])
    ? word.ids.map((_, number) => firsts[i] + number) : []));
}

/** The source word to write at each place that is UNK: the one with the largest attention weight. */
function copyByAttention(ids, weights, words) {
  const firsts = runningSums(words.map((word) => word.ids.length));
  const free = new Set([...words.keys()].filter((i) => !isPunctuation(words[i].text)));
  const unknown = [...free].filter((i) => isUnknown(words[i]));
  const preferred = new Set(unknown.length >= ids.filter((id) => id === UNK).length ? unknown : []);
  const copies = new Map();
  ids.forEach((id, place) => {
    if (id !== UNK || !free.size) return;
    const largest = (i) => Math.max(...weights[place].slice(firsts[i], firsts[i + 1]));
    const ranked = [...free].map((i) => ({ i, weight: largest(i), isPreferred: largest(i) > 0 && preferred.has(i) }));
    ranked.sort((a, b) => b.isPreferred - a.isPreferred || b.weight - a.weight || a.i - b.i);
    if (ranked[0].weight > 0) {
      copies.set(place, words[ranked[0].i].text);
      free.delete(ranked[0].i);
    }
  });
  return copies;
}

/** The source word to write at each place that is UNK: the next unknown one that is no punctuation. */
function copyInOrder(ids, words) {
  const unknown = words.filter((word) => isUnknown(word) && !isPunctuation(word.text));
  const places = [...ids.keys()].filter((place) => ids[place] === UNK);
  return new Map(places.slice(0, unknown.length).map((place, i) => [place, unknown[i].text]));
}

/** Whether a text has a name, which is of letters, hyphens and apostrophes, with a short ending or without. */
function hasName(text, name) {
  const letter = "[\\p{L}\\p{N}_]";
  return new RegExp(`(?<!${letter})${name}${letter}{0,${TABLES.longestEnding}}(?!${letter})`, "u").test(text);
}

/** Whether a word is an abbreviation, by the rest of its sentence: the same as decoding/names.py, which explains it. */
function isAbbreviation(word, rest) {
  if (EXPRESSIONS.stopInside.test(rest)) return true;
  return TABLES.abbreviations.includes(word.toLowerCase()) && EXPRESSIONS.wordNext.test(rest);
}

/** Whether every character is a punctuation mark. */
function isPunctuation(token) {
  return [...token].every(isPunctuationMark);
}
