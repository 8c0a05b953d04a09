// One language's way from text to ids and back: the same as text/codec.py, segmenter.py and bpe.py, which explain it.

const SPECIAL_UNITS = ["<pad>", "<unk>", "<bos>", "<eos>"];
const MOST_REMEMBERED = 1 << 17; // words

class Codec {
  constructor({ unit, language, lowercase, spacing, words, merges, tokenizer }) {
    Object.assign(this, { unit, language, lowercase, spacing });
    this.units = [...SPECIAL_UNITS, ...words];
    this.ids = new Map(words.map((word, number) => [word, number + SPECIAL_UNITS.length]));
    this.ranks = new Map(merges.map((merge, rank) => [merge, rank]));
    this.tokenizer = tokenizer && new Tokenizer(tokenizer);
    this.wordsOf = remembered((word) => this.cutWord(word));
    this.idsOf = remembered((token) => this.lookUp(token));
  }

  /** The words of a text, {text, ids, parts}, and all their ids; each protected span is one unknown word. */
  read(text, protectedSpans = []) {
    const words = protectedSpans.length ? this.readAround(text, protectedSpans) : this.readPlain(normalise(text));
    return { text, words, ids: words.flatMap((word) => word.ids), parts: words.flatMap((word) => word.parts) };
  }

  readPlain(text) {
    if (this.unit === "character") {
      return this.characterPairs(text).map(([token, surface]) => this.wordOf(token, surface));
    }
    return splitWords(text).flatMap(this.wordsOf);
  }

  readAround(text, protectedSpans) {
    const hidden = protectedSpans.map(([start, end]) => normalise(text.slice(start, end)));
    const shown = normalise(hide(text, protectedSpans));
    const nextHidden = () => {
      const word = hidden.shift();
      return { text: word, ids: [UNK], parts: [word] };
    };
    if (this.unit === "character") {
      return this.characterPairs(shown).map(([token, surface]) =>
        token === HIDDEN ? nextHidden() : this.wordOf(token, surface));
    }
    return splitWords(shown).flatMap((word) => {
      const [first, ...others] = word.split(HIDDEN);
      const adjoining = (part) => this.pairsOf(part).map(([token, surface], i) =>
        this.wordOf(i || !token.startsWith(SPACING) ? token : token.slice(1), surface));
      const after = others.flatMap((part) => [nextHidden(), ...(part ? adjoining(part) : [])]);
      return [...(first ? this.wordsOf(first) : []), ...after];
    });
  }

  cutWord(word) {
    return this.pairsOf(word).map(([token, surface]) => this.wordOf(token, surface));
  }

  /** The tokens of a word with their surface forms. */
  pairsOf(word) {
    const cut = this.tokenizer.split(this.lowered(word));
    const surfaces = splitLike(word, cut, this.language);
    return cut.map((token, i) => [this.spacing && i === 0 ? SPACING + token : token, surfaces[i]]);
  }

  /** The characters of a text as tokens with their surface forms. */
  characterPairs(text) {
    const words = splitWords(text);
    const spaces = this.spacesAfter(words);
    const joined = (parts) => parts.map((part, i) => part + spaces[i]).join("");
    const characters = joined(words);
    const tokens = [...joined(words.map((word) => this.lowered(word)))]; // by word: the end of one decides its sigma
    const isAsLong = tokens.length === [...characters].length;
    const surfaces = isAsLong ? [...characters] : splitLike(characters, tokens, this.language);
    return tokens.map((token, i) => [token, surfaces[i]]);
  }

  /** SPACING after each word whose space to the next one is a token, the empty text after the others. */
  spacesAfter(words) {
    const isToken = (left, right) => this.spacing || (isInWord([...left].at(-1)) && isInWord(right));
    return words.map((word, i) => (i + 1 < words.length && isToken(word, words[i + 1]) ? SPACING : ""));
  }

  lowered(text) {
    return this.lowercase ? lower(text, this.language) : text;
  }

