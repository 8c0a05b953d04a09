// One language's way from text to ids and back: the same as text/codec.py, segmenter.py and bpe.py, which explain it.

const SPECIAL_UNITS = ["<pad>", "<unk>", "<bos>", "<eos>"];
const MOST_REMEMBERED = 1 << 12; // words, tokens and sentences each

class Codec {
  constructor({ words, merges, tokenizer, smallWords, ...options }) {
    Object.assign(this, options); // unit, language, lowercase, spacing, apostrophe
    this.space = this.spacing ? SPACING : "";
    this.smallWords = new Set(smallWords);
    this.beginsWithCapital = this.smallWords.size > 0;
    this.units = [...SPECIAL_UNITS, ...words];
    this.ids = new Map(words.map((word, number) => [word, number + SPECIAL_UNITS.length]));
    this.hasUsualCase = this.unit === "bpe" && !this.lowercase;
    this.ranks = new Map(merges.map((merge, rank) => [merge, rank]));
    this.tokenizer = tokenizer && new Tokenizer(tokenizer);
    this.lowered = (text) => (this.lowercase ? lower(text, this.language) : text);
    this.wordsOf = remembered((word) => this.cutWord(word, this.space));
    this.idsOf = remembered((token) => this.lookUp(token));
  }

  /** The words of a text, {text, ids, parts}, and all their ids; each kept span is one unknown word with its number. */
  read(text, kept = []) {
    const hidden = kept.map((span, number) => ({ ...keptWord(normalise(text.slice(...span))), number }));
    const around = between(text, kept.map(([start, end]) => ({ start, end })));
    const given = normalise(around.map((part) => part.replaceAll(HIDDEN, "")).join(HIDDEN));
    const spelt = this.apostrophe ? given.replace(EXPRESSIONS.innerApostrophe, this.apostrophe) : given;
    const [cut, letters] = this.inUsualCase(spelt);
    const words = cut.map((word) => (word.text === HIDDEN && hidden.shift()) || word);
    return { words, letters, ids: words.flatMap((word) => word.ids), parts: words.flatMap((word) => word.parts) };
  }

  /** The words of a text with their ids in its usual case, and its own: "usual", "small", "capitals" or "title". */
  inUsualCase(text) {
    const begun = this.begun(text);
    const words = this.cut(begun);
    const isLoud = this.hasUsualCase && isAllUpper(text);
    const isTitle = this.beginsWithCapital && !splitWords(text).some(([first]) => isLower(first));
    const found = isLoud || isTitle ? this.withoutCase(text, isLoud) : undefined;
    if (found && countUnknown(found[0]) <= countUnknown(words)) return found;
    const isSmall = this.beginsWithCapital && begun !== text && text === smallFirst(text, this.language);
    return [words, isSmall ? "small" : "usual"];
  }

  /** The words of a text in capitals, or in title case, in their usual one; undefined where it is no such text. */
  withoutCase(text, isLoud) {
    const plain = isLoud ? lower(text, this.language) : text;
    const usual = plain.replace(EXPRESSIONS.wordStart, (word) => (isLoud ? this.restored(word) : this.usual(word)));
    const others = splitWords(usual).slice(1);
    const changed = splitWords(plain).slice(1).filter((word, i) => word !== others[i]);
    if (!isLoud && changed.length < 2) return undefined;
    const begun = this.beginsWithCapital ? capitalise(usual, this.language) : usual;
    const titled = begun.replace(EXPRESSIONS.wordStart, (word) => capitalise(word, this.language));
    const again = isLoud ? upper(begun, this.language) : titled;
    if (begun.length !== text.length || again !== text) return undefined;
    return [withLetters(this.cut(this.begun(begun)), text, this.language), isLoud ? "capitals" : "title"];
  }

  /** The text behind BEGINNING where its first word is: it begins with a letter that has a case. */
  begun(text) {
    const [first = ""] = text;
    const isMarked = this.hasUsualCase && first.toLowerCase() !== capitalise(first, this.language);
    return isMarked ? BEGINNING + text : text;
  }

  /** The word with a small letter where it has one inside texts. */
  usual(word) {
    const small = smallFirst(word, this.language);
    return this.smallWords.has(this.space + small) ? small : word;
  }

