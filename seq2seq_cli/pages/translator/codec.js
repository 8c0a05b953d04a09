// One language's way from text to ids and back: the same as text/codec.py, segmenter.py and bpe.py, which explain it.

const SPECIAL_UNITS = ["<pad>", "<unk>", "<bos>", "<eos>"];
const MOST_REMEMBERED = 1 << 12; // words, tokens and sentences each
const FINAL_MARK = /^[.!?…。！？؟।]+$/;

class Codec {
  constructor({ unit, language, lowercase, spacing, apostrophe, words, merges, tokenizer }) {
    Object.assign(this, { unit, language, lowercase, spacing, apostrophe });
    this.units = [...SPECIAL_UNITS, ...words];
    this.ids = new Map(words.map((word, number) => [word, number + SPECIAL_UNITS.length]));
    this.capitals = this.ids.get(CAPITALS);
    this.ranks = new Map(merges.map((merge, rank) => [merge, rank]));
    this.tokenizer = tokenizer && new Tokenizer(tokenizer);
    this.wordsOf = remembered((word) => this.cutWord(word));
    this.idsOf = remembered((token) => this.lookUp(token));
  }

  /** The words of a text, {text, ids, parts}, and all their ids; each kept span is one unknown word with its number. */
  read(text, kept = []) {
    const words = kept.length ? this.readAround(text, kept) : this.inUsualCase(text, (part) => this.cut(part));
    return { words, ids: words.flatMap((word) => word.ids), parts: words.flatMap((word) => word.parts) };
  }

  readAround(text, kept) {
    const hidden = kept.map((span, number) => ({ ...keptWord(normalise(text.slice(...span))), number }));
    const words = this.inUsualCase(hide(text, kept), (part) => this.cutAround(part));
    return words.map((word) => (word.text === HIDDEN ? hidden.shift() : word));
  }

  /** The words of a text; one that is all in capitals is read as a usual sentence, behind CAPITALS. */
  inUsualCase(given, cut) {
    const normal = normalise(given);
    const text = this.apostrophe ? normal.replace(EXPRESSIONS.innerApostrophe, this.apostrophe) : normal;
    const words = cut(text);
    if (this.capitals === undefined || !isUpper(text) || !isAllUpper(text)) return words;
    const small = capitalise(lower(text, this.language), this.language);
    const ofSmall = cut(small);
    const isKnown = ofSmall.filter(isUnknown).length <= words.filter(isUnknown).length;
    if (!isKnown || upper(small, this.language) !== text) return words;
    return [{ text: "", ids: [this.capitals], parts: [""] }, ...ofSmall.map((word) => this.inUpper(word))];
  }

  inUpper({ text, ids, parts }) {
    return { text: upper(text, this.language), ids, parts: parts.map((part) => upper(part, this.language)) };
  }

  cut(text) {
    if (this.unit === "character") {
      return this.characterPairs(text).map(([token, surface]) => this.wordOf(token, surface));
    }
    return splitWords(text).flatMap(this.wordsOf);
  }

  /** The words of a text, each HIDDEN a word of its own. */
  cutAround(text) {
    if (this.unit === "character" || !text.includes(HIDDEN)) return this.cut(text);
    return splitWords(text).flatMap((word) => {
      const [first, ...others] = word.split(HIDDEN);
      const adjoining = (part) => this.pairsOf(part).map(([token, surface], i) =>
        this.wordOf(i || !token.startsWith(SPACING) ? token : token.slice(1), surface));
      return [...this.wordsOf(first), ...others.flatMap((part) => [keptWord(HIDDEN), ...adjoining(part)])];
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
    const loud = ids.indexOf(this.capitals);
    const marked = ids.map((id, place) => [id, place]).filter(([id]) => ![PAD, BOS, EOS].includes(id))
      .map(([id, place]) => this.markedUnit(id, copies.get(place) ?? "", loud >= 0 && place > loud));
    const text = normalise(marked.join("").replaceAll(CONTINUING, "").replaceAll(SPACING, " "));
    return { text, units: this.unit === "character" ? marked : marked.map(withoutMarks) };
  }

  /** The unit of an id, beginning with SPACING where the text has a space before it. */
  markedUnit(id, copy, isLoud) {
    const hasWords = this.unit !== "character";
    if (id === this.capitals) return "";
    if (id === UNK) return copy && hasWords && !(this.spacing && FINAL_MARK.test(copy)) ? SPACING + copy : copy;
    const unit = isLoud ? upper(this.units[id], this.language) : this.units[id];
    return hasWords && !this.spacing && !unit.startsWith(CONTINUING) ? SPACING + unit : unit;
  }
}

const keptWord = (text) => ({ text, ids: [UNK], parts: [text] });
const isUnknown = ({ ids }) => ids.length === 1 && ids[0] === UNK;

function withoutMarks(unit) {
  const part = unit.startsWith(CONTINUING) ? unit.slice(1) : unit;
  return part.startsWith(SPACING) ? part.slice(1) : part;
}

/** A function of a text whose last results are kept. */
function remembered(f) {
  const known = new Map();
  return (text) => {
    if (known.size > MOST_REMEMBERED) known.clear();
    if (!known.has(text)) known.set(text, f(text));
    return known.get(text);
  };
}
