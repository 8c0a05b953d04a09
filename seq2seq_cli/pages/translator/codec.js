// One language's way from text to ids and back: the same as text/codec.py, segmenter.py and bpe.py, which explain it.

const SPECIAL_UNITS = ["<pad>", "<unk>", "<bos>", "<eos>"];
const MOST_REMEMBERED = 1 << 12; // words, tokens and sentences each
const FINAL_MARK = /^[.!?…。！？؟।]+$/;

class Codec {
  constructor({ words, merges, tokenizer, ...options }) {
    Object.assign(this, options); // unit, language, lowercase, spacing, apostrophe
    this.units = [...SPECIAL_UNITS, ...words];
    this.ids = new Map(words.map((word, number) => [word, number + SPECIAL_UNITS.length]));
    this.capitals = this.ids.get(CAPITALS);
    this.ranks = new Map(merges.map((merge, rank) => [merge, rank]));
    this.tokenizer = tokenizer && new Tokenizer(tokenizer);
    this.wordsOf = remembered((word) => this.cutWord(word, this.spacing ? SPACING : ""));
    this.idsOf = remembered((token) => this.lookUp(token));
  }

  /** The words of a text, {text, ids, parts}, and all their ids; each kept span is one unknown word with its number. */
  read(text, kept = []) {
    const hidden = kept.map((span, number) => ({ ...keptWord(normalise(text.slice(...span))), number }));
    const around = between(text, kept.map(([start, end]) => ({ start, end })));
    const given = normalise(around.map((part) => part.replaceAll(HIDDEN, "")).join(HIDDEN));
    const spelt = this.apostrophe ? given.replace(EXPRESSIONS.innerApostrophe, this.apostrophe) : given;
    const words = this.inUsualCase(spelt).map((word) => (word.text === HIDDEN && hidden.shift()) || word);
    return { words, ids: words.flatMap((word) => word.ids), parts: words.flatMap((word) => word.parts) };
  }

  /** The words of a text; one that is all in capitals is read as a usual sentence, behind CAPITALS. */
  inUsualCase(text) {
    const words = this.cut(text);
    if (this.capitals === undefined || !isUpper(text) || !isAllUpper(text)) return words;
    const small = capitalise(lower(text, this.language), this.language);
    const ofSmall = this.cut(small);
    const inUpper = (part) => upper(part, this.language);
    if (ofSmall.filter(isUnknown).length > words.filter(isUnknown).length || inUpper(small) !== text) return words;
    const loud = ofSmall.map((word) => ({ ...word, text: inUpper(word.text), parts: word.parts.map(inUpper) }));
    return [{ text: "", ids: [this.capitals], parts: [""] }, ...loud];
  }

  /** The words of a text in its own case, each HIDDEN a word of its own. */
  cut(text) {
    if (this.unit === "character") return this.cutCharacters(text);
    return splitWords(text).flatMap((word) => word.split(HIDDEN).flatMap((part, i) =>
      (i ? [keptWord(HIDDEN), ...this.cutWord(part, "")] : this.wordsOf(part))));
  }

  /** The tokens of a word, with the mark of the space before it. */
  cutWord(word, space) {
    const tokens = this.tokenizer.split(this.lowered(word));
    const surfaces = splitLike(word, tokens, this.language);
    return tokens.map((token, i) => this.wordOf(i ? token : space + token, surfaces[i]));
  }

  /** The characters of a text; without `spacing`, only spaces between letters and digits are tokens. */
  cutCharacters(text) {
    const words = splitWords(text);
    const isToken = (left, right) => this.spacing || (isInWord([...left].at(-1)) && isInWord(right));
    const spaces = words.map((word, i) => (i + 1 < words.length && isToken(word, words[i + 1]) ? SPACING : ""));
    const joinWords = (parts) => parts.map((part, i) => part + spaces[i]).join("");
    const tokens = [...joinWords(words.map((word) => this.lowered(word)))]; // by word: its end decides its sigma
    const surfaces = splitLike(joinWords(words), tokens, this.language);
    return tokens.map((token, i) => this.wordOf(token, surfaces[i]));
  }

  lowered(text) {
    return this.lowercase ? lower(text, this.language) : text;
  }

  wordOf(token, surface) {
    const ids = this.idsOf(token);
    const units = ids.map((id) => withoutMarks(this.units[id]));
    return { text: surface, ids, parts: ids.length === 1 ? [surface] : splitLike(surface, units, this.language) };
  }

  lookUp(token) {
    const idOf = (unit) => this.ids.get(unit) ?? UNK;
    if (this.unit !== "bpe") return [idOf(token)];
    const characters = [...token].map((character, i) => (i ? CONTINUING + character : character));
    if (characters.length > TABLES.longestWord || characters.some((unit) => idOf(unit) === UNK)) return [UNK];
    return this.merged(characters).map(idOf);
  }

  /** The units of a token, from its characters: of the pairs that merges join, the one learned first comes first. */
  merged(parts) {
    for (;;) {
      const ranks = parts.slice(1).map((part, i) => this.ranks.get(`${parts[i]} ${part}`) ?? Infinity);
      const best = Math.min(...ranks);
      if (best === Infinity) return parts;
      const at = ranks.indexOf(best);
      parts.splice(at, 2, parts[at] + parts[at + 1].slice(CONTINUING.length));
    }
  }

  /** The text of ids, and their units; where the id at a place is UNK, its copy is written. */
  write(ids, copies = new Map()) {
    const loud = ids.indexOf(this.capitals);
    const marked = [...ids.entries()].filter(([, id]) => ![PAD, BOS, EOS].includes(id))
      .map(([place, id]) => this.markedUnit(id, copies.get(place) ?? "", loud >= 0 && place > loud));
    const text = normalise(marked.join("").replaceAll(CONTINUING, "").replaceAll(SPACING, " "));
    return { text, units: this.unit === "character" ? marked : marked.map(withoutMarks) };
  }

  /** The unit of an id, beginning with SPACING where the text has a space before it. */
  markedUnit(id, copy, isLoud) {
    if (id === this.capitals) return "";
    const hasWords = this.unit !== "character";
    if (id === UNK) return copy && hasWords && !(this.spacing && FINAL_MARK.test(copy)) ? SPACING + copy : copy;
    const unit = isLoud ? upper(this.units[id], this.language) : this.units[id];
    return hasWords && !this.spacing && !unit.startsWith(CONTINUING) ? SPACING + unit : unit;
  }
}

const keptWord = (text) => ({ text, ids: [UNK], parts: [text] });
const isUnknown = ({ ids }) => ids.length === 1 && ids[0] === UNK;
const withoutMarks = (unit) => unit.replace(/^\u258f?\u2581?/, "");

/** A function of a text whose last results are kept. */
function remembered(f) {
  const known = new Map();
  return (text) => {
    if (known.size > MOST_REMEMBERED) known.clear();
    if (!known.has(text)) known.set(text, f(text));
    return known.get(text);
  };
}