  /** The word, which is in small letters, with a capital where the vocabulary has it so alone. */
  restored(word) {
    const capital = capitalise(word, this.language);
    return !this.smallWords.has(this.space + word) && this.ids.has(this.space + capital) ? capital : word;
  }

  /** The words of a text in its own case, each HIDDEN a word of its own. */
  cut(text) {
    if (this.unit === "character") return this.cutCharacters(text);
    return splitWords(text).flatMap((word) => word.split(HIDDEN).flatMap((part, i) =>
      (i ? [keptWord(HIDDEN), ...this.cutWord(part, "")] : this.wordsOf(part))));
  }

  /** The tokens of a word, with the mark of the space before it. */
  cutWord(word, space) {
    const mark = word.startsWith(BEGINNING) ? BEGINNING : "";
    const surface = word.slice(mark.length);
    const tokens = this.tokenizer.split(this.lowered(surface));
    const surfaces = splitLike(surface, tokens, this.language);
    return tokens.map((token, i) => this.wordOf(i ? token : mark + space + token, surfaces[i]));
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

  wordOf(token, surface) {
    const ids = this.idsOf(token);
    const units = ids.map((id) => withoutMarks(this.units[id]));
    return { text: surface, ids, parts: ids.length === 1 ? [surface] : splitLike(surface, units, this.language) };
  }

  lookUp(token) {
    const idOf = (unit) => this.ids.get(unit) ?? UNK;
    if (this.unit !== "bpe") return [idOf(token)];
    if (token.startsWith(BEGINNING)) return this.idsOfFirst(token.slice(BEGINNING.length));
    const characters = [...token].map((character, i) => (i ? CONTINUING + character : character));
    if (characters.length > TABLES.longestWord || characters.some((unit) => idOf(unit) === UNK)) return [UNK];
    return this.merged(characters).map(idOf);
  }

  /** The ids of the first token of a text, in the case that it has inside texts where that can be undone. */
  idsOfFirst(token) {
    const word = withoutMarks(token);
    const inUsual = () => (word === smallFirst(word, this.language) ? this.restored(word) : this.usual(word));
    const usual = this.beginsWithCapital ? inUsual() : word;
    const isUndone = [capitalise(usual, this.language), smallFirst(usual, this.language)].includes(word);
    return this.idsOf(isUndone ? token.slice(0, token.length - word.length) + usual : token);
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
  write(ids, copies, letters) {
    const isLoud = letters === "capitals" && this.hasUsualCase;
    const isTitle = letters === "title" && this.hasUsualCase;
    let isFirst = isTitle || (letters === "usual" && this.beginsWithCapital);
    const marked = [...ids.entries()].filter(([, id]) => ![PAD, BOS, EOS].includes(id)).map(([place, id]) => {
      const unit = this.markedUnit(id, copies.get(place) ?? "", isLoud);
      const word = withoutMarks(unit);
      isFirst ||= isTitle && id !== UNK && unit.startsWith(SPACING);
      const isCapital = isFirst && id !== UNK && word !== "";
      if (word !== "" || id === UNK) isFirst = false;
      return isCapital ? unit.slice(0, unit.length - word.length) + capitalise(word, this.language) : unit;
    });
    const text = normalise(marked.join("").replaceAll(CONTINUING, "").replaceAll(SPACING, " "));
    return { text, units: this.unit === "character" ? marked : marked.map(withoutMarks) };
  }

  /** The unit of an id, beginning with SPACING where the text has a space before it. */
  markedUnit(id, copy, isLoud) {
    const hasWords = this.unit !== "character";
    if (id === UNK) return copy && hasWords && !(this.spacing && [...copy].every((mark) => TABLES.finalMarks.includes(mark))) ? SPACING + copy : copy;
    const unit = isLoud ? upper(this.units[id], this.language) : this.units[id];
    return hasWords && !this.spacing && !unit.startsWith(CONTINUING) ? SPACING + unit : unit;
  }
}

const keptWord = (text) => ({ text, ids: [UNK], parts: [text] });

/** The words with the surface forms that they have in a text of as many letters, in another case. */
function withLetters(words, text, language) {
  const pieces = splitLike(text.replaceAll(" ", ""), words.flatMap((word) => word.parts), language);
  return words.map((word) => {
    const parts = pieces.splice(0, word.parts.length);
    return { ...word, parts, text: parts.join("") };
  });
}

const countUnknown = (words) => words.filter(isUnknown).length;
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