  wordOf(token, surface) {
    const ids = this.idsOf(token);
    if (ids.length === 1) return { text: surface, ids, parts: [surface] };
    const units = ids.map((id) => withoutMarks(this.units[id]));
    return { text: surface, ids, parts: splitLike(surface, units, this.language) };
  }

  lookUp(token) {
    const idOf = (unit) => this.ids.get(unit) ?? UNK;
    if (this.unit !== "bpe") return [idOf(token)];
    const characters = [...token].map((character, i) => (i ? CONTINUING + character : character));
    if (characters.length > TABLES.longestWord || characters.some((unit) => idOf(unit) === UNK)) return [UNK];
    return this.mergedParts(characters).map(idOf);
  }

  /** The units of a token, from its characters: of the pairs that merges join, the one learned first comes first. */
  mergedParts(parts) {
    for (;;) {
      let [best, at] = [Infinity, -1];
      for (let i = 0; i + 1 < parts.length; i++) {
        const rank = this.ranks.get(`${parts[i]} ${parts[i + 1]}`) ?? Infinity;
        if (rank < best) [best, at] = [rank, i];
      }
      if (at < 0) return parts;
      parts.splice(at, 2, parts[at] + parts[at + 1].slice(CONTINUING.length));
    }
  }

  /** The text of ids, and their units; where the id at a place is UNK, its copy is written. */
  write(ids, copies = new Map()) {
    const marked = ids.map((id, place) => [id, place]).filter(([id]) => ![PAD, BOS, EOS].includes(id))
      .map(([id, place]) => this.markedUnit(id, copies.get(place) ?? ""));
    const text = normalise(marked.join("").replaceAll(CONTINUING, "").replaceAll(SPACING, " "));
    return { text, units: this.unit === "character" ? marked : marked.map(withoutMarks) };
  }

  /** The unit of an id, beginning with SPACING where the text has a space before it. */
  markedUnit(id, copy) {
    const hasWords = this.unit !== "character";
    if (id === UNK) return copy && hasWords ? SPACING + copy : copy;
    const unit = this.units[id];
    return hasWords && !this.spacing && !unit.startsWith(CONTINUING) ? SPACING + unit : unit;
  }

  /** The ids of units that lengthen the word before them. */
  get innerIds() {
    const byLetter = this.unit === "character" || this.spacing;
    return this.idsThat((unit) => unit.startsWith(CONTINUING) || (byLetter && isInWord(unit)));
  }

  /** The ids of the marks behind which a word has no space before it. */
  get openingIds() {
    return this.idsThat((unit) => {
      const marks = unit.replace(/^[\u2581\u258f]+/, "");
      return /^\p{Ps}+$/v.test(marks) || (marks !== unit && /^[\p{Ps}\p{Pi}\p{Pf}"']+$/v.test(marks));
    });
  }

  /** The ids of the marks that end a sentence. */
  get finalIds() {
    return this.idsThat((unit) => {
      const mark = unit.replace(/^[\u2581\u258f]+/, "");
      return mark !== "" && isFinalMark(mark);
    });
  }

  idsThat(has) {
    return new Set(this.units.flatMap((unit, id) => (id >= SPECIAL_UNITS.length && has(unit) ? [id] : [])));
  }
}

const isFinalMark = (text) => [...text].every((mark) => TABLES.finalMarks.includes(mark));
const isUnknown = ({ ids }) => ids.length === 1 && ids[0] === UNK;

function withoutMarks(unit) {
  const part = unit.startsWith(CONTINUING) ? unit.slice(1) : unit;
  return part.startsWith(SPACING) ? part.slice(1) : part;
}

/** A function whose last results are kept, at most so many, by their keys. */
function remembered(f, { most = MOST_REMEMBERED, keyOf = (argument) => argument } = {}) {
  const known = new Map();
  return (...given) => {
    const key = keyOf(...given);
    if (known.size > most) known.clear();
    if (!known.has(key)) known.set(key, f(...given));
    return known.get(key);
  };
}
